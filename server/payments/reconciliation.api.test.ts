import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { paise, zeroPaise } from '#domain/money.ts'
import { advanceUntil, quickSweeps } from '#testkit/advance-until.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { selectLinkPayments } from '#testkit/link-payments.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { noon, startApp, until, type App } from '#testkit/start-app.ts'
import { reconcile } from '#cli/commands/reconcile.ts'
import { unnamedOperator } from '../staff/operator.ts'
import type { ProviderContext } from '#cli/provider-context.ts'
import { requestReconciliation } from './reconciliation/request-reconciliation.ts'
import { syncRecurringPayment } from '../autopay/sync-by-name.ts'
import { reconcileOneByOne } from './reconciliation/one-by-one.ts'
import { reconcileDay } from './reconciliation/reconcile-day.ts'
import { addReview, noBorrowerId, resolveReview } from './review-store.ts'
import { storeAndPostSettlement } from './reconciliation/settle.ts'
import { finishRun, listOpenLines, storeSettlement } from './reconciliation/settlement-store.ts'

let app: App
let token: string
/** Later than the demo town's own refund. */
const begunAt = new Date(noon.getTime() - 60_000)
const today = () => dayInIndia(app.clock.now())

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now: noon, settings: quickSweeps })
})
afterEach(async () => {
  await app.sandbox('/faults', { clear: true })
  await expectInvariantsHold(app)
})
afterAll(() => app.close())

async function signInAs(number: number) {
  token = await app.signIn(demoPhone(number))
}

const pay = (link: string, outcome?: object) => payLink(app, link, outcome)
const dropWebhooks = () => app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
const linkRow = (link: string) =>
  app.database.asSystem((sql) => sql.selectFrom('payment_links').selectAll().where('payment_link_id', '=', link).executeTakeFirstOrThrow())
const settled = (link: string) =>
  until(async () => (await app.get(`/portal/payment-link/status?payment_link_id=${link}`, token)).body['rps_updated'])
const paymentOf = (link: string) => app.database.asSystem((sql) => selectLinkPayments(sql, link).selectAll('provider_payments').execute())
/** The loan's balances at the provider, at the lender's bank and of fees, in paise. */
const held = async (loanId: string) => {
  const rows = await app.database.asSystem((sql) =>
    sql
      .selectFrom('ledger_entries')
      .select(({ fn }) => ['account', fn.sum<string>('debit_paise').as('debit'), fn.sum<string>('credit_paise').as('credit')])
      .where('loan_id', '=', loanId)
      .where('account', 'in', ['provider_clearing', 'settlement_bank', 'provider_fees'])
      .groupBy('account')
      .execute(),
  )
  return Object.fromEntries(rows.map(({ account, debit, credit }) => [account, Number(debit) - Number(credit)]))
}
const reviews = async () =>
  (await app.database.asSystem((sql) => sql.selectFrom('payment_reviews').select(['kind', 'detail']).orderBy('found_at').execute())).map(
    ({ kind }) => kind,
  )

/** The run of a day, as if it had begun and ended with the end of the day. */
const finishDay = (day: Day) => {
  const dayEnd = new Date(startOfDayInIndiaMs(addDays(day, 1)))
  return app.database.asSystem(async (sql) => {
    await finishRun(sql, 'razorpay', day, { paymentsSeen: 0, settlementsSeen: 0, differences: 0 }, dayEnd)
    await sql.updateTable('reconciliation_runs').set({ asked_at: dayEnd }).where('reconciled_on', '=', day).execute()
  })
}

