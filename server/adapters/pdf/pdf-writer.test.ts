import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { readPdf, readQrCode } from '../../documents/pdf-text.testing.ts'
import type { DocumentContent } from './pdf-writer.ts'
import { createTypstWriter } from './typst.ts'
import { loadNative, typstImplementations } from './typst-engine.ts'

const content = (language: 'en' | 'hi', rows = 3): DocumentContent => ({
  language,
  orientation: 'landscape',
  title: language === 'hi' ? 'खाता विवरण' : 'Statement of account',
  sender: { name: 'Meghdoot Education Finance Ltd', lines: ['1800 209 3344'] },
  facts: [
    { label: 'Loan number', value: 'KST-1' },
    { label: 'Rate', value: '11.25%' },
    { label: 'Odd one', value: '#strong[not a command] $x$ *' },
  ],
  parts: [
    { kind: 'heading', text: 'Postings' },
    {
      kind: 'table',
      columns: [
        { title: 'What', align: 'start', width: 'rest' },
        { title: 'Amount', align: 'end', width: 'own' },
      ],
      rows: Array.from({ length: rows }, (_, index) => [`Payment ${index}`, `₹1,23,456.${String(index).padStart(3, '0').slice(1)}`]),
      totals: ['Total', '₹9,99,999.00'],
    },
    { kind: 'text', text: 'Nothing else.' },
  ],
  verification: {
    label: 'Code',
    code: 'ABCD-1234',
    hint: 'Check it.',
    address: 'https://kist.example/verify-document?code=ABCD-1234',
    qrLabel: 'QR code',
  },
  foot: 'Page {page} of {pages}',
})

/** The native library exists only for some machines, WebAssembly for all. Both must pass. */
const implementations = typstImplementations.filter((implementation) => implementation === 'wasm' || loadNative() !== null)

describe.each(implementations)('documents by Typst, %s', (implementation) => {
  const writer = createTypstWriter(implementation)
  afterAll(() => writer.close())

  it('contains all parts in order, tagged and with the title', async () => {
    const pdf = await readPdf(await writer.write(content('en')))
    expect(pdf).toMatchObject({ pages: 1, title: 'Statement of account', isTagged: true })
    expect(pdf.language).toMatch(/^en/)
    const text = pdf.text.replace(/\s+/g, ' ')
    for (const part of ['KST-1', '11.25%', 'Payment 2 ₹1,23,456.02', 'Total ₹9,99,999.00', 'Nothing else.', 'ABCD-1234', 'Page 1 of 1'])
      expect(text).toContain(part)
  })

  it('has a QR code of the address that verifies it, beside the printed address', async () => {
    const written = await writer.write(content('en', 120))
    expect(await readQrCode(written)).toBe('https://kist.example/verify-document?code=ABCD-1234')
    expect((await readPdf(written)).text).toContain('https://kist.example/verify-document?code=ABCD-1234')
  })

  it('P08: never interprets text as a command', async () => {
    const { text } = await readPdf(await writer.write(content('en')))
    expect(text.replace(/\s+/g, ' ')).toContain('#strong[not a command] $x$ *')
  })

  it('P09: does not fetch addresses or read files named in a text', async () => {
    const requests: string[] = []
    const server = createServer((request, response) => {
      requests.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const commands = [
      `#image("http://127.0.0.1:${port}/a.png")`,
      '#read("/etc/hostname")',
      `#link("http://127.0.0.1:${port}/b")[b]`,
      '#include "/etc/passwd"',
    ]
    const written = await writer.write({ ...content('en'), parts: commands.map((text) => ({ kind: 'text' as const, text })) })
    server.close()
    const text = (await readPdf(written)).text.replace(/\s+/g, ' ')
    for (const command of commands) expect(text).toContain(command)
    expect(text).not.toContain('root:')
    expect(requests).toEqual([])
  })

  it('writes Hindi', async () => {
    const pdf = await readPdf(await writer.write(content('hi')))
    expect(pdf).toMatchObject({ title: 'खाता विवरण', isTagged: true })
    expect(pdf.language).toMatch(/^hi/)
  })

  it('breaks pages and repeats the table header on each', async () => {
    const { text, pages } = await readPdf(await writer.write(content('en', 120)))
    expect(pages).toBeGreaterThan(2)
    expect(text.split('Amount').length - 1).toBe(pages)
  })

  it('gives the same bytes for the same content', async () => {
    expect(await writer.write(content('en'))).toEqual(await writer.write(content('en')))
  })

  it('writes the next document after one that failed', async () => {
    await expect(writer.write({ ...content('en'), parts: null } as unknown as DocumentContent)).rejects.toThrow('Typst refused')
    expect((await writer.write(content('en'))).length).toBeGreaterThan(1_000)
  })
})
