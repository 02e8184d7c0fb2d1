import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { amountInWords } from '#domain/amount-in-words.ts'
import { addDays, dayInIndia, toDay } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { readReceiptNumber } from '#server/ledger/receipt-store.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { reversePayment } from '#server/loan-changes/reverse-payment.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { fetchFile } from './files.testing.ts'
import { dayText } from '#domain/written-figures.ts'
import { readPdf, type PdfText } from './pdf-text.testing.ts'
import { principalAfter } from './receipt.ts'
import { readStatementTransactions } from './statement-store.ts'
import { chargeText } from './content/document-source.ts'
import { en } from './content/words-en.ts'
import { hi } from './content/words-hi.ts'

let app: App
let token: string
let loan: { lan: string; principal_outstanding: number }
/** A payment by a link, as the portal returns it. */
let link: { payment_link_id: string; payment_id: string; amount: number; bank_reference: string; paid_at: string }
let receiptNumber: string

type Wire = Record<string, unknown>
const readLoan = async () => ((await app.get('/portal/loans-summary', token)).body['loans'] as (typeof loan)[])[0] as typeof loan

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now: new Date('2026-11-20T05:12:00Z') })
  token = await app.signIn(demoPhone(5))
  loan = await readLoan()
  const id = await openLink(app, token, { lan: loan.lan, purpose: 'OVERDUE' })
  await payLink(app, id)
  const completed = async () =>
    ((await app.get(`/portal/completed-payments?application_id=${loan.lan}`, token)).body['payment_links'] as (typeof link)[])[0]
  link = await until(async () => {
    const newest = await completed()
    return newest?.payment_link_id === id ? newest : null
  })
  loan = await readLoan()
  receiptNumber = `${loan.lan}-R15`
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

const generate = (number: string, language = 'en', lan = loan.lan) =>
  app.get(`/portal/generate-document?lead_id=${lan}&doc_type=payment_receipt&receipt_number=${number}&language=${language}`, token)
async function read(number: string, language = 'en'): Promise<PdfText & { code: string }> {
  const { status, body } = await generate(number, language)
  expect(status).toBe(200)
  const { pathname, search } = new URL(String(body['doc_url']))
  const bytes = new Uint8Array(await (await fetchFile(app, pathname + search)).arrayBuffer())
  const keep = process.env['KIST_KEEP_PAPERS']
  if (keep) writeFileSync(`${keep}/receipt-${number}-${language}.pdf`, bytes)
  return { ...(await readPdf(bytes)), code: String(body['verification_code']) }
}
const rupees = (amount: unknown) => `₹${new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2 }).format(Number(amount))}`
const inLedger = <T>(work: (loan: LoanTransaction) => Promise<T>): Promise<T> =>
  app.database.asSystem(async (sql) => {
    const { borrower_id, loan_id } = await sql.selectFrom('loan_numbers').selectAll().where('lan', '=', loan.lan).executeTakeFirstOrThrow()
    return work({ sql, own: await lockOwnLoan(sql, borrower_id, loan_id), now: app.clock.now(), actorId: 'operator' })
  })
const record = (reference: string, amount: number, daysAgo: number, purpose: 'FORECLOSURE' | null = null) =>
  inLedger(async (loan) => {
    const { own, sql } = loan
    const date = addDays(dayInIndia(app.clock.now()), -daysAgo)
    const payment = { mode: 'neft', reference, amountPaise: rupeesToPaise(amount), date, purpose } as const
    const { paymentId } = await recordPayment(loan, payment)
    return readReceiptNumber(sql, own.loan, paymentId)
  })

