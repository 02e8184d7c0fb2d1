/** The result of a scan. `unknown`: the scan failed; such a file is not stored. */
export type ScanOutcome = { kind: 'clean' } | { kind: 'infected'; name: string } | { kind: 'unknown'; reason: string }

/** Scans a file before it is stored. Does not throw for failures of the scanner or the network. */
export type VirusScanner = { scan(path: string): Promise<ScanOutcome> }
