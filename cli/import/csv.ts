/** One record of a CSV file. `line` is where it begins, counted from 1. */
type CsvRecord = { line: number; fields: string[] }

/** Invalid CSV; nothing after `line` could be read. */
export class CsvError extends Error {
  override readonly name = 'CsvError'
  readonly line: number
  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** A longer record is an unclosed quote. */
const recordCharactersMax = 100_000

/**
 * Reads CSV (RFC 4180) from a stream of UTF-8 bytes: quoted fields with `""`, commas and line ends
 * inside, LF or CRLF, an optional BOM. Skips empty lines.
 *
 * @throws CsvError for an open quote, a quote in an unquoted field, or invalid UTF-8.
 */
export async function* parseCsv(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  let pending = ''
  let line = 1
  for await (const physical of linesOf(chunks, () => line)) {
    const record = pending === '' ? physical : `${pending}\n${physical}`
    if (hasOpenQuote(record)) {
      if (record.length > recordCharactersMax) throw new CsvError(line, 'a quote is opened and not closed')
      pending = record
      continue
    }
    pending = ''
    if (record !== '') yield { line, fields: fieldsOf(record, line) }
    line += countLines(record)
  }
  if (pending !== '') throw new CsvError(line, 'a quote is opened and not closed')
}

async function* linesOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, lineNow: () => number): AsyncGenerator<string> {
  // The decoder removes the BOM and refuses invalid UTF-8.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch {
      throw new CsvError(lineNow(), 'the file is not UTF-8 text from about here on')
    }
  }
  let rest = ''
  for await (const chunk of chunks) {
    rest += decode(chunk)
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const one of lines) yield withoutReturn(one)
  }
  rest += decode()
  if (rest !== '') yield withoutReturn(rest)
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)

function hasOpenQuote(record: string): boolean {
  let isOpen = false
  for (let at = record.indexOf('"'); at !== -1; at = record.indexOf('"', at + 1)) isOpen = !isOpen
  return isOpen
}

function countLines(record: string): number {
  let lines = 1
  for (let at = record.indexOf('\n'); at !== -1; at = record.indexOf('\n', at + 1)) lines += 1
  return lines
}

function fieldsOf(record: string, line: number): string[] {
  if (!record.includes('"')) return record.split(',')
  const fields: string[] = []
  let at = 0
  for (;;) {
    const [field, next] = record[at] === '"' ? quotedField(record, at, line) : plainField(record, at, line)
    fields.push(field)
    if (next >= record.length) return fields
    at = next + 1
  }
}

/** A field and the position of the comma after it. */
function plainField(record: string, at: number, line: number): [string, number] {
  const comma = record.indexOf(',', at)
  const end = comma === -1 ? record.length : comma
  const field = record.slice(at, end)
  if (field.includes('"')) throw new CsvError(line, 'a quote is inside a field that is not quoted')
  return [field, end]
}

function quotedField(record: string, at: number, line: number): [string, number] {
  let field = ''
  let from = at + 1
  for (;;) {
    const quote = record.indexOf('"', from)
    field += record.slice(from, quote)
    if (record[quote + 1] === '"') {
      field += '"'
      from = quote + 2
      continue
    }
    const next = quote + 1
    if (next < record.length && record[next] !== ',') throw new CsvError(line, 'something follows the closing quote of a field')
    return [field, next]
  }
}
