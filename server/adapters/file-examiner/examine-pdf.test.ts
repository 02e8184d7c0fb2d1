import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { pdf } from '../../documents/files.testing.ts'
import { examinePdf } from './examine-pdf.ts'

/** An object stream with one object; `entries` are added to its dictionary. */
function objectStream(object: string, entries = '', { type = '/Type /ObjStm', number = 9 } = {}): Buffer {
  const packed = deflateSync(Buffer.from(`7 0 ${object}`, 'latin1'))
  return Buffer.concat([
    Buffer.from(`${number} 0 obj\n<< ${type} ${entries} /N 1 /First 4 /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`),
    packed,
    Buffer.from('\nendstream\nendobj'),
  ])
}
const script = '<< /S /JavaScript /JS (app.alert(1)) >>'
const reasonOf = async (bytes: Buffer) => {
  const examination = await examinePdf(bytes)
  return examination.kind === 'refused' ? examination.reason : 'accepted'
}
const withObjects = (objects: string | Buffer, more = {}) => pdf({ objects, ...more })

describe('forbidden content', () => {
  it.each([
    ['JavaScript', `7 0 obj ${script} endobj`, 'pdf_javascript'],
    ['scripts by name', '7 0 obj << /Names << /JavaScript 8 0 R >> >> endobj', 'pdf_javascript'],
    ['Launch', '7 0 obj << /S /Launch /F (cmd.exe) >> endobj', 'pdf_launch'],
    ['GoToR', '7 0 obj << /S /GoToR /F (\\\\\\\\evil\\\\share) >> endobj', 'pdf_remote_file'],
    ['GoToE', '7 0 obj << /S /GoToE >> endobj', 'pdf_goto_embedded'],
    ['SubmitForm', '7 0 obj << /S /SubmitForm /F (http://evil.example) >> endobj', 'pdf_submit_form'],
    ['ImportData', '7 0 obj << /S /ImportData /F (x.fdf) >> endobj', 'pdf_import_data'],
    ['RichMedia', '7 0 obj << /Subtype /RichMedia >> endobj', 'pdf_rich_media'],
    ['Rendition', '7 0 obj << /S /Rendition >> endobj', 'pdf_rich_media'],
    ['a sound action', '7 0 obj << /S /Sound /Sound 8 0 R >> endobj', 'pdf_rich_media'],
    ['a movie annotation', '7 0 obj << /Type /Annot /Subtype /Movie /Movie 8 0 R >> endobj', 'pdf_rich_media'],
    ['embedded files', '7 0 obj << /Type /EmbeddedFile >> endobj', 'pdf_embedded_files'],
    ['embedded files without their optional type', '7 0 obj << /Type /Filespec /EF << /F 8 0 R >> >> endobj', 'pdf_embedded_files'],
    ['an XFA form', '7 0 obj << /XFA 8 0 R >> endobj', 'pdf_xfa_form'],
  ])('F12: %s is refused with a reason of its own', async (_what, objects, reason) =>
    expect(await reasonOf(withObjects(objects))).toBe(reason),
  )

  it('encryption, also if it makes object streams unreadable', async () => {
    expect(await reasonOf(pdf({ trailer: '/Encrypt 8 0 R' }))).toBe('pdf_encrypted')
    const scrambled = '9 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length 5 >>\nstream\nabcde\nendstream\nendobj'
    expect(await reasonOf(pdf({ objects: scrambled, trailer: '/Encrypt 8 0 R' }))).toBe('pdf_encrypted')
  })
})

describe('every object is read', () => {
  it.each([
    ['in a name with escapes', '7 0 obj << /#53 /J#61vaScr#69pt /JS (1) >> endobj'],
    ['in a name given by reference', '7 0 obj << /S 8 0 R >> endobj 8 0 obj /JavaScript endobj'],
    ['in an object stream', objectStream(script)],
    ['in an object stream with a name in escapes', objectStream('<< /S /Java#53cript >>')],
    ['in an object stream whose type is in escapes', objectStream(script, '', { type: '/Type /Obj#53tm' })],
    ['in an object stream without its type', objectStream(script, '', { type: '' })],
    [
      'in an object stream that is not compressed',
      '9 0 obj << /Type /ObjStm /N 1 /First 4 >>\nstream\n7 0 << /S /JavaScript >>\nendstream\nendobj',
    ],
    [
      'in an object that a later revision replaces',
      `7 0 obj ${script} endobj\ntrailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF\n7 0 obj null endobj`,
    ],
    [
      'in an object that comes between two tables',
      `xref\n0 1\n0000000000 65535 f \ntrailer << /Root 1 0 R /XRefStm 9 >>\n7 0 obj ${script} endobj`,
    ],
    [
      'in an object that no table names',
      `xref\n0 1\n0000000000 65535 f \ntrailer << /Root 1 0 R >>\nstartxref\n0\n99 0 obj ${script} endobj`,
    ],
    ['in an object without its end', `7 0 obj ${script} 8 0 obj null endobj`],
    ['in the trailer', `trailer << /Root 1 0 R /OpenAction ${script} >>`],
    ['behind a line of garbage', `\x80\x81garbage\n7 0 obj ${script} endobj`],
  ])('F21: JavaScript is found %s', async (_where, objects) => expect(await reasonOf(withObjects(objects))).toBe('pdf_javascript'))

  it.each(['/Z ( obj)', '/Z ( obj) /Y (endstream)', '% obj\n', '% stream\n', '/Z <6f626a>', '/Z [( obj) (1 0 o)]'])(
    'in an object stream whose dictionary has %j in it',
    async (entries) => expect(await reasonOf(withObjects(objectStream(script, entries)))).toBe('pdf_javascript'),
  )
})

