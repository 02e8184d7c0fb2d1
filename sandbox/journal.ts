import * as fs from 'node:fs'
import * as path from 'node:path'

/**
 * An append-only file of JSON lines. A line that was written survives `kill -9`; it is not synced
 * to the disk: a sandbox need not survive a power failure.
 */
export class Journal {
  readonly #fd: number
  #length: number
  #isClosed = false

  private constructor(fd: number) {
    this.#fd = fd
    this.#length = fs.fstatSync(fd).size
  }

  /** Reads the complete lines of `file` and drops a partial last line, which a crash left. */
  static read(file: string): unknown[] {
    if (!fs.existsSync(file)) return []
    // As bytes: after a long torture run the file exceeds the maximum length of a string.
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
    // In pieces: all lines together may exceed the maximum length of a string.
    for (let at = 0; at < lines.length; at += 1000) {
      const piece = lines.slice(at, at + 1000).map((line) => `${JSON.stringify(line)}\n`)
      fs.appendFileSync(fd, piece.join(''))
    }
    fs.closeSync(fd)
    fs.renameSync(temporary, file)
    return new Journal(fs.openSync(file, 'a', 0o600))
  }

  /** Appends one line. @throws the error of the disk; then nothing of the line is in the file. */
  append(line: unknown): void {
    // A closed descriptor may belong to another file by now.
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

/** Replaces a file: a reader sees the old text or the new one. */
export function writeFileAtomically(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  fs.writeFileSync(temporary, text, { mode: 0o600 })
  fs.renameSync(temporary, file)
}
