import { sql as raw } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { createLoanChangeContext } from '#server/payments/links/cancel-open-link.ts'
import { startJobs } from '#server/jobs/boss.ts'
import { addCharges } from '#server/loan-changes/add-charge.ts'
import { findLoanKey } from '#server/loans/loan-store.ts'
import { readOwnLoan } from '#server/loans/own-loan.ts'
import { advanceUntil, quickSweeps } from '#testkit/advance-until.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { firstLoan, openLink, payLink, readOffer } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { unnamedOperator } from '#server/staff/operator.ts'
import { changeNamedLoan, type LoanContext } from '#cli/change-named-loan.ts'
import type { JobsContext } from '#cli/provider-context.ts'
import { record } from './payment.ts'
import { list, refund, retry } from './refund.ts'
import { list as listReviews, resolve } from './review.ts'

let app: App
let context: JobsContext & LoanContext
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: quickSweeps })
  const { database, databaseUrls, clock } = app
  const jobs = await startJobs({
    url: databaseUrls.appUrl,
    connectTimeoutMs: 60_000,
    socketTimeoutMs: 60_000,
    secret: app.context.config.signIn.codeKey,
    log: app.context.log,
    work: false,
  })
  context = {
    database,
    databaseUrl: databaseUrls.appUrl,
    ownerUrl: databaseUrls.ownerUrl,
    clock,
    jobs,
    operator: unnamedOperator('asked by phone'),
    cancelLink: createLoanChangeContext(app.context).cancelLink,
  }
  await database.asSystem((sql) => raw`update pgboss.queue set retry_delay = 0, retry_backoff = false`.execute(sql))
})
afterEach(async () => {
  await app.sandbox('/faults', { clear: true })
  await expectInvariantsHold(app)
})
afterAll(async () => {
  await context.jobs.stop()
  await app.close()
})

async function loanOf(number: number) {
  const token = await app.signIn(demoPhone(number))
  const lan = await firstLoan(app, token)
  const credit = async () => {
    const key = await app.database.asSystem((sql) => findLoanKey(sql, lan))
    const borrowerId = key?.borrowerId ?? ''
    const { facts } = await app.database.asBorrower(borrowerId, (sql) => readOwnLoan(sql, borrowerId, lan))
    const { creditPaise, heldPaise } = loanStateDuring(facts, dayInIndia(app.clock.now()))
    return { credit: creditPaise, held: heldPaise }
  }
  const addLink = async (purpose: 'OVERDUE' | 'PAY_EMI') => {
    const amount = await readOffer(app, token, lan, purpose)
    return { link: await openLink(app, token, { lan, purpose, amount }), amount }
  }
  const settled = (link: string) =>
    until(async () => (await app.get(`/portal/payment-link/status?payment_link_id=${link}`, token)).body['rps_updated'])
  return { lan, credit, addLink, settled }
}

const pay = (link: string, outcome?: object) => payLink(app, link, outcome)
const statuses = (lan: string) =>
  app.database.asSystem(async (sql) =>
    (
      await sql
        .selectFrom('refunds')
        .innerJoin('loans', (join) =>
          join.onRef('loans.borrower_id', '=', 'refunds.borrower_id').onRef('loans.loan_id', '=', 'refunds.loan_id'),
        )
        .select('refunds.status')
        .where('loans.lan', '=', lan)
        .orderBy('refunds.asked_at')
        .execute()
    ).map(({ status }) => status),
  )
const become = (lan: string, expected: string[]) => advanceUntil(app, 5_000, async () => String(await statuses(lan)) === String(expected))

