import * as fs from 'node:fs'
import * as path from 'node:path'

/**
 * An append-only file of JSON lines. A line that was written survives `kill -9`; it is not synced to
 * the disk, for a sandbox need not outlive a power cut.
 */
export class Journal {
  readonly #fd: number
  #length: number
  #isClosed = false

  private constructor(fd: number) {
    this.#fd = fd
    this.#length = fs.fstatSync(fd).size
  }

  /** Reads the whole lines of `file`; a torn last line is what a crash left and is dropped. */
  static read(file: string): unknown[] {
    if (!fs.existsSync(file)) return []
    // Bytes, not one text: a long torture run outgrows the longest text there can be.
    const bytes = fs.readFileSync(file)
    const lines: unknown[] = []
    for (let start = 0, end = bytes.indexOf(10); end !== -1; start = end + 1, end = bytes.indexOf(10, start)) {
      try {
        lines.push(JSON.parse(bytes.toString('utf8', start, end)) as unknown)
      } catch {
        throw new Error(`${file}:${lines.length + 1} is not JSON; move the file away to start afresh`)
      }
    }
    return lines
  }

  /** Replaces `file` by `lines` in one step and opens it for appending. */
  static rewrite(file: string, lines: readonly unknown[]): Journal {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    const temporary = `${file}.${process.pid}.tmp`
    const fd = fs.openSync(temporary, 'w', 0o600)
    // Line by line in pieces: all of them together may be longer than the longest text there can be.
    for (let at = 0; at < lines.length; at += 1000) {
      const piece = lines.slice(at, at + 1000).map((line) => `${JSON.stringify(line)}\n`)
      fs.appendFileSync(fd, piece.join(''))
    }
    fs.closeSync(fd)
    fs.renameSync(temporary, file)
    return new Journal(fs.openSync(file, 'a', 0o600))
  }

  /** Appends one line; on failure (disk full) nothing of it stays, and the error is thrown. */
  append(line: unknown): void {
    // A closed descriptor may by now belong to another file.
    if (this.#isClosed) throw new Error('the journal is closed')
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    try {
      fs.appendFileSync(this.#fd, bytes)
    } catch (error) {
      fs.ftruncateSync(this.#fd, this.#length)
      throw error
    }
    this.#length += bytes.length
  }

  close(): void {
    this.#isClosed = true
    fs.closeSync(this.#fd)
  }
}

/** Writes a file so that a reader sees the old text or the new one, never half of it. */
export function writeFileAtomically(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  fs.writeFileSync(temporary, text, { mode: 0o600 })
  fs.renameSync(temporary, file)
}
