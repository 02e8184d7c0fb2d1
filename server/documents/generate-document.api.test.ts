import { writeFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayNumber, financialYear, dayInIndia, toDay } from '#domain/calendar.ts'
import { dayText } from '#domain/written-figures.ts'
import { educationLoan } from '#testkit/builders.ts'
import { rupeesToPaise, zeroPaise, type Paise } from '#domain/money.ts'
import { addCharges } from '#server/loan-changes/add-charge.ts'
import { reversePayment } from '#server/loan-changes/reverse-payment.ts'
import { waiveCharge } from '#server/loan-changes/waive-charge.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { reviewDispute } from '#server/payments/review-dispute.ts'
import { closeReview, lostEvent } from '#server/payments/review-store.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { noon, startApp, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { fetchFile } from './files.testing.ts'
import { readPdf, readQrCode, type PdfText } from './pdf-text.testing.ts'

let app: App
const tokens = new Map<number, string>()

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now: noon })
  for (const number of [1, 2, 4, 5]) tokens.set(number, await app.signIn(demoPhone(number)))
})
afterAll(() => app.close())

type Wire = Record<string, unknown>
const tokenOf = (number: number) => tokens.get(number) ?? ''
const loanOf = async (number: number, which = 0) =>
  ((await app.get('/portal/loans-summary', tokenOf(number))).body['loans'] as Wire[])[which] as Wire
const generate = async (number: number, docType: string, more = '', which = 0) => {
  const { lan } = await loanOf(number, which)
  return app.get(`/portal/generate-document?lead_id=${String(lan)}&doc_type=${docType}${more}`, tokenOf(number))
}
const pathOf = (docUrl: unknown) => {
  const { pathname, search } = new URL(String(docUrl))
  return pathname + search
}
const read = async (number: number, docType: string, more = '', which = 0): Promise<PdfText> => {
  const { body } = await generate(number, docType, more, which)
  const bytes = new Uint8Array(await (await fetchFile(app, pathOf(body['doc_url']))).arrayBuffer())
  const keep = process.env['KIST_KEEP_PAPERS']
  if (keep) writeFileSync(`${keep}/${docType}${more.replaceAll(/[^a-z0-9]+/gi, '-')}-${number}.pdf`, bytes)
  return readPdf(bytes)
}
const rupees = (amount: unknown) => `₹${new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2 }).format(Number(amount))}`

