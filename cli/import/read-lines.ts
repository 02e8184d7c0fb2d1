import { CsvError, parseCsv } from './csv.ts'
import { BookRefused, type Faults } from './faults.ts'
import { Line, quoted } from './line.ts'

/** The columns that a header may and must have. `of` names the kind of file in a fault. */
type Header<Name extends string> = { columns: readonly Name[]; required: readonly Name[]; of: string }

/**
 * Reads a CSV file with a header and calls `read` for each line. Adds every fault to `faults`;
 * after a fault in the header it reads no line.
 *
 * @throws BookRefused if the file is not CSV from some line on.
 */
export async function readLines<Name extends string>(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  header: Header<Name>,
  faults: Faults,
  read: (line: Line<Name>) => void,
): Promise<void> {
  let places: Map<string, number> | null = null
  try {
    for await (const { line, fields } of parseCsv(chunks)) {
      if (places === null) {
        places = readHeader(line, fields, header, faults)
        if (faults.count > 0) return
      } else if (fields.length === places.size) {
        read(new Line<Name>(line, fields, places, faults))
      } else {
        faults.add(line, null, `has ${fields.length} columns; the header has ${places.size}`)
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    faults.add(error.line, null, error.message)
    // A line may refer to one that was not read.
    throw new BookRefused(faults)
  }
  if (places === null && faults.count === 0) faults.add(1, null, 'the file is empty; it must begin with a header')
}

function readHeader<Name extends string>(
  line: number,
  fields: readonly string[],
  { columns, required, of }: Header<Name>,
  faults: Faults,
): Map<string, number> {
  const places = new Map<string, number>()
  fields.forEach((field, place) => {
    const name = field.trim()
    if (!columns.some((column) => column === name)) faults.add(line, null, `the header has ${quoted(name)}, which is not a column of ${of}`)
    else if (places.has(name)) faults.add(line, null, `the header has ${name} twice`)
    else places.set(name, place)
  })
  for (const name of required) if (!places.has(name)) faults.add(line, null, `the header has no column ${name}`)
  return places
}
