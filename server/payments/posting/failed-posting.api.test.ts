import { Writable } from 'node:stream'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { check, checkReport } from '#cli/commands/check.ts'
import { list } from '#cli/commands/review.ts'
import { toDay } from '#domain/calendar.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { createLog } from '../../log.ts'
import { sweepPaymentLinks } from '../links/sweep-payment-links.ts'

const now = new Date('2026-11-20T05:00:00Z')
/** More than the longest wait between two checks of a link with unposted money. */
const nextCheckMs = 120_000
const loanTerms = { annualRatePercent: 12, sanctionedRupees: 120_000, firstDueDate: toDay('2026-12-05') }
const disbursal = { date: toDay('2026-11-05'), rupees: 120_000 }
const log: Record<string, unknown>[] = []
let app: App

beforeAll(async () => {
  const into = new Writable({ write: (chunk: Buffer, _encoding, done) => (log.push(JSON.parse(chunk.toString())), done()) })
  app = await startApp(inject('cluster'), {
    now,
    log: createLog({ logLevel: 'error', production: true }, into),
    // The test sweeps itself.
    settings: { KIST_SWEEP_INTERVAL_MS: '600000', KIST_SWEEP_AFTER_SECONDS: '60' },
  })
  await addProduct(app.database, now, 'daily', { ...educationLoan, interest: 'actual_365' })
  await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
})
afterAll(() => app.close())

/** Adds a borrower with a loan, whose link for the next instalment is paid at the provider. */
async function addPaidLink(phone: string, lan: string): Promise<{ token: string; link: string; key: AddedLoan }> {
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Test', lastName: 'Person' })
  const loan = { lan, leadId: `lead-${lan}`, title: 'Test', product: 'daily', instalments: 12, disbursals: [disbursal] }
  const key = await addLoan(app.database, now, borrowerId, { ...loan, ...loanTerms })
  const token = await app.signIn(phone)
  const link = await openLink(app, token)
  await payLink(app, link)
  return { token, link, key }
}

/** Changes the stored facts of a loan without its ledger, which no operation of Kist does. */
async function setFacts({ loanId }: AddedLoan, terms: typeof loanTerms, { date, rupees }: typeof disbursal): Promise<void> {
  const client = new pg.Client({ connectionString: app.databaseUrls.superuserUrl })
  await client.connect()
  await client
    .query('begin')
    .then(() =>
      client.query('update loans set annual_rate_ppb = $2, sanctioned_paise = $3, first_due_date = $4 where loan_id = $1', [
        loanId,
        terms.annualRatePercent * 10_000_000,
        terms.sanctionedRupees * 100,
        terms.firstDueDate,
      ]),
    )
    .then(() => client.query('update disbursals set disbursed_on = $2, amount_paise = $3 where loan_id = $1', [loanId, date, rupees * 100]))
    .then(() => client.query('commit'))
    .finally(() => client.end())
}

const reviews = () =>
  app.database.asSystem((sql) =>
    sql
      .selectFrom('payment_reviews')
      .select(['kind', 'about', 'detail', 'resolved_at', 'resolved_by'])
      .where('kind', '=', 'not_posted')
      .execute(),
  )

const listUnposted = () =>
  app.database.asSystem((sql) => sql.selectFrom('provider_payments').selectAll().where('transaction_id', 'is', null).execute())

it('a payment whose posting fails is reviewed once, does not delay others, and its review is closed when it is posted', async () => {
  const failing = await addPaidLink('+919000000502', 'V-2')
  const other = await addPaidLink('+919000000503', 'V-3')
  // Unpaid for more than a century at 1000 % a year: more interest than the engine counts exactly.
  const rupees = 4_000_000_000_000
  const terms = { annualRatePercent: 1000, sanctionedRupees: rupees, firstDueDate: toDay('1900-02-05') }
  await setFacts(failing.key, terms, { date: toDay('1900-01-05'), rupees })

  await app.clock.advance(nextCheckMs)
  await expect(sweepPaymentLinks(app.context)).rejects.toThrow('1 of 2 payment links could not be checked')
  const [payment, ...unposted] = await listUnposted()
  expect([payment?.loan_id, unposted]).toEqual([failing.key.loanId, []])
  const status = await app.get(`/portal/payment-link/status?payment_link_id=${other.link}`, other.token)
  expect(status.body).toEqual({ status: 'paid', rps_updated: true })
  const review = {
    about: `not_posted:${payment?.provider_payment_id}`,
    detail: {
      payment: payment?.provider_payment_id,
      amount_paise: String(payment?.amount_paise),
      why: expect.stringContaining('exact range of numbers'),
    },
    resolved_at: null,
  }
  expect(await reviews()).toMatchObject([review])
  await app.clock.advance(nextCheckMs)
  await expect(sweepPaymentLinks(app.context)).rejects.toThrow('payment links could not be checked')
  expect(await reviews()).toMatchObject([review])
  expect(log.filter(({ msg }) => msg === 'payment could not be posted')).toHaveLength(2)
  expect(await list(app, false)).toContain('not_posted')
  expect(checkReport(await check({ ...app, databaseUrl: app.databaseUrls.appUrl, ownerUrl: app.databaseUrls.ownerUrl }))).toContain(
    'reviews: 1 open, see kist review list',
  )

  await setFacts(failing.key, loanTerms, disbursal)
  await app.clock.advance(nextCheckMs)
  await sweepPaymentLinks(app.context)
  expect(await reviews()).toMatchObject([{ ...review, resolved_at: expect.any(Date), resolved_by: 'system' }])
  expect(await listUnposted()).toEqual([])
  await expectInvariantsHold(app)
})