describe('200', () => {
  it('returns an absolute address that needs no header, and the file name', async () => {
    const { status, body } = await generate(1, 'statement_of_account')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        doc_url: expect.stringMatching(/^http:\/\/(localhost|127\.0\.0\.1):\d+\/api\/v1\//),
        filename: `Statement_of_account_${dayInIndia(app.clock.now())}.pdf`,
      },
    })
    const response = await fetchFile(app, pathOf(body['doc_url']))
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename=${String(body['filename'])}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
    })
  })

  it.each(['en', 'hi'])('statement of account in %s: every posting, balances and totals as the API has them', async (language) => {
    const loan = await loanOf(1)
    const pdf = await read(1, 'statement_of_account', `&language=${language}`)
    expect(pdf).toMatchObject({ title: language === 'hi' ? 'खाता विवरण' : 'Statement of account', isTagged: true })
    expect(pdf.language.slice(0, 2)).toBe(language)
    const { text } = pdf
    for (const amount of [
      loan['sanctioned_amount'],
      loan['disbursed_amount'],
      loan['emi_amount'],
      loan['principal_outstanding'],
      loan['principal_paid'],
      loan['interest_paid'],
    ])
      expect(text).toContain(rupees(amount))
    const { payment_links: links } = (await app.get(`/portal/completed-payments?application_id=${String(loan['lan'])}`, tokenOf(1)))
      .body as { payment_links: Wire[] }
    expect(links.length).toBe(20)
    for (const link of links) {
      expect(text).toContain(String(link['bank_reference']))
      expect(text).toContain(rupees(link['amount']))
    }
    if (language === 'en') expect(text).toContain('Opening balance')
    expect(text).not.toMatch(/NaN|undefined|null|\{\w+\}/)
  })

  it('a period starts with the balance before it', async () => {
    const loan = await loanOf(1)
    const { repayment_schedule: rows } = (await app.get(`/portal/repayment-schedule?lead_id=${String(loan['lan'])}`, tokenOf(1))).body as {
      repayment_schedule: Wire[]
    }
    const [, second, third] = rows as { due_date: string; closing_balance: number }[]
    const { text } = await read(1, 'statement_of_account', `&from=${second?.due_date}&to=${third?.due_date}`)
    expect(text).toMatch(new RegExp(`Opening balance\\s+${rupees(second?.closing_balance)}`))
    expect(text).toMatch(new RegExp(`Closing balance\\s+${rupees(third?.closing_balance)}`))
  })

  it('an overdue loan shows its days, dues and charges', async () => {
    const loan = await loanOf(5)
    const { text } = await read(5, 'statement_of_account')
    expect(text).toContain(rupees(loan['dues']))
    const lastEnded = addDays(dayInIndia(app.clock.now()), -1)
    const counted = `45 days, up to the end of ${dayText(lastEnded, 'en')}`
    expect(text).toMatch(new RegExp(counted.replaceAll(' ', '\\s+')))
    expect(dayNumber(lastEnded) - dayNumber(toDay(String(loan['due_date']))) + 1).toBe(45)
    // Late charges that the ledger lacks are named, but not for a period that ended before.
    const { allowed_payments: allowed } = (await app.get(`/portal/repayment-schedule?lead_id=${String(loan['lan'])}`, tokenOf(5))).body as {
      allowed_payments: { overdue_payment: { parts: { charges: number; tax: number } } }
    }
    const { charges, tax } = allowed.overdue_payment.parts
    expect(charges + tax).toBeGreaterThan(0)
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`Further charges of ${rupees(charges + tax)} have arisen by`)
    expect((await read(5, 'statement_of_account', `&to=${lastEnded}`)).text).not.toContain('Further charges of')
  })

  it.each(['en', 'hi'])('repayment schedule in %s: every row as the API has it', async (language) => {
    const loan = await loanOf(1)
    const { repayment_schedule: rows } = (await app.get(`/portal/repayment-schedule?lead_id=${String(loan['lan'])}`, tokenOf(1))).body as {
      repayment_schedule: Wire[]
    }
    const { text, pages } = await read(1, 'repayment_schedule', `&language=${language}`)
    expect(pages).toBeGreaterThan(1)
    for (const row of rows)
      for (const field of ['repayment_amount', 'principal_amount', 'interest_amount', 'closing_balance'])
        expect(text).toContain(rupees(row[field]))
    const total = rows.reduce((sum, row) => sum + Math.round(Number(row['interest_amount']) * 100), 0)
    expect(text).toContain(rupees(total / 100))
  })

  it.each(['en', 'hi'])('closure certificate in %s of a closed loan', async (language) => {
    const loan = await loanOf(4)
    const { text, pages } = await read(4, 'loan_closure_certificate', `&language=${language}`)
    expect(pages).toBe(1)
    for (const amount of [loan['sanctioned_amount'], loan['principal_paid'], loan['interest_paid']]) expect(text).toContain(rupees(amount))
    expect(text).toContain('Dev Mukherjee')
    expect(text).toContain('₹5,000')
  })

  it('closure certificate: closed on the day that the loan page shows', async () => {
    const { text } = await read(4, 'loan_closure_certificate', '&language=en')
    const day = dayText(toDay(String((await loanOf(4))['closed_on'])), 'en')
    expect(text).toMatch(new RegExp(`Closed on\\s+${day}`))
  })

  it.each(['en', 'hi'])('payoff letter in %s: the offered amount by its parts, and its validity', async (language) => {
    const loan = await loanOf(1)
    const { allowed_payments: allowed } = (await app.get(`/portal/repayment-schedule?lead_id=${String(loan['lan'])}`, tokenOf(1))).body as {
      allowed_payments: { foreclosure_payment: { amount: number; parts: Record<string, number> } }
    }
    const { text } = await read(1, 'payoff_letter', `&language=${language}`)
    const { amount, parts } = allowed.foreclosure_payment
    for (const figure of [amount, parts['principal'], parts['interest']]) expect(text).toContain(rupees(figure))
    expect(text).toContain(language === 'en' ? '23:59' : '11:59')
    // The demo lender's account.
    for (const figure of ['50200012345678', 'MEGH0000001']) expect(text).toContain(figure)
  })

  it('payoff letter while a payment is under way: names it, so that nothing is paid twice', async () => {
    const { lan } = await loanOf(1)
    const { body } = await app.get(`/portal/repayment-schedule?lead_id=${String(lan)}`, tokenOf(1))
    const { amount } = (body['allowed_payments'] as { next_emi_payment: { amount: number } }).next_emi_payment
    const started = async () =>
      /A payment of (\S+) has been started/.exec((await read(1, 'payoff_letter')).text.replaceAll(/\s+/g, ' '))?.[1]
    expect(await started()).toBeUndefined()
    const callback_url = 'http://localhost:3000/payments/waiting-for-payment'
    const order = { amount, lead_id: lan, application_id: lan, purpose: 'PAY_EMI', callback_url }
    const start = async () => String((await app.post('/portal/payment-link', order, tokenOf(1))).body['payment_link_id'])
    const cancel = (link: string) => app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, tokenOf(1))
    const link = await start()
    expect(await started()).toBe(rupees(amount))
    expect((await cancel(link)).status).toBe(200)
    expect(await started()).toBeUndefined()
    // The cancelled link was paid late, which is not posted yet; then another link is made.
    const receiveLate = (amount_paid_paise: Paise) =>
      app.database.asSystem((sql) =>
        sql.updateTable('payment_links').set({ amount_paid_paise }).where('payment_link_id', '=', link).execute(),
      )
    await receiveLate(rupeesToPaise(250))
    expect(await started()).toBe(rupees(250))
    const newer = await start()
    expect(await started()).toBe(rupees(amount + 250))
    expect((await cancel(newer)).status).toBe(200)
    await receiveLate(zeroPaise)
    expect(await started()).toBeUndefined()
  })

  it('interest certificates of all years add up to the interest paid, and name the law of their year', async () => {
    const loan = await loanOf(1)
    const today = dayInIndia(app.clock.now())
    // The demo data is relative to today, so its payments are in this financial year and earlier
    // ones.
    const years = [3, 2, 1, 0].map((yearsAgo) => financialYear(addMonths(today, -12 * yearsAgo)))
    let sum = 0
    for (const year of years) {
      const { text } = await read(1, 'interest_certificate', `&financial_year=${year}`)
      const lines = text.replaceAll(/\s+/g, ' ')
      expect(lines).toContain(year >= '2026-27' ? 'section 129 of the Income-tax Act, 2025' : 'section 80E of the Income-tax Act, 1961')
      const [, , interest = '0'] = /Total for the year ₹([\d,.]+) ₹([\d,.]+)/.exec(text) ?? []
      sum += Math.round(Number(interest.replaceAll(',', '')) * 100)
    }
    expect(sum).toBe(Math.round(Number(loan['interest_paid']) * 100))
    const { text, title } = await read(1, 'interest_certificate', `&language=hi`)
    expect(title).toBe('ब्याज प्रमाण पत्र')
    expect(text).toMatch(/129[^]*2025|2025[^]*129/)
    expect(text).not.toContain('AKRPD7301A')
    expect(text).toContain('XXXXXX301A')
  })

  it('an interest certificate of a loan that is not for education names no section', async () => {
    const savePurpose = (purpose: string) =>
      app.database.asSystem((sql) =>
        sql
          .updateTable('loan_products')
          .set({ terms: JSON.stringify({ ...educationLoan, purpose }) })
          .where('product_code', '=', 'education')
          .execute(),
      )
    await savePurpose('other')
    const { text } = await read(1, 'interest_certificate', '')
    await savePurpose('education')
    expect(text).not.toMatch(/section (129|80E)/)
    expect(text).toContain('Total for the year')
  })

  it('is written once for one version of the loan, and again when the loan has changed', async () => {
    const first = (await generate(2, 'statement_of_account')).body
    const again = (await generate(2, 'statement_of_account')).body
    expect(again['verification_code']).toBe(first['verification_code'])
    const count = async () => app.database.asSystem((sql) => sql.selectFrom('generated_documents').selectAll().execute())
    const before = (await count()).length
    await Promise.all(Array.from({ length: 5 }, () => generate(2, 'statement_of_account')))
    expect((await count()).length).toBe(before)
    await app.database.asSystem((sql) =>
      sql.updateTable('loans').set({ title: 'MBA, 2025 to 2028' }).where('lan', '=', 'KST-25-001208').execute(),
    )
    expect((await generate(2, 'statement_of_account')).body['verification_code']).not.toBe(first['verification_code'])
  })

  it('its code shows kind, day, lender, amount and the end of the loan number, and never a name', async () => {
    // Of last year: on the first day of a year, no interest has been paid in it.
    const lastYear = `&financial_year=${financialYear(addMonths(dayInIndia(app.clock.now()), -12))}`
    const documents = { repayment_schedule: '', statement_of_account: '', interest_certificate: lastYear, payoff_letter: '' }
    const bodies = await Promise.all(
      Object.entries(documents).map(async ([docType, more]) => [docType, (await generate(1, docType, more)).body] as const),
    )
    for (const [docType, body] of [
      ...bodies,
      ['loan_closure_certificate', (await generate(4, 'loan_closure_certificate')).body] as const,
    ]) {
      const code = String(body['verification_code'])
      expect(code).toMatch(/^([0-9A-Z]{4}-){3}[0-9A-Z]{4}$/)
      const known = await app.get(`/documents/verify?code=${code.toLowerCase().replaceAll('-', ' ')}`)
      expect([docType, known.body]).toEqual([
        docType,
        {
          doc_type: docType,
          lender: 'Meghdoot Education Finance Ltd',
          amount: expect.any(Number),
          lan_ending: docType === 'loan_closure_certificate' ? expect.stringMatching(/^\d{4}$/) : '4173',
          issued_on: dayInIndia(app.clock.now()),
          cancelled_on: null,
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ])
      expect(known.body['amount']).toBeGreaterThan(0)
      expect(JSON.stringify(known.body)).not.toMatch(/Ananya|Deshpande|Dev|Mukherjee|KST-24/)
    }
    expect((await app.get('/documents/verify?code=0000-0000-0000-0000')).status).toBe(404)
    expect((await app.get('/documents/verify?code=x')).status).toBe(400)
  })

  it('the QR code on its page leads to the page that verifies it, whatever host the borrower uses', async () => {
    const { body } = await generate(1, 'payoff_letter')
    const bytes = new Uint8Array(await (await fetchFile(app, pathOf(body['doc_url']))).arrayBuffer())
    expect(await readQrCode(bytes)).toBe(`${app.context.config.origins[0]}/verify-document?code=${String(body['verification_code'])}`)
  })

  it('a document that was written before amounts were stored has none', async () => {
    const { body } = await generate(1, 'repayment_schedule', '&language=hi')
    const code = String(body['verification_code'])
    // The portal's own login may not change the row.
    const owner = new pg.Client({ connectionString: app.databaseUrls.superuserUrl })
    await owner.connect()
    await owner.query('update generated_documents set amount_paise = null where code = $1', [code])
    await owner.end()
    expect(await app.get(`/documents/verify?code=${code}`)).toMatchObject({ status: 200, body: { amount: null } })
  })
})