describe('kist refund', () => {
  it('sends credit back, no more than there is, and tells first', async () => {
    const { lan, credit, addLink, settled } = await loanOf(5)
    const { link, amount } = await addLink('OVERDUE')
    const rupees = rupeesToPaise(amount)
    // The provider does not cancel the link before the borrower pays it.
    const neft = {
      lan,
      amount: rupees,
      mode: 'neft',
      reference: 'UTR1',
      valueDate: dayInIndia(app.clock.now()),
    } as const
    await app.sandbox('/faults', { call: 'cancel', kind: 'reset', times: 'forever' })
    expect(await record(context, neft)).toMatch(
      /^recorded: .*; the provider did not confirm that the open payment link KST-\S+ is cancelled/,
    )
    await expect(refund(context, { lan, amount: rupeesToPaise(1), yes: true })).rejects.toThrow('has a credit of ₹0.00')
    await pay(link)
    await settled(link)
    expect(await credit()).toEqual({ credit: rupees, held: 0n })

    await expect(refund(context, { lan, amount: rupeesToPaise(amount + 1), yes: true })).rejects.toThrow('no more than that')
    expect(await refund(context, { lan, amount: rupeesToPaise(1000) })).toMatch(/^would refund ₹1000\.00 .*--yes/)
    expect(await statuses(lan)).toEqual([])
    expect(await refund(context, { lan, amount: rupeesToPaise(1000), yes: true })).toMatch(/^refunding: ₹1000\.00/)
    expect(await credit()).toEqual({ credit: rupees - rupeesToPaise(1000), held: rupeesToPaise(1000) })
    await become(lan, ['processed'])
    expect(await credit()).toEqual({ credit: rupees - rupeesToPaise(1000), held: rupeesToPaise(1000) })
    const lines = await app.database.asSystem((sql) =>
      sql.selectFrom('access_log').select(['actor_id', 'detail']).where('action', '=', 'credit_refunded').execute(),
    )
    expect(lines).toEqual([{ actor_id: 'operator', detail: expect.objectContaining({ reason: 'asked by phone', amount_paise: '100000' }) }])
  })

  it('needs no reason outside production, and stores none then', async () => {
    const { lan } = await loanOf(5)
    const unnamed = { ...context, operator: unnamedOperator() }
    expect(await refund(unnamed, { lan, amount: rupeesToPaise(2) })).toMatch(/^would refund ₹2\.00 /)
    expect(await refund(unnamed, { lan, amount: rupeesToPaise(2), yes: true })).toMatch(/^refunding: ₹2\.00/)
    const notes = await app.database.asSystem((sql) =>
      sql.selectFrom('refunds').select(['amount_paise', 'note']).where('reason', '=', 'excess').orderBy('asked_at').execute(),
    )
    expect(notes.map(({ amount_paise, note }) => [amount_paise, note])).toEqual([
      [rupeesToPaise(1000), 'asked by phone'],
      [rupeesToPaise(2), null],
    ])
    await become(lan, ['processed', 'processed'])
  })

  it('leaves to a bank transfer what did not come through the provider', async () => {
    const { lan } = await loanOf(7)
    const valueDate = dayInIndia(app.clock.now())
    await record(context, { lan, amount: rupeesToPaise(900_000), mode: 'neft', reference: 'UTR2', valueDate })
    await expect(refund(context, { lan, amount: rupeesToPaise(899_999), yes: true })).rejects.toThrow('by bank transfer')
    expect(await statuses(lan)).toEqual([])
  })

  it('refuses a charge of before that would use what was sent back', async () => {
    const { lan, credit } = await loanOf(5)
    const left = (await credit()).credit
    const charge = {
      chargeId: 'late',
      chargeType: 'BOUNCE_CHARGE',
      date: addDays(dayInIndia(app.clock.now()), -1),
      amountPaise: rupeesToPaise(300_000),
      penal: false,
    }
    await expect(
      changeNamedLoan(context, lan, {
        whileLinkOpen: 'refuse',
        write: async (loan) => ({ answer: String(await addCharges(loan, [charge])), log: null }),
      }),
    ).rejects.toThrow('credit that was refunded since')
    expect((await credit()).credit).toBe(left)
  })
})

describe('a refund that the provider', () => {
  const twice = async (number: number) => {
    const { lan, addLink, settled } = await loanOf(number)
    const { link } = await addLink('PAY_EMI')
    await pay(link)
    await settled(link)
    await pay(link, { second_capture: 'keep' })
    return lan
  }

  it('refuses is on both lists, and is sent when it is tried again', async () => {
    await app.sandbox('/faults', { call: 'refund', kind: 'status', status: 400, times: 1 })
    const lan = await twice(1)
    await become(lan, ['failed'])
    const [line = ''] = (await list(context)).split('\n')
    expect(line).toMatch(/^failed {3}[0-9a-f-]{36} {2}KST-\S+ {2}₹[\d.]+ {2}duplicate {2}since \S+ {2}400/)
    expect(await listReviews(context, false)).toContain('refund_failed')
    const [refundId = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(line) ?? []
    const [review = ''] = /^[0-9a-f-]{36}/.exec(await listReviews(context, false)) ?? []
    expect(await resolve(context, { review: review.toUpperCase(), resolution: 'asked again, has left' })).toMatch(
      /^resolved: refund_failed/,
    )
    expect(await resolve(context, { review, resolution: 'again' })).toMatch(/^unchanged/)
    expect(await listReviews(context, false)).toBe('no difference is open')
    expect(await listReviews(context, true)).toContain('resolved: asked again, has left')
    expect(await retry(context, { refund: refundId })).toMatch(/^asked again: /)
    await expect(retry(context, { refund: refundId })).rejects.toThrow('only one that failed')
    await expect(retry(context, { refund: 'abc' })).rejects.toThrow('abc is not the id of a refund')
    await become(lan, ['processed'])
  })

  it('took and gave up later is tried again as a new one', async () => {
    await app.sandbox('/faults', { call: 'refund', kind: 'refund_fails', delay_ms: 1_000, times: 1 })
    const lan = await twice(11)
    await become(lan, ['failed'])
    const [refundId = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(await list(context)) ?? []
    expect(await listReviews(context, false)).toContain('refund_failed')
    await retry(context, { refund: refundId })
    await become(lan, ['processed'])
    expect(await list(context)).toBe('no refund is open')
    expect(await listReviews(context, false)).toBe('no difference is open')
    const { refunds } = (await app.sandbox('/state')) as { refunds: { status: string }[] }
    expect(refunds.filter(({ status }) => status === 'failed')).toHaveLength(1)
  })
})
