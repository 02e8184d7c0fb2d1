/** What a scanner says of a file. `unknown`: it could not be asked; such a file is not stored. */
export type ScanOutcome = { kind: 'clean' } | { kind: 'infected'; name: string } | { kind: 'unknown'; reason: string }

/** Looks at a file before it is stored. Does not throw for what the scanner or the way to it does. */
export type VirusScanner = { scan(path: string): Promise<ScanOutcome> }