describe('4xx', () => {
  it.each(['sanction_letter', 'loan_agreement'])('the %s is 409', async (docType) => {
    expect(await generate(1, docType)).toMatchObject({ status: 409, body: { code: 'DocumentNotAvailable', refusal: 'not_issued' } })
  })
  it('a closure certificate of a loan that is not closed, and a payoff letter of one that is, are 409', async () => {
    for (const number of [1, 5])
      expect(await generate(number, 'loan_closure_certificate')).toMatchObject({ status: 409, body: { code: 'DocumentNotAvailable' } })
    expect((await generate(4, 'payoff_letter')).status).toBe(409)
  })
  it('an invalid period or year is 400', async () => {
    for (const more of ['&from=2026-02-30', '&from=2026-05-01&to=2026-04-01', '&to=2199-01-01', '&language=fr'])
      expect([more, (await generate(1, 'statement_of_account', more)).status]).toEqual([more, 400])
    for (const year of ['2026-28', '2026', '2098-99'])
      expect((await generate(1, 'interest_certificate', `&financial_year=${year}`)).status).toBe(400)
    expect((await generate(1, 'passport')).status).toBe(400)
  })
  it("another borrower's loan is 404", async () => {
    expect((await app.get('/portal/generate-document?lead_id=KST-25-001208&doc_type=statement_of_account', tokenOf(1))).status).toBe(404)
  })
  it('a changed address, an expired one, and one without an open session are 404', async () => {
    const token = await app.signIn(demoPhone(1))
    const url = pathOf((await app.get('/portal/generate-document?lead_id=LEAD-004173&doc_type=repayment_schedule', token)).body['doc_url'])
    expect((await fetchFile(app, url)).status).toBe(200)
    expect(
      (
        await fetchFile(
          app,
          url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        )
      ).status,
    ).toBe(404)
    for (const broken of ['x', 'x.y', '.', `${url.split('ticket=')[1]}.z`])
      expect((await fetchFile(app, `/portal/generated-document?ticket=${broken}`)).status).toBe(404)
    await app.post('/auth/logout', {}, token)
    expect((await fetchFile(app, url)).status).toBe(404)
    const later = pathOf((await generate(2, 'repayment_schedule')).body['doc_url'])
    await app.clock.advance(5 * 60_000 + 1_000)
    expect((await fetchFile(app, later)).status).toBe(404)
  })
})

