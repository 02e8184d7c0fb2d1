import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CsvError, parseCsv } from './csv.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
async function parse(...chunks: (string | Uint8Array)[]): Promise<[line: number, ...fields: string[]][]> {
  const records: [number, ...string[]][] = []
  for await (const { line, fields } of parseCsv(chunks.map((chunk) => (typeof chunk === 'string' ? bytes(chunk) : chunk))))
    records.push([line, ...fields])
  return records
}

describe('CSV', () => {
  it.each([
    [
      'plain fields',
      'a,b\nc,d\n',
      [
        [1, 'a', 'b'],
        [2, 'c', 'd'],
      ],
    ],
    ['no line end after the last record', 'a,b', [[1, 'a', 'b']]],
    [
      'CRLF',
      'a,b\r\nc,d\r\n',
      [
        [1, 'a', 'b'],
        [2, 'c', 'd'],
      ],
    ],
    ['a BOM', '\uFEFFa,b\n', [[1, 'a', 'b']]],
    ['empty fields', ',a,\n', [[1, '', 'a', '']]],
    ['quoted fields with commas and quotes', '"a,1","say ""hi""",""\n', [[1, 'a,1', 'say "hi"', '']]],
    ['a quoted field, then an empty last field', 'a,"b",\n', [[1, 'a', 'b', '']]],
    [
      'line ends inside quotes, counted',
      '"a\nb",c\nd,e\n',
      [
        [1, 'a\nb', 'c'],
        [3, 'd', 'e'],
      ],
    ],
    [
      'past empty lines and counts them',
      'a\n\n\nb\n',
      [
        [1, 'a'],
        [4, 'b'],
      ],
    ],
    ['0 bytes', '', []],
  ])('reads %s', async (_what, text, records) => {
    expect(await parse(text)).toEqual(records)
  })
  it('gives equal records for any chunk boundary', async () => {
    const whole = bytes('\uFEFFnäme,"रुपये, ""क़िस्त"""\r\n"two\nlines",x\n')
    const expected = await parse(whole)
    for (let cut = 1; cut < whole.length; cut++) expect(await parse(whole.slice(0, cut), whole.slice(cut))).toEqual(expected)
  })
  it('reads every record that is written by RFC 4180', async () => {
    const field = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', ' ', 'क') })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1 }), async (rows) => {
        const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')).join('\r\n')
        expect((await parse(text)).map(([, ...fields]) => fields)).toEqual(rows)
      }),
      { seed: 20_261_127, numRuns: 100 },
    )
  })
  it.each([
    ['a quote that is not closed', 'a,b\n"c,d\ne,f\n', 2, 'not closed'],
    ['a quote inside a plain field', 'a,b\nc"d"e,f\n', 2, 'not quoted'],
    ['text after a closing quote', '"a"b,c\n', 1, 'closing quote'],
    ['bytes that are no UTF-8', new Uint8Array([0x61, 0x0a, 0xff, 0xfe]), 1, 'not UTF-8'],
  ])('refuses %s', async (_what, text, line, message) => {
    const error = await parse(text).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CsvError)
    expect(error).toMatchObject({ line, message: expect.stringContaining(message) })
  })
})