describe('a receipt', () => {
  it('is issued with the posting, once, and numbered within the loan', async () => {
    const rows = await app.database.asSystem((sql) =>
      sql
        .selectFrom('receipts')
        .innerJoin('loans', (join) =>
          join.onRef('loans.borrower_id', '=', 'receipts.borrower_id').onRef('loans.loan_id', '=', 'receipts.loan_id'),
        )
        .select(['lan', 'sequence', 'receipt_number', 'bank_reference'])
        .where('lan', '=', loan.lan)
        .orderBy('sequence')
        .execute(),
    )
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual(Array.from({ length: 15 }, (_, index) => index + 1))
    expect(rows.at(-1)).toMatchObject({ receipt_number: receiptNumber, bank_reference: link.bank_reference })
  })

  it.each(['en', 'hi'])('in %s matches the API', async (language) => {
    const { text, pages, title, language: pdfLanguage, isTagged } = await read(receiptNumber, language)
    expect([pages, isTagged, pdfLanguage.slice(0, 2)]).toEqual([1, true, language])
    expect(title).toBe(language === 'hi' ? 'भुगतान रसीद' : 'Payment receipt')
    for (const figure of [
      receiptNumber,
      loan.lan,
      link.bank_reference,
      link.payment_link_id,
      link.payment_id,
      rupees(link.amount),
      rupees(loan.principal_outstanding),
      'suXXXX@razorpay',
      'Meghdoot Education Finance Ltd',
      '14 Residency Road, Bengaluru 560025, Karnataka',
      'Esha Kulkarni',
    ])
      expect(text).toContain(figure)
    expect(text).not.toContain('success@razorpay')
    expect(text).not.toMatch(/NaN|undefined|null|\{\w+\}/)
  })

  it('shows the amount in words, the time in India, and every settled instalment and charge', async () => {
    const { text } = await read(receiptNumber)
    expect(text).toContain(amountInWords(rupeesToPaise(link.amount), 'en'))
    const paidAt = new Date(new Date(link.paid_at).getTime() + 5.5 * 3_600_000).toISOString()
    expect(text).toContain(`${dayText(dayInIndia(new Date(link.paid_at)), 'en')}, ${paidAt.slice(11, 16)} IST`)
    const trail = (await app.get(`/portal/payments/${link.payment_link_id}/trail`, token)).body as { steps: Wire[] }
    const applied = trail.steps.find(({ step }) => step === 'applied')?.['allocation'] as Wire[]
    expect(applied.length).toBeGreaterThan(2)
    for (const part of applied) expect(text).toContain(rupees(part['amount']))
    expect(text).toContain('Late charge')
    expect(text).toMatch(/Interest of instalment 15, due \d\d \w{3} 2026/)
  })

  it('is the same file with the same code on a later day', async () => {
    const first = await read(receiptNumber)
    await app.clock.advance(2 * 86_400_000)
    token = await app.signIn(demoPhone(5))
    const later = await read(receiptNumber)
    expect(later.code).toBe(first.code)
    // First printed on that day: its code names the day that is printed on it, as every other does.
    const hindi = await read(receiptNumber, 'hi')
    const [issuedOn = ''] = /\d\d Nov 2026/.exec(later.text.slice(later.text.indexOf('Issued on'))) ?? []
    for (const { code } of [later, hindi]) {
      const { issued_on } = (await app.get(`/documents/verify?code=${code}`)).body
      expect(dayText(toDay(String(issued_on)), 'en')).toBe(issuedOn)
      expect(issued_on).not.toBe(dayInIndia(app.clock.now()))
    }
    expect((await generate(receiptNumber)).body['filename']).toBe(`Payment_receipt_${receiptNumber}.pdf`)
  })

  it('of money received outside the provider shows its value date and reference', async () => {
    const number = await record('UTRN2026112000001', 700.5, 0)
    expect(number).toBe(`${loan.lan}-R16`)
    const { text } = await read(number)
    expect(text).toMatch(/Value date 22 Nov 2026/)
    expect(text).toContain('UTRN2026112000001')
    expect(text).toContain('NEFT')
    expect(text).toContain('Seven hundred rupees and fifty paise only')
  })
})

describe('a receipt whose payment was', () => {
  it('reallocated shows the current allocation besides the first one', async () => {
    const before = await read(receiptNumber)
    // The payment was in time for the oldest instalment, but is recorded only now.
    await record('UTRN2026112000002', 3_000, 60)
    const { text, code } = await read(receiptNumber)
    expect(code).not.toBe(before.code)
    expect(text).toContain('Reallocated on 22 Nov 2026')
    expect(text.match(/Amount received ₹/g)).toHaveLength(2)
  })

  it('reversed shows that it is cancelled, and so does its code, also the one printed before', async () => {
    const { code } = await read(receiptNumber)
    expect((await app.get(`/documents/verify?code=${code}`)).body).toMatchObject({
      doc_type: 'payment_receipt',
      amount: link.amount,
      cancelled_on: null,
    })
    const printed = await read(`${loan.lan}-R16`)
    await inLedger((loan) => reversePayment(loan, 'neft', 'UTRN2026112000001'))
    const other = await read(`${loan.lan}-R16`)
    expect(other.title).toBe('Payment receipt (cancelled)')
    expect(other.text).toContain('CANCELLED on 22 Nov 2026')
    for (const each of [printed.code, other.code])
      expect((await app.get(`/documents/verify?code=${each}`)).body).toMatchObject({ cancelled_on: '2026-11-22', lan_ending: '7790' })
    expect(printed.code).not.toBe(other.code)
    // The other receipt stays valid.
    expect((await app.get(`/documents/verify?code=${code}`)).body).toMatchObject({ cancelled_on: null })
    const hindi = await read(`${loan.lan}-R16`, 'hi')
    expect(hindi.title).toBe('भुगतान रसीद (रद्द)')
  })

  it('recorded again after its reversal has the same reference on the new receipt', async () => {
    const { text } = await read(await record('UTRN2026112000001', 700.5, 0))
    expect(text).toContain('UTRN2026112000001')
    expect(text).not.toContain('#')
  })
})

