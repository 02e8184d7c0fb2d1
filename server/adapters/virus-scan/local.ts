import { createReadStream } from 'node:fs'
import type { VirusScanner } from './virus-scanner.ts'

/** The standard test virus (EICAR), split so that scanners do not flag this source. */
export const testVirus = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-' + 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'
/** A file with this text makes the scanner fail, to demonstrate the failure. */
export const scannerDownMark = 'KIST-SCANNER-DOWN'

/** A local stand-in for a scanner that detects only the test virus. */
export function localScanner(): VirusScanner {
  return {
    async scan(path) {
      let tail = ''
      for await (const chunk of createReadStream(path)) {
        const text = tail + (chunk as Buffer).toString('latin1')
        if (text.includes(testVirus)) return { kind: 'infected', name: 'Eicar-Test-Signature' }
        if (text.includes(scannerDownMark)) return { kind: 'unknown', reason: 'this file is the demo’s example of a scanner that is down' }
        tail = text.slice(-testVirus.length)
      }
      return { kind: 'clean' }
    },
  }
}
