import { createHash, hash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'

/** A copied file; `path` is the copy. */
export type CopiedFile = { path: string; bytes: number; sha256: string }

const chunkBytes = 1024 * 1024
const chunk = Buffer.allocUnsafe(chunkBytes)

/**
 * Copies a file up to its current end.
 *
 * @throws EEXIST if the target exists.
 */
export function copyFile(from: string, to: string, onBytes: (bytes: number) => void = () => {}): CopiedFile {
  const source = openSync(from, 'r')
  try {
    const target = openSync(to, 'wx', 0o600)
    try {
      const digest = createHash('sha256')
      let bytes = 0
      for (let read = readSync(source, chunk); read > 0; read = readSync(source, chunk)) {
        const part = chunk.subarray(0, read)
        digest.update(part)
        for (let written = 0; written < read;) written += writeSync(target, part, written)
        bytes += read
        onBytes(read)
      }
      return { path: to, bytes, sha256: digest.digest('hex') }
    } finally {
      closeSync(target)
    }
  } finally {
    closeSync(source)
  }
}

/** Reads the whole file into memory; for small files. */
export const sha256Of = (path: string): string => hash('sha256', readFileSync(path))
