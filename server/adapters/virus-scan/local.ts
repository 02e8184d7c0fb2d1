import { createReadStream } from 'node:fs'
import type { VirusScanner } from './virus-scanner.ts'

/** The file every scanner is tried with (EICAR). In two pieces, so that no scanner stumbles over this source. */
export const testVirus = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-' + 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'
/** A file that holds this makes the scanner unreachable, so that anyone can see what then happens. */
export const scannerDownMark = 'KIST-SCANNER-DOWN'

/** The local twin of a scanner: it knows the test file wherever it stands, and nothing else. */
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
