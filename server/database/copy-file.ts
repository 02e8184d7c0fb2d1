import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'

/** What a copy holds; `path` is where it is. */
export type CopiedFile = { path: string; bytes: number; sha256: string }

const chunkBytes = 1024 * 1024
const chunk = Buffer.allocUnsafe(chunkBytes)

/** Copies a file as far as it reaches now, and tells what was copied. @throws EEXIST when the target is there already. */
export function copyFile(from: string, to: string, onBytes: (bytes: number) => void = () => {}): CopiedFile {
  const source = openSync(from, 'r')
  try {
    const target = openSync(to, 'wx', 0o600)
    try {
      const hash = createHash('sha256')
      let bytes = 0
      for (let read = readSync(source, chunk); read > 0; read = readSync(source, chunk)) {
        const part = chunk.subarray(0, read)
        hash.update(part)
        for (let written = 0; written < read;) written += writeSync(target, part, written)
        bytes += read
        onBytes(read)
      }
      return { path: to, bytes, sha256: hash.digest('hex') }
    } finally {
      closeSync(target)
    }
  } finally {
    closeSync(source)
  }
}

/** Of a small file. */
export const sha256Of = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Whether an error says that a file is not there (any more). */
export const hasVanished = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