it('records who generated a document, and who opened it', async () => {
  const { body } = await generate(5, 'repayment_schedule')
  await fetchFile(app, pathOf(body['doc_url']))
  const lines = await app.database.asSystem((sql) =>
    sql
      .selectFrom('access_log')
      .select(['action', 'actor_id', 'subject_id', 'detail'])
      .where('action', 'in', ['document_generated', 'document_opened'])
      .orderBy('at')
      .orderBy('entry_id')
      .execute(),
  )
  const last = lines.slice(-2)
  expect(last.map(({ action }) => action)).toEqual(['document_generated', 'document_opened'])
  for (const { actor_id, subject_id } of last) expect(actor_id).toBe(subject_id)
})

it('a closure certificate is not valid while a charge or the loss of its money has the loan owe again', async () => {
  const { body } = await generate(4, 'loan_closure_certificate')
  const verify = async () => (await app.get(`/documents/verify?code=${String(body['verification_code'])}`)).body
  const today = () => dayInIndia(app.clock.now())
  const { lan } = await loanOf(4)
  const change = <T>(work: (loan: LoanTransaction) => Promise<T>) =>
    app.database.asSystem(async (sql) => {
      const key = await sql.selectFrom('loan_numbers').selectAll().where('lan', '=', String(lan)).executeTakeFirstOrThrow()
      return work({ sql, own: await lockOwnLoan(sql, key.borrower_id, key.loan_id), now: app.clock.now(), actorId: 'operator' })
    })
  expect(await verify()).toMatchObject({ doc_type: 'loan_closure_certificate', cancelled_on: null })
  // The bank has taken money of it, and nobody has recorded that yet.
  const paid = await change(({ sql, own: { loan } }) =>
    sql.selectFrom('provider_payments').selectAll().where('loan_id', '=', loan.loan_id).executeTakeFirstOrThrow(),
  )
  const lost = { about: 'disp_certificate', event: lostEvent, paymentId: paid.provider_payment_id }
  await change(({ sql }) => reviewDispute(sql, paid, lost, app.clock.now()))
  expect(await generate(4, 'loan_closure_certificate')).toMatchObject({
    status: 409,
    body: { code: 'DocumentNotAvailable', refusal: 'loan_unknown' },
  })
  const review = { borrowerId: paid.borrower_id, kind: 'dispute', about: `${lost.about}:${lostEvent}` } as const
  await change(({ sql }) => closeReview(sql, review, 'the lender bears the loss', app.clock.now()))
  expect((await generate(4, 'loan_closure_certificate')).status).toBe(200)
  // Added in error, and waived on the next day.
  const charge = { chargeId: 'charge:error', date: today(), chargeType: 'VISIT_CHARGE', amountPaise: rupeesToPaise(500), penal: false }
  await change((loan) => addCharges(loan, [charge]))
  expect(await verify()).toMatchObject({ cancelled_on: today() })
  await app.clock.advance(24 * 3_600_000)
  await change((loan) => waiveCharge(loan, charge.chargeId, today()))
  expect(await verify()).toMatchObject({ cancelled_on: null })
  const since = today()
  await change(async (loan) => {
    const { sql, own } = loan
    const posted = await sql
      .selectFrom('ledger_transactions')
      .selectAll()
      .where('transaction_id', '=', own.facts.payments[0]?.paymentId ?? '')
      .executeTakeFirstOrThrow()
    await reversePayment(loan, posted.source, posted.source_id, true)
  })
  await app.clock.advance(24 * 3_600_000)
  // Not the day of the charge that was waived.
  expect((await verify())['cancelled_on']).toBe(since)
})