describe('ambiguity', () => {
  it.each([
    ['an object inside a stream', `7 0 obj << /Length 60 >>\nstream\n8 0 obj ${script} endobj      \nendstream endobj`],
    ['an object inside a string', `7 0 obj (8 0 obj << /A 1 >> endobj) endobj`],
    ['an object inside a comment', `% 8 0 obj << /A 1 >> endobj\n`],
    ['an object header split by a comment, inside a stream', '7 0 obj << >>\nstream\n8 0 %\nobj << /A 1 >>\nendstream endobj'],
    ['an object header split by two comments', '8 % one\n% two\n 0 obj << /A 1 >> endobj'],
    ['two entries of one name', '7 0 obj << /S /URI /S /GoTo >> endobj'],
    [
      'an object stream behind two filters',
      objectStream('<< /A 1 >>').toString('latin1').replace('/FlateDecode', '[/ASCIIHexDecode /FlateDecode]'),
    ],
    ['an object stream behind LZW', '9 0 obj << /Type /ObjStm /N 1 /First 4 /Filter /LZWDecode >>\nstream\nx\nendstream endobj'],
    ['an object stream with a predictor', objectStream('<< /A 1 >>', '/DecodeParms << /Predictor 12 >>')],
    [
      'an object stream that is cut off',
      objectStream('<< /A 1 >>')
        .toString('latin1')
        .replace(/.{6}\nendstream/s, '\nendstream'),
    ],
    ['an object stream whose numbers lie', objectStream('<< /A 1 >>').toString('latin1').replace('/N 1', '/N 5')],
    ['an object stream whose numbers are elsewhere', objectStream('<< /A 1 >>').toString('latin1').replace('/N 1', '/N 8 0 R')],
    ['a stream inside an object stream', objectStream('<< /Length 1 >>\nstream\nx\nendstream')],
    ['brackets nested past all sense', `7 0 obj ${'['.repeat(50_000)} endobj`],
    ['a dictionary without an end', '7 0 obj << /A [1 2'],
  ])('F22: a PDF with %s is refused, because readers could disagree on it', async (_what, objects) =>
    expect(await reasonOf(withObjects(typeof objects === 'string' ? Buffer.from(objects, 'latin1') : objects))).toBe('pdf_unreadable_part'),
  )
})

describe('a PDF is stored', () => {
  it.each([
    [
      'with links and text that only speak of scripts',
      '7 0 obj << /S /URI /URI (https://example.com/JavaScript/Launch) /T (EmbeddedFile) >> endobj',
    ],
    ['with comments and names of other kinds', '% JavaScript\n7 0 obj << /Type /Font /BaseFont /LaunchSans /JS2 1 >> endobj'],
    ['with object streams', objectStream('<< /Type /Font >>')],
    ['with several revisions', '7 0 obj 1 endobj\ntrailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF\n7 0 obj 2 endobj'],
    [
      'with streams of any bytes',
      Buffer.concat([
        Buffer.from('7 0 obj << /Length 256 >>\nstream\n'),
        Buffer.from(Array.from({ length: 256 }, (_, n) => n)),
        Buffer.from('\nendstream endobj'),
      ]),
    ],
    ['whose stream has its length elsewhere', '7 0 obj << /Length 8 0 R >>\nstream\nBT ET\nendstream endobj\n8 0 obj 5 endobj'],
  ])('%s', async (_what, objects) => expect(await reasonOf(withObjects(objects))).toBe('accepted'))

  it('whose object streams end in a byte that looks like a line end', async () => {
    let found = 0
    for (let filler = 0; found < 3; filler += 1) {
      const packed = deflateSync(Buffer.from(`7 0 << /A ${filler} >>`))
      if (packed.at(-1) !== 0x0a && packed.at(-1) !== 0x0d) continue
      found += 1
      const part = Buffer.concat([
        Buffer.from('9 0 obj << /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length 8 0 R >>\nstream\n'),
        packed,
      ])
      for (const end of ['endstream endobj', '\nendstream endobj', '\r\nendstream endobj'])
        expect([filler, end, await reasonOf(withObjects(Buffer.concat([part, Buffer.from(end)])))]).toEqual([filler, end, 'accepted'])
    }
  })
})

it('an incomplete PDF is damaged, and one that unpacks to far more than its size is refused', async () => {
  for (const bytes of [
    '%PDF-1.7',
    '%PDF-1.7 startxref %%EOF',
    'x%PDF-1.7 1 0 obj startxref %%EOF',
    '%PDF-3.0 1 0 obj endobj startxref %%EOF',
  ])
    expect([bytes, await reasonOf(Buffer.from(bytes))]).toEqual([bytes, 'pdf_damaged'])
  expect(await reasonOf(pdf({ trailing: '<script>' }))).toBe('pdf_trailing_bytes')
  expect(await reasonOf(withObjects(objectStream('0'.repeat(70_000_000))))).toBe('pdf_unpacks_too_large')
})