describe('reconciliation', () => {
  it('finds a payment whose webhooks were all lost, long after the last check of its link', async () => {
    await signInAs(1)
    const link = await openLink(app, token)
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, token)).status).toBe(200)
    const other = await openLink(app, token)
    await dropWebhooks()
    await pay(other)
    await pay(link, { outcome: 'late_success', after_seconds: 0 })
    await app.clock.advance(1_000)
    const operatorContext = {
      ...app,
      ...app.context,
      databaseUrl: '',
      ownerUrl: '',
      operator: unnamedOperator(),
    } as unknown as ProviderContext
    // PostgreSQL stores no text with this character, so there is no entry of the access log.
    const unlogged = { ...operatorContext, operator: unnamedOperator('a\u0000b') }
    await expect(reconcile(unlogged, today())).rejects.toThrow(/Unicode/)
    expect(await linkRow(other)).toMatchObject({ rps_updated: false })
    expect(await reconcile(operatorContext, today())).toBe(`reconciled ${today()}: 2 payments, 0 settlements, 0 differences`)
    expect(await linkRow(other)).toMatchObject({ status: 'paid', rps_updated: true })
    expect(await linkRow(link)).toMatchObject({ status: 'cancelled', rps_updated: true })
    const refunds = await app.database.asSystem((sql) =>
      sql.selectFrom('refunds').where('asked_at', '>', begunAt).select(['reason']).execute(),
    )
    expect(refunds).toEqual([{ reason: 'nothing_due' }])
    expect(await reconcile(operatorContext, today())).toContain('0 differences')
    await expect(reconcile(operatorContext, addDays(today(), 1))).rejects.toThrow('is in the future')
    await advanceUntil(app, 60_000, async () => {
      const rows = await app.database.asSystem((sql) =>
        sql.selectFrom('refunds').where('asked_at', '>', begunAt).select('status').execute(),
      )
      return rows.every(({ status }) => status === 'processed')
    })
  })

  it('settles payments and refunds of one loan until the clearing account is empty', async () => {
    const [refund] = await app.database.asSystem((sql) => sql.selectFrom('refunds').where('asked_at', '>', begunAt).selectAll().execute())
    const before = await held(refund?.loan_id ?? '')
    await app.sandbox('/settle', {})
    const steps: [number, number][] = []
    const onProgress = (done: number, all: number) => steps.push([done, all])
    const { settlementsSeen, differences } = await reconcileDay(app.context, today(), syncRecurringPayment, onProgress)
    expect([settlementsSeen, differences]).toEqual([1, 0])
    expect(steps.length).toBeGreaterThan(1)
    expect(steps).toEqual(steps.toSorted(([one], [other]) => one - other))
    expect(steps.at(-1)).toEqual([5, 6])
    const lines = await app.database.asSystem((sql) => sql.selectFrom('settlement_lines').select(['type', 'transaction_id']).execute())
    expect(lines.map(({ type }) => type).toSorted()).toEqual(['payment', 'payment', 'refund'])
    expect(lines.every(({ transaction_id }) => transaction_id !== null)).toBe(true)
    const after = await held(refund?.loan_id ?? '')
    // Only the payments of the demo town's history stay unsettled.
    const [kept, settled] = await app.database.asSystem(async (sql) => [
      await sql
        .selectFrom('provider_payments')
        .select(['provider_payment_id', 'amount_paise'])
        .where('loan_id', '=', refund?.loan_id ?? '')
        .execute(),
      new Set((await sql.selectFrom('settlement_lines').select('entity_id').execute()).map(({ entity_id }) => entity_id)),
    ])
    const unsettled = kept.filter(({ provider_payment_id }) => !settled.has(provider_payment_id))
    expect(after['provider_clearing']).toBe(Number(unsettled.reduce((sum, { amount_paise }) => sum + amount_paise, 0n)))
    expect(before['provider_clearing']).toBeGreaterThan(after['provider_clearing'] ?? 0)
  })

  it('posts a settlement with fees and UTR and empties the clearing account', async () => {
    await signInAs(11)
    const link = await openLink(app, token)
    await pay(link)
    await settled(link)
    const [payment] = await paymentOf(link)
    const loanId = payment?.loan_id ?? ''
    const before = await held(loanId)
    const { settlement } = (await app.sandbox('/settle', {})) as { settlement: { id: string; utr: string } }
    await reconcileDay(app.context, today(), syncRecurringPayment)
    const after = await held(loanId)
    const [amount, fee] = [Number(payment?.amount_paise), Number(payment?.fee_paise)]
    expect(fee).toBeGreaterThan(0)
    expect({
      clearing: (after['provider_clearing'] ?? 0) - (before['provider_clearing'] ?? 0),
      bank: (after['settlement_bank'] ?? 0) - (before['settlement_bank'] ?? 0),
      fees: (after['provider_fees'] ?? 0) - (before['provider_fees'] ?? 0),
    }).toEqual({ clearing: -amount, bank: amount - fee, fees: fee })
    const kept = await app.database.asSystem((sql) => sql.selectFrom('settlements').selectAll().execute())
    expect(kept.find(({ settlement_id }) => settlement_id === settlement.id)?.utr).toBe(settlement.utr)
    // A second run posts nothing twice.
    await reconcileDay(app.context, today(), syncRecurringPayment)
    expect(await held(loanId)).toEqual(after)
  })

  it('reviews differences and posts none of them', async () => {
    const known = await reviews()
    await signInAs(7)
    const link = await openLink(app, token)
    await pay(link)
    await settled(link)
    await app.sandbox('/settle', { short_by: 700, adjustment: -1_000, reason: 'a dispute' })
    const { differences } = await reconcileDay(app.context, today(), syncRecurringPayment)
    expect(differences).toBe(2)
    expect((await reviews()).slice(known.length).toSorted()).toEqual(['settlement_amount', 'settlement_line'])
    expect((await reconcileDay(app.context, today(), syncRecurringPayment)).differences).toBe(2)
    expect(await reviews()).toHaveLength(known.length + 2)
  })

  it('reviews a line whose net is not its amount less its fee', async () => {
    const known = await reviews()
    await signInAs(7)
    const link = await openLink(app, token)
    await pay(link)
    await settled(link)
    await app.sandbox('/settle', {})
    const { gateway } = app.context
    // The lender has prepaid the fee.
    const withPrepaidFees: typeof gateway.settlementLinesOf = async (day) => {
      const outcome = await gateway.settlementLinesOf(day)
      return outcome.kind === 'found'
        ? { ...outcome, lines: outcome.lines.map((line) => ({ ...line, creditPaise: line.amountPaise })) }
        : outcome
    }
    const loanId = (await linkRow(link)).loan_id
    const before = await held(loanId)
    await reconcileDay({ ...app.context, gateway: { ...gateway, settlementLinesOf: withPrepaidFees } }, today(), syncRecurringPayment)
    expect((await reviews()).slice(known.length)).toContain('settlement_line')
    expect(await held(loanId)).toEqual(before)
  })

  it('reviews a captured payment without a settlement', async () => {
    await signInAs(7)
    const link = await openLink(app, token)
    await pay(link)
    await settled(link)
    await until(
      () =>
        app.database.asSystem(async (sql) => {
          const open = await sql.selectFrom('webhook_inbox').select('event_id').where('processed_at', 'is', null).execute()
          return open.length === 0
        }),
      60_000,
    )
    await app.clock.advance(9 * 86_400_000)
    await reconcileDay(app.context, today(), syncRecurringPayment)
    expect((await reviews()).filter((kind) => kind === 'not_settled')).toHaveLength(1)
  })

  it('is enqueued once per India day and done by the worker', async () => {
    for (let day = addDays(dayInIndia(noon), 1); day < today(); day = addDays(day, 1)) await finishDay(day)
    await app.clock.moveTo(`${addDays(today(), 1)}T03:00:00Z`)
    const now = app.clock.now()
    await Promise.all(Array.from({ length: 5 }, () => requestReconciliation(app.context)))
    const jobs = () =>
      app.database.asSystem((sql) => sql.selectFrom('pgboss.job').select('state').where('name', '=', 'reconcile').execute())
    expect(await jobs()).toHaveLength(1)
    const run = await until(
      () =>
        app.database.asSystem((sql) =>
          sql
            .selectFrom('reconciliation_runs')
            .selectAll()
            .where('reconciled_on', '=', addDays(today(), -1))
            .where('finished_at', '>=', now)
            .executeTakeFirst(),
        ),
      60_000,
    )
    expect(run).toMatchObject({ differences: 1 })
    expect(await requestReconciliation(app.context)).toBe(0)
    expect(await jobs()).toHaveLength(1)
  })

  it('continues after a payment whose link cannot be fetched, and resolves its review later', async () => {
    const known = await reviews()
    await signInAs(1)
    const broken = await openLink(app, token)
    await dropWebhooks()
    await pay(broken)
    await signInAs(7)
    const sound = await openLink(app, token)
    await pay(sound)
    await app.sandbox('/faults', { call: 'fetch', kind: 'status', status: 503, payment_link_id: broken, times: 'forever' })
    const { differences } = await reconcileDay(app.context, today(), syncRecurringPayment)
    // The other review is of the payment without a settlement.
    expect(differences).toBe(2)
    expect(await linkRow(sound)).toMatchObject({ status: 'paid', rps_updated: true })
    expect((await linkRow(broken)).rps_updated).toBe(false)
    expect((await reviews()).slice(known.length)).toEqual(['not_reconciled'])
    await app.sandbox('/faults', { clear: true })
    expect((await reconcileDay(app.context, today(), syncRecurringPayment)).differences).toBe(1)
    expect(await linkRow(broken)).toMatchObject({ status: 'paid', rps_updated: true })
    const [review] = await app.database.asSystem((sql) =>
      sql.selectFrom('payment_reviews').selectAll().where('kind', '=', 'not_reconciled').execute(),
    )
    expect(review).toMatchObject({ resolved_by: 'system', resolution: 'reconciled at a later attempt' })
    // The same difference comes back.
    const again = { borrowerId: noBorrowerId, kind: 'not_reconciled', about: review?.about.slice('not_reconciled:'.length) ?? '' } as const
    const add = () => app.database.asSystem((sql) => addReview(sql, { ...again, detail: { why: 'again' } }, app.clock.now()))
    expect(await add()).toBe(true)
    const [open] = await app.database.asSystem((sql) =>
      sql.selectFrom('payment_reviews').selectAll().where('kind', '=', 'not_reconciled').execute(),
    )
    expect(open).toMatchObject({ review_id: review?.review_id, resolved_at: null, resolution: null, detail: { why: 'again' } })
    await app.database.asSystem((sql) =>
      resolveReview(sql, { borrower_id: noBorrowerId, review_id: review?.review_id ?? '' }, 'a person', 'seen', app.clock.now()),
    )
    expect(await add()).toBe(false)
  })

  it('stores a settlement of more lines than one statement can hold', async () => {
    const line = (number: number) => ({
      settlementId: 'setl_large',
      utr: null,
      settledAt: app.clock.now(),
      entityId: `pay_large${String(number).padStart(6, '0')}`,
      paymentId: null,
      type: 'payment',
      debitPaise: zeroPaise,
      creditPaise: paise(98n),
      amountPaise: paise(100n),
      feePaise: paise(2n),
      taxPaise: zeroPaise,
    })
    const lines = Array.from({ length: 7_300 }, (_, number) => line(number))
    const settlement = {
      settlementId: 'setl_large',
      amountPaise: paise(715_400n),
      feesPaise: paise(14_600n),
      taxPaise: zeroPaise,
      utr: 'UTRLARGE',
      createdAt: app.clock.now(),
    }
    const undone = new Error('undone')
    const storedTwice = app.database.asSystem(async (sql) => {
      for (const _time of ['first', 'again']) await storeSettlement(sql, 'razorpay', settlement, lines, app.clock.now())
      expect(await listOpenLines(sql, 'razorpay', 'setl_large')).toHaveLength(7_300)
      // These lines belong to no payment of ours, so they are removed.
      throw undone
    })
    await expect(storedTwice).rejects.toBe(undone)
  })

  it('is tried again while the provider does not answer', async () => {
    await app.sandbox('/faults', { call: 'recon', kind: 'status', status: 503, times: 1 })
    await expect(reconcileDay(app.context, today(), syncRecurringPayment)).rejects.toThrow('Settlements could not be listed')
    await reconcileDay(app.context, today(), syncRecurringPayment)
  })

  it('counts a difference until a person has resolved it', async () => {
    await signInAs(7)
    const link = await openLink(app, token)
    await pay(link)
    await settled(link)
    const openReviews = () =>
      app.database.asSystem((sql) => sql.selectFrom('payment_reviews').selectAll().where('resolved_at', 'is', null).execute())
    const unsettled = (await openReviews()).find(({ kind }) => kind === 'not_settled')?.detail as { payment: string }
    await app.sandbox('/settle', { leave_out: [unsettled.payment], short_by: 500, adjustment: -1_000, reason: 'a dispute' })
    const listed = await app.context.gateway.paymentsBetween(new Date(startOfDayInIndiaMs(today())), app.clock.now())
    const payment = listed.kind === 'found' ? listed.payments[0] : undefined
    if (!payment) throw new Error('the payment is not listed')
    const payments = [
      { ...payment, providerPaymentId: 'pay_strange', reference: null, paymentLinkId: null },
      { ...payment, providerPaymentId: 'pay_failing', paymentLinkId: link },
    ]
    const gateway = {
      ...app.context.gateway,
      paymentsBetween: (_from: Date, before: Date) =>
        Promise.resolve({ kind: 'found' as const, payments: before > app.clock.now() ? payments : [] }),
      fetchLink: () => Promise.resolve({ kind: 'unknown' as const, reason: 'no answer' }),
    }
    const count = async () => (await reconcileDay({ ...app.context, gateway }, today(), syncRecurringPayment)).differences
    const before = new Set((await openReviews()).filter(({ kind }) => kind !== 'not_settled').map(({ review_id }) => review_id))
    expect([await count(), await count()]).toEqual([5, 5])
    const counted = (await openReviews()).filter(({ review_id }) => !before.has(review_id))
    expect(counted.map(({ kind }) => kind).toSorted()).toEqual([
      'not_reconciled',
      'not_settled',
      'settlement_amount',
      'settlement_line',
      'unknown_payment',
    ])
    for (const review of counted) await app.database.asSystem((sql) => resolveReview(sql, review, 'a person', 'seen', app.clock.now()))
    expect(await count()).toBe(0)
  })

  it('no longer reviews a payment as unsettled once its settlement is known', async () => {
    await signInAs(7)
    const link = await openLink(app, token)
    await pay(link)
    await settled(link)
    const unsettled = () =>
      app.database.asSystem((sql) =>
        sql
          .selectFrom('payment_reviews')
          .select(['review_id', 'resolved_by'])
          .where('kind', '=', 'not_settled')
          .orderBy('found_at', 'desc')
          .executeTakeFirst(),
      )
    const before = await unsettled()
    await app.clock.advance(9 * 86_400_000)
    await reconcileDay(app.context, today(), syncRecurringPayment)
    const found = await unsettled()
    expect(found?.review_id).not.toBe(before?.review_id)
    expect(found?.resolved_by).toBeNull()
    await app.sandbox('/settle', {})
    await reconcileDay(app.context, today(), syncRecurringPayment)
    expect(await unsettled()).toEqual({ review_id: found?.review_id, resolved_by: 'system' })
  })

  it('tries the line of a refund that has not ended again, and closes the review of a line that it posts', async () => {
    await signInAs(7)
    const link = await openLink(app, token)
    await pay(link)
    await settled(link)
    const [payment] = await paymentOf(link)
    if (!payment) throw new Error('There is no payment')
    const { provider_payment_id: paymentId, amount_paise: amountPaise } = payment
    const about = 'setl_early:rfnd_early'
    const refundOf = (status: 'pending' | 'processed') => ({
      providerRefundId: 'rfnd_early',
      providerPaymentId: paymentId,
      amountPaise,
      status,
      refundId: null,
      tryNumber: null,
      bankReference: null,
      createdAt: app.clock.now(),
    })
    const line = { settlementId: 'setl_early', utr: null, settledAt: app.clock.now(), entityId: 'rfnd_early', paymentId, type: 'refund' }
    const lines = [{ ...line, debitPaise: amountPaise, creditPaise: zeroPaise, amountPaise, feePaise: zeroPaise, taxPaise: zeroPaise }]
    const totals = { amountPaise: paise(-amountPaise), feesPaise: zeroPaise, taxPaise: zeroPaise }
    const settlement = { settlementId: 'setl_early', ...totals, utr: null, createdAt: app.clock.now() }
    const opened = async () =>
      (
        await app.database.asSystem((sql) =>
          sql.selectFrom('payment_reviews').select(['kind', 'resolved_by']).where('about', 'like', `%:${about}`).orderBy('kind').execute(),
        )
      ).map(({ kind, resolved_by }) => [kind, resolved_by])
    const reconcileWith = async (status: 'pending' | 'processed') => {
      const refundsOf = () => Promise.resolve({ kind: 'found' as const, refunds: [refundOf(status)] })
      const context = { ...app.context, gateway: { ...app.context.gateway, refundsOf } }
      const reconcileOne = await reconcileOneByOne(context)
      return storeAndPostSettlement(context, settlement, lines, reconcileOne, syncRecurringPayment)
    }
    expect(await reconcileWith('pending')).toBe(1)
    expect(await opened()).toEqual([['not_reconciled', null]])
    await expectInvariantsHold(app)
    // The review of a line that an earlier version did not try again.
    const left = { borrowerId: noBorrowerId, kind: 'settlement_line', about, detail: {} } as const
    await app.database.asSystem((sql) => addReview(sql, left, app.clock.now()))
    expect(await reconcileWith('processed')).toBe(0)
    expect(await opened()).toEqual([
      ['not_reconciled', 'system'],
      ['settlement_line', 'system'],
    ])
  })
  it('makes up for the days on which no worker ran', async () => {
    const last = today()
    // Without the loops of the app, whose clock stands still here.
    const at = (day: Day) => ({ ...app.context, clock: { now: () => new Date(startOfDayInIndiaMs(day) + 12 * 3_600_000) } })
    await finishDay(last)
    // One of them was done by hand meanwhile.
    await finishDay(addDays(last, 5))
    const begun = async () => {
      const rows = await app.database.asSystem((sql) =>
        sql.selectFrom('reconciliation_runs').select('reconciled_on').where('reconciled_on', '>', last).orderBy('reconciled_on').execute(),
      )
      return rows.map(({ reconciled_on }) => reconciled_on)
    }
    await requestReconciliation(at(addDays(last, 9)))
    expect(await begun()).toEqual(Array.from({ length: 8 }, (_, index) => addDays(last, index + 1)))
  })
})