describe('a receipt of what is paid above a debt', () => {
  it('says that it is an advance, and after the loan was closed by it, that it is refunded', async () => {
    const advance = 'Advance, kept for the next amount due'
    const closing = await read(await record('UTRN2026112000003', 20_00_000, 0, 'FORECLOSURE'))
    expect(closing.text).toContain('Paid above what closed the loan, refunded to you')
    expect(closing.text).not.toContain(advance)
    // Of the payments before, those that left an advance say so as before.
    const { text } = await read(`${loan.lan}-R16`)
    expect(text).not.toContain('Paid above what closed the loan')
  })

  it('names the tax on any charge as GST', () => {
    const names = ['LATE_PAYMENT_CHARGE_TAX', 'PREPAYMENT_CHARGE_TAX', 'LEGAL_FEE_TAX', 'LEGAL_FEE']
    expect(names.map((type) => chargeText(en, type))).toEqual([
      'GST on late charge',
      'GST on prepayment charge',
      'GST on charge: legal fee',
      'Charge: legal fee',
    ])
    expect(chargeText(hi, 'BOUNCE_CHARGE_TAX')).toBe('बाउंस शुल्क पर जीएसटी')
  })
})

describe('the principal after a payment that is recorded after later ones', () => {
  it.each(['OVERDUE', 'PART_PAYMENT__REDUCE_TENOR'] as const)('counts it once, beside %s', async (purpose) => {
    const now = app.clock.now()
    await addProduct(app.database, now, 'plain', { ...educationLoan, late_charge: null })
    const lan = `KST-98-${purpose.length}`
    const phone = `+91987990${String(purpose.length).padStart(4, '0')}`
    const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Meera', lastName: 'Joshi' })
    const { loanId } = await addLoan(app.database, now, borrowerId, {
      lan,
      title: 'B.Sc. in physics',
      product: 'plain',
      sanctionedRupees: 120_000,
      disbursals: [{ date: toDay('2026-01-05'), rupees: 120_000 }],
      annualRatePercent: 12,
      instalments: 12,
      firstDueDate: toDay('2026-02-05'),
    })
    const pay = (reference: string, rupeesPaid: number, on: string, recordedAt: string, of: PaymentPurpose | null) =>
      withLockedLoan(app.database, { borrowerId, loanId }, new Date(recordedAt), async (locked) => {
        const payment = { mode: 'neft', reference, amountPaise: rupeesToPaise(rupeesPaid), date: toDay(on), purpose: of } as const
        await recordPayment(locked, payment)
        return loanStateDuring((await lockOwnLoan(locked.sql, borrowerId, loanId)).facts, dayInIndia(locked.now))
      })
    await pay(`${lan}-A`, 60_000, '2026-03-06', '2026-03-06T06:30:00Z', purpose)
    const { principalOutstandingPaise } = await pay(`${lan}-B`, 21_324, '2026-02-10', '2026-03-10T06:30:00Z', null)
    const principal = await app.database.asSystem(async (sql) => {
      const { loan: row } = await lockOwnLoan(sql, borrowerId, loanId)
      const ledger = await readStatementTransactions(sql, row)
      const payment = ledger.find(({ sourceId }) => sourceId === `${lan}-B`)
      return payment && principalAfter(ledger, payment)
    })
    expect(principal).toBe(principalOutstandingPaise)
  })
})

describe('4xx', () => {
  it('a receipt without its number is 400', async () => {
    const answer = await app.get(`/portal/generate-document?lead_id=${loan.lan}&doc_type=payment_receipt`, token)
    expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidRequest', field: 'receipt_number' } })
  })
  it("another loan's, another person's and a missing receipt are the same 404", async () => {
    for (const number of ['KST-24-004173-R1', `${loan.lan}-R999`, 'KST-21-000317-R1', 'x'])
      expect((await generate(number)).status).toBe(404)
  })
})
