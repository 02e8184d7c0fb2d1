import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DocumentCircumstances, DocumentContentType } from './documents.ts'
import { declaredContentType, fitsQuota, generatedDocumentTypes, hasMatchingExtension, refuseDocument, safeFilename } from './documents.ts'

describe('the types of file that may be uploaded (spec §5)', () => {
  it.each([
    ['application/pdf', 'application/pdf'],
    ['image/bmp', 'image/bmp'],
    ['image/jpeg', 'image/jpeg'],
    ['image/png', 'image/png'],
    ['image/webp', 'image/webp'],
    // As browsers and scanners name the same types.
    ['application/x-pdf', 'application/pdf'],
    ['image/jpg', 'image/jpeg'],
    ['image/pjpeg', 'image/jpeg'],
    ['image/x-ms-bmp', 'image/bmp'],
    ['image/x-bmp', 'image/bmp'],
    // With a parameter, spaces and capitals, which mean nothing (RFC 9110 §8.3.1).
    [' Image/JPG ; q=1; a=b', 'image/jpeg'],
  ])('%j is %s', (declared, type) => {
    expect(declaredContentType(declared)).toBe(type)
  })

  it.each(['', 'text/html', 'image/svg+xml', 'image/gif', 'pdf', 'toString', 'constructor;q=1', '__proto__'])('%j is none', (declared) => {
    expect(declaredContentType(declared)).toBeNull()
  })

  it.each<[string, DocumentContentType, boolean]>([
    ['marks.pdf', 'application/pdf', true],
    ['marks.PDF ', 'application/pdf', true],
    ['marks', 'application/pdf', true],
    ['marks.', 'application/pdf', true],
    ['Marksheet Dr. Rao', 'application/pdf', true],
    ['marks.exe\u200b\u200b\u200b', 'application/pdf', false],
    ['marks.exe. ', 'application/pdf', false],
    ['marks.pdf.exe', 'application/pdf', false],
    ['marks.exe.pdf', 'application/pdf', true],
    ['scan.dib', 'image/bmp', true],
    ['scan.bmp', 'image/bmp', true],
    ['scan.jpg', 'image/jpeg', true],
    ['scan.jpeg', 'image/jpeg', true],
    ['scan.jpe', 'image/jpeg', true],
    ['scan.jfif', 'image/jpeg', true],
    ['scan.png', 'image/png', true],
    ['scan.webp', 'image/webp', true],
    ['scan.jpg', 'image/png', false],
  ])('the name %j fits %s: %s', (filename, type, expected) => {
    expect(hasMatchingExtension(filename, type)).toBe(expected)
  })
})

