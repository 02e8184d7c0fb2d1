import { clamdScanner } from './clamd.ts'
import { localScanner } from './local.ts'
import type { VirusScanner } from './virus-scanner.ts'

/** The scanner of the settings: clamd at `host:port` or a socket; null: one for the test virus. */
export const createScanner = (clamd: string | null): VirusScanner => (clamd === null ? localScanner() : clamdScanner(clamd))