describe('a file’s name as it is kept and shown', () => {
  it.each([
    ['marks.pdf', 'marks.pdf'],
    ['marks', 'marks.pdf'],
    ['', 'document.pdf'],
    ['.pdf', 'document.pdf'],
    ['...', 'document.pdf'],
    // Folders of any system are cut off.
    ['C:\\papers\\marks.pdf', 'marks.pdf'],
    ['../../etc/passwd', 'passwd.pdf'],
    // What turns writing around, and what cannot be seen, is removed: "fdp.exe" may not read
    // "exe.pdf".
    ['marks\u202efdp.exe', 'marksfdp.exe'],
    ['ma\u0000rks\u0007.pdf', 'marks.pdf'],
    ['marks\ud800.pdf', 'marks\ufffd.pdf'],
    ['a<b>c:d"e|f?g*h.pdf', 'a_b_c_d_e_f_g_h.pdf'],
    ['my   marks\u00a0\u00a0here.pdf', 'my marks here.pdf'],
    ['marks.pdf. . ', 'marks.pdf'],
    ['. .marks.pdf', 'marks.pdf'],
    ['marks .pdf', 'marks.pdf'],
    // An ending is up to five characters without a space; what is longer is part of the name.
    ['marks.final version', 'marks.final version.pdf'],
    ['marks.abcde', 'marks.abcde'],
    ['marks.abcdef', 'marks.abcdef.pdf'],
    ['a.b.pdf', 'a.b.pdf'],
    // Composed, so that one name is one text (Unicode NFC).
    ['re\u0301sume\u0301.pdf', 'r\u00e9sum\u00e9.pdf'],
    ['अंकपत्र.pdf', 'अंकपत्र.pdf'],
  ])('%j is kept as %j', (given, kept) => {
    expect(safeFilename(given, 'application/pdf')).toBe(kept)
  })

  it('gets the usual ending of its type, and is cut to 150 characters before it', () => {
    expect(safeFilename('scan', 'image/jpeg')).toBe('scan.jpg')
    expect(safeFilename('scan', 'image/bmp')).toBe('scan.bmp')
    expect(safeFilename(`${'a'.repeat(150)}.pdf`, 'application/pdf')).toBe(`${'a'.repeat(150)}.pdf`)
    expect(safeFilename(`${'a'.repeat(151)}.pdf`, 'application/pdf')).toBe(`${'a'.repeat(150)}.pdf`)
    expect(safeFilename(`${'a'.repeat(149)} bcd.pdf`, 'application/pdf')).toBe(`${'a'.repeat(149)}.pdf`)
    // Characters of two halves are not cut in two.
    expect(safeFilename(`${'🎓'.repeat(160)}.pdf`, 'application/pdf')).toBe(`${'🎓'.repeat(150)}.pdf`)
  })

  it('is short, visible, without a folder, and stays as it is when it is kept again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (given) => {
        const kept = safeFilename(given, 'application/pdf')
        expect(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}/\\<>:"|?*]/u.test(kept)).toBe(false)
        expect([...kept].length).toBeLessThanOrEqual(156)
        expect(/^[^. ].*\.[^. ]{1,5}$/u.test(kept)).toBe(true)
      }),
      { seed: 20_261_120, numRuns: 300 },
    )
  })
})

describe('the documents of a loan (spec §5, decision 41)', () => {
  const refusals = (loan: DocumentCircumstances) => generatedDocumentTypes.map((type) => refuseDocument(type, loan))

  it('the two letters are not issued here, a certificate of closing only of a CLOSED loan', () => {
    expect(refusals({ status: 'CLOSED', canBePaidOff: true, hasSchedule: true })).toEqual([
      'not_issued',
      'not_issued',
      null,
      null,
      null,
      null,
      null,
      null,
    ])
    expect(
      (['ACTIVE', 'OVERDUE', 'UNKNOWN'] as const).map((status) =>
        refuseDocument('loan_closure_certificate', { status, canBePaidOff: true, hasSchedule: true }),
      ),
    ).toEqual(['loan_not_closed', 'loan_not_closed', 'loan_not_closed'])
  })

  it('a payoff letter needs a loan that can be paid off, a schedule one that has rows', () => {
    expect(refusals({ status: 'ACTIVE', canBePaidOff: false, hasSchedule: false })).toEqual([
      'not_issued',
      'not_issued',
      null,
      'loan_not_closed',
      null,
      'no_schedule',
      'nothing_to_pay_off',
      null,
    ])
  })

  it.each(['payoff_letter', 'interest_certificate'] as const)(
    'of a loan that is checked, no %s: what is owed and paid is not known',
    (type) => {
      expect(refuseDocument(type, { status: 'UNKNOWN', canBePaidOff: false, hasSchedule: true })).toBe('loan_unknown')
    },
  )
})

describe('what may be uploaded to one loan in all', () => {
  it('counts files and bytes up to both limits', () => {
    const quota = { countMax: 3, bytesMax: 100 }
    expect(fitsQuota(quota, { count: 2, bytes: 60 }, 40)).toBe(true)
    expect(fitsQuota(quota, { count: 2, bytes: 60 }, 41)).toBe(false)
    expect(fitsQuota(quota, { count: 3, bytes: 0 }, 1)).toBe(false)
  })
})
