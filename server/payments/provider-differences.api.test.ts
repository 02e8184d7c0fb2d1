import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { apiPrefix } from '#contract/endpoint.ts'
import { dayInIndia, daysBetween } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { advanceUntil, quickSweeps } from '#testkit/advance-until.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { selectLinkPayments } from '#testkit/link-payments.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { firstLoan, openLink, payLink, requestLink } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import type { ProviderRefund } from '../adapters/payment-gateway/payment-gateway.ts'
import { syncReturns } from '../autopay/sync-returns.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { reversePayment } from '../loan-changes/reverse-payment.ts'
import type { PaymentKey } from './refund-store.ts'
import { storeSnapshot } from './links/store-snapshot.ts'
import { refreshLink } from './links/sync-link.ts'
import { readLink } from './links/link-store.ts'
import type { ProviderPaymentRow } from './provider-payment-store.ts'
import { reconcileDay } from './reconciliation/reconcile-day.ts'
import { refundCredit } from './refunds/refund-credit.ts'
import { submitRefund } from './refunds/submit-refund.ts'
import { sweepRefunds } from './refunds/sweep-refunds.ts'
import { applyRefunds } from './refunds/sync-refunds.ts'

let app: App
let token: string
let lan: string
const begunAt = new Date(Date.now() - 60_000)

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { ...quickSweeps, KIST_SWEEP_AFTER_SECONDS: '1' } })
})
afterEach(async () => {
  await app.sandbox('/faults', { clear: true })
  await expectInvariantsHold(app)
})
afterAll(() => app.close())

async function signInAs(number: number) {
  token = await app.signIn(demoPhone(number))
  lan = await firstLoan(app, token)
}

const loan = async () =>
  ((await app.get('/portal/loans-summary', token)).body['loans'] as { lan: string; dues: number; number_of_emis_paid: number }[]).find(
    (one) => one.lan === lan,
  )
const openPayoffLink = () => openLink(app, token, { lan, purpose: 'FORECLOSURE' })
const pay = (link: string, outcome?: object) => payLink(app, link, outcome)
const statusOf = async (link: string) => (await app.get(`/portal/payment-link/status?payment_link_id=${link}`, token)).body
const applied = (link: string) => until(async () => (await statusOf(link))['rps_updated'])
const reviews = async () =>
  (await app.database.asSystem((sql) => sql.selectFrom('payment_reviews').select('kind').orderBy('found_at').execute())).map(
    ({ kind }) => kind,
  )
const paymentOf = (link: string) =>
  app.database.asSystem((sql) => selectLinkPayments(sql, link).selectAll('provider_payments').executeTakeFirst())
const linkRow = (link: string) =>
  app.database.asSystem((sql) =>
    sql.selectFrom('payment_links').select(['status', 'rps_updated']).where('payment_link_id', '=', link).executeTakeFirstOrThrow(),
  )
const postingOf = async (link: string) => {
  const payment = await paymentOf(link)
  return app.database.asSystem((sql) =>
    sql
      .selectFrom('ledger_transactions')
      .select(['value_date', 'purpose'])
      .where('transaction_id', '=', payment?.transaction_id ?? '')
      .executeTakeFirstOrThrow(),
  )
}
/** Without the demo town's own refund. */
const refunds = () =>
  app.database.asSystem((sql) => sql.selectFrom('refunds').selectAll().where('asked_at', '>', begunAt).orderBy('asked_at').execute())
const dropWebhooks = () => app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })

/** Calls the provider as the lender's dashboard does. */
async function atProvider(path: string, body: object): Promise<Record<string, unknown>> {
  const { keyId, keySecret } = app.context.config.razorpay
  const response = await fetch(`${app.sandboxUrl}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}

const reviewOf = async (about: string) =>
  (
    await app.database.asSystem((sql) =>
      sql.selectFrom('payment_reviews').select('kind').where('about', 'like', `%:${about}`).executeTakeFirst(),
    )
  )?.kind

const keyOfLoan = async () => {
  const key = await app.database.asSystem((sql) => findLoanKey(sql, lan))
  if (!key) throw new Error('There is no loan')
  return key
}

/** The bank takes a payment back. */
async function takeBack(providerPaymentId: string): Promise<void> {
  const { borrowerId, loanId } = await keyOfLoan()
  const now = app.clock.now()
  await withLockedLoan(app.database, { borrowerId, loanId }, now, (loan) => reversePayment(loan, 'razorpay', providerPaymentId))
}

/** The provider reports a refund; without a name of ours unless it is given. */
const reportRefund = (
  payment: PaymentKey,
  refund: Pick<ProviderRefund, 'providerRefundId' | 'amountPaise' | 'status'> & Partial<ProviderRefund>,
) =>
  applyRefunds(app.context, payment, [
    {
      providerPaymentId: payment.provider_payment_id,
      refundId: null,
      tryNumber: null,
      bankReference: null,
      createdAt: app.clock.now(),
      ...refund,
    },
  ])

/** A transfer pays ₹100 of the next instalment. */
async function payByTransfer(reference: string): Promise<void> {
  const { borrowerId, loanId } = await keyOfLoan()
  const now = app.clock.now()
  const transfer = { mode: 'neft', reference, amountPaise: paise(10_000n), date: dayInIndia(now), purpose: 'PAY_EMI' } as const
  await withLockedLoan(app.database, { borrowerId, loanId }, now, (loan) => recordPayment(loan, transfer))
}

/** Refunds ₹100 of the loan's credit through a payment, in vain. */
async function refundCreditThrough(payment: PaymentKey, why: string): Promise<string> {
  const { borrowerId, loanId } = await keyOfLoan()
  // Only this test submits it.
  const jobs = { enqueue: () => Promise.resolve() }
  const now = app.clock.now()
  const [refundId = ''] = await app.database.asBorrower(borrowerId, async (sql) => {
    const credit = { amountPaise: paise(10_000n), note: 'paid too much', askedBy: 'operator' }
    return refundCredit(sql, jobs, await lockOwnLoan(sql, borrowerId, loanId), credit, now)
  })
  if (why === 'refused by the provider') {
    await app.sandbox('/faults', { call: 'refund', kind: 'status', status: 400, times: 1 })
    await submitRefund(app.context, { borrowerId, refundId })
    return refundId
  }
  const ours = { providerRefundId: 'rfnd_of_ours', amountPaise: paise(10_000n), status: 'failed', refundId, tryNumber: 0 } as const
  await reportRefund(payment, ours)
  return refundId
}

/** Sends the portal an event with the provider's signature. */
async function event(id: string, type: string, payload: object): Promise<number> {
  const body = JSON.stringify({ entity: 'event', event: type, payload })
  const [secret = ''] = app.context.config.razorpay.webhookSecrets
  const response = await fetch(`${app.url}${apiPrefix}/webhooks/razorpay`, {
    method: 'POST',
    headers: { 'x-razorpay-signature': createHmac('sha256', secret).update(body).digest('hex'), 'x-razorpay-event-id': id },
    body,
  })
  return response.status
}
const inboxRow = (id: string) =>
  app.database.asSystem((sql) => sql.selectFrom('webhook_inbox').selectAll().where('event_id', '=', id).executeTakeFirstOrThrow())

describe('a report of the provider', () => {
  it('with another amount is reviewed and changes nothing until the right amount is reported', async () => {
    await signInAs(1)
    const link = await openLink(app, token)
    const before = await loan()
    await app.sandbox('/faults', { call: 'fetch', kind: 'wrong_amount', amount_delta: 100, payment_link_id: link, times: 'forever' })
    await pay(link)
    await until(async () => (await reviews()).includes('amount_mismatch'))
    expect(await loan()).toEqual(before)
    expect(await statusOf(link)).toMatchObject({ rps_updated: false })
    await app.sandbox('/faults', { clear: true })
    await applied(link)
    expect(await reviews()).toEqual(['amount_mismatch'])
  })

  it('late and backwards changes nothing: a paid link stays paid', async () => {
    await signInAs(1)
    const link = await openLink(app, token)
    await pay(link)
    await applied(link)
    await app.sandbox('/faults', { call: 'fetch', kind: 'stale_read', payment_link_id: link, times: 'forever' })
    await app.sandbox('/webhooks/replay', { payment_link_id: link, times: 3, concurrency: 3 })
    await statusOf(link)
    expect(await statusOf(link)).toEqual({ status: 'paid', rps_updated: true })
  })

  it('with an unknown status changes nothing', async () => {
    await signInAs(1)
    const link = await openLink(app, token)
    const { gateway } = app.context
    const fetchLink = gateway.fetchLink.bind(gateway)
    gateway.fetchLink = async (id) => {
      const outcome = await fetchLink(id)
      return outcome.kind === 'found' ? { kind: 'found', link: { ...outcome.link, status: null } } : outcome
    }
    const { reference } = await app.database.asSystem((sql) =>
      sql.selectFrom('payment_links').select('reference').where('payment_link_id', '=', link).executeTakeFirstOrThrow(),
    )
    for (const type of ['payment_link.forgotten', 'refund.speed_changed', 'payment.downtime.started', 'subscription.charged'])
      expect(await event(`unknown-${type}`, type, { payment_link: { entity: { reference_id: reference, mood: 'good' } } })).toBe(200)
    expect(await event('unreadable', 'x', { payment_link: 5 })).toBe(200)
    await until(async () => (await inboxRow('unknown-payment_link.forgotten')).processed_at)
    gateway.fetchLink = fetchLink
    expect(await statusOf(link)).toMatchObject({ status: 'created' })
    await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, token)
  })

  /** What the event of a dispute says of the payment of a link whose money is applied. */
  const disputedPayment = async () => {
    await signInAs(1)
    const link = await openLink(app, token)
    await pay(link)
    await applied(link)
    const payment = await paymentOf(link)
    return { id: payment?.provider_payment_id, description: `#${link.slice(6)}` }
  }

  it('of a dispute is reviewed', async () => {
    const about = await disputedPayment()
    await event('dispute-1', 'payment.dispute.created', { payment: { entity: about }, dispute: { entity: { payment_id: about.id } } })
    await until(async () => (await reviews()).includes('dispute'))
  })

  it('of a lost dispute is reviewed although no webhook came, and once if it comes later', async () => {
    const about = await disputedPayment()
    const lost = { disputeId: 'disp_Kist0000000001', paymentId: String(about.id), amountPaise: paise(100n), isLost: true, reason: '' }
    const disputes = [lost, { ...lost, disputeId: 'disp_Kist0000000002', isLost: false }]
    const gateway = { ...app.context.gateway, listDisputes: async () => ({ kind: 'found' as const, disputes }) }
    const found = async () =>
      (
        await app.database.asSystem((sql) =>
          sql.selectFrom('payment_reviews').select(['about', 'detail']).where('kind', '=', 'dispute').execute(),
        )
      )
        .filter(({ detail }) => JSON.stringify(detail).includes(lost.paymentId))
        .map(({ about: named }) => named)
    const once = ['dispute:disp_Kist0000000001:payment.dispute.lost']
    for (const _poll of [1, 2]) {
      expect(await syncReturns({ ...app.context, gateway })).toBe(0)
      expect(await found()).toEqual(once)
    }
    const entity = { id: lost.disputeId, payment_id: about.id }
    await event('dispute-lost', 'payment.dispute.lost', { payment: { entity: about }, dispute: { entity } })
    await until(async () => (await inboxRow('dispute-lost')).processed_at)
    expect(await found()).toEqual(once)
    // What is reversed needs nobody any more.
    await takeBack(lost.paymentId)
    disputes.push({ ...lost, disputeId: 'disp_Kist0000000003' })
    await syncReturns({ ...app.context, gateway })
    expect(await found()).toEqual(once)
  })
})

describe('a refund made without Kist', () => {
  it('in the dashboard reduces its payment once and is reviewed', async () => {
    await signInAs(11)
    const before = await loan()
    const link = await openLink(app, token)
    await pay(link)
    await applied(link)
    expect((await loan())?.number_of_emis_paid).toBe((before?.number_of_emis_paid ?? 0) + 1)
    const payment = await paymentOf(link)
    await atProvider(`/payments/${payment?.provider_payment_id}/refund`, { amount: Number(payment?.amount_paise) })
    await advanceUntil(app, 5_000, async () => (await refunds()).some(({ status }) => status === 'processed'))
    await app.sandbox('/webhooks/replay', { payment_link_id: link, times: 5, concurrency: 5 })
    expect(await refunds()).toMatchObject([{ reason: 'by_lender', status: 'processed', asked_by: 'razorpay' }])
    expect(await loan()).toEqual(before)
    expect(await reviews()).toContain('refund_by_lender')
  })

  it('that fails and is made again there is taken over', async () => {
    await signInAs(11)
    const [before, known] = [await loan(), (await refunds()).length]
    const link = await openLink(app, token)
    await pay(link)
    await applied(link)
    const payment = await paymentOf(link)
    if (!payment) throw new Error('There is no payment')
    const report = (id: string, status: 'pending' | 'failed' | 'processed') =>
      reportRefund(payment, { providerRefundId: id, amountPaise: payment.amount_paise, status })
    await report('rfnd_A', 'pending')
    expect(await loan()).toEqual(before)
    await report('rfnd_A', 'failed')
    expect((await loan())?.number_of_emis_paid).toBe((before?.number_of_emis_paid ?? 0) + 1)
    await report('rfnd_B', 'processed')
    expect((await refunds()).slice(known)).toMatchObject([
      { provider_refund_id: 'rfnd_A', status: 'failed' },
      { provider_refund_id: 'rfnd_B', status: 'processed', reason: 'by_lender' },
    ])
    expect(await loan()).toEqual(before)
    expect(await reviews()).not.toContain('refund_mismatch')
  })

  it.each(['sweep', 'reconciliation'])('that fails and is made again there is found by the %s, without an event', async (cause) => {
    await signInAs(11)
    const known = (await refunds()).length
    const link = await openLink(app, token)
    await pay(link)
    await applied(link)
    await dropWebhooks()
    const payment = await paymentOf(link)
    if (!payment) throw new Error('There is no payment')
    const id = `rfnd_failed_${cause}`
    for (const status of ['pending', 'failed'] as const)
      await reportRefund(payment, { providerRefundId: id, amountPaise: payment.amount_paise, status })
    // The first one was seen at its payment. Only this test looks again.
    const intent = await app.database.asSystem(async (sql) => {
      await sql
        .updateTable('provider_payments')
        .set({ refunded_paise: payment.amount_paise })
        .where('provider_payment_id', '=', payment.provider_payment_id)
        .execute()
      const ofLink = sql.updateTable('payment_links').set({ next_check_at: new Date('9999-12-31') })
      const { borrower_id, payment_intent_id } = await ofLink
        .where('payment_link_id', '=', link)
        .returning(['borrower_id', 'payment_intent_id'])
        .executeTakeFirstOrThrow()
      return readLink(sql, { borrowerId: borrower_id, paymentIntentId: payment_intent_id })
    })
    const again = await atProvider(`/payments/${payment.provider_payment_id}/refund`, { amount: Number(payment.amount_paise) })
    if (cause === 'sweep') await refreshLink(app.context, intent, { source: 'sweep', actorId: 'system' })
    else await reconcileDay(app.context, dayInIndia(app.clock.now()), () => Promise.resolve(null))
    expect((await refunds()).slice(known)).toMatchObject([
      { provider_refund_id: id, status: 'failed' },
      { provider_refund_id: again['id'], reason: 'by_lender' },
    ])
  })

  it('that cannot be applied does not keep the sweep from the next', async () => {
    await signInAs(11)
    const known = (await refunds()).length
    const payments: ProviderPaymentRow[] = []
    for (const name of ['first', 'second']) {
      const link = await openLink(app, token)
      await pay(link)
      await applied(link)
      const payment = await paymentOf(link)
      if (!payment) throw new Error('There is no payment')
      await reportRefund(payment, { providerRefundId: `rfnd_${name}`, amountPaise: payment.amount_paise, status: 'pending' })
      payments.push(payment)
    }
    const { gateway } = app.context
    const refundsOf = gateway.refundsOf.bind(gateway)
    const [first, second] = payments
    if (!first || !second) throw new Error('There is no payment')
    gateway.refundsOf = (id) => {
      if (id === first.provider_payment_id) return Promise.reject(new Error('broken'))
      const report = {
        providerRefundId: 'rfnd_second',
        providerPaymentId: id,
        amountPaise: second.amount_paise,
        status: 'processed',
      } as const
      const unnamed = { refundId: null, tryNumber: null, bankReference: null, createdAt: app.clock.now() }
      return Promise.resolve({ kind: 'found', refunds: [{ ...report, ...unnamed }] })
    }
    await advanceUntil(app, 600_000, async () => (await refunds()).at(-1)?.status === 'processed')
    gateway.refundsOf = refundsOf
    expect((await refunds()).slice(known).map(({ status }) => status)).toEqual(['pending', 'processed'])
    await reportRefund(first, { providerRefundId: 'rfnd_first', amountPaise: first.amount_paise, status: 'processed' })
  })

  it.each([
    ['of a status that Kist does not know is not made by Kist too', null],
    ['of a payment that was taken back is reviewed', 'processed'],
  ] as const)('%s', async (_name, status) => {
    await signInAs(11)
    const [before, known] = [await loan(), (await refunds()).length]
    const link = await openLink(app, token)
    await pay(link)
    await applied(link)
    const payment = await paymentOf(link)
    if (!payment) throw new Error('There is no payment')
    if (status === 'processed') await takeBack(payment.provider_payment_id)
    const id = `rfnd_${status}`
    const report = (of: typeof status | 'failed') =>
      reportRefund(payment, { providerRefundId: id, amountPaise: paise(40_000n), status: of })
    await report(status)
    if (status === 'processed') {
      expect([await reviewOf(id), (await refunds()).length]).toEqual(['refund_mismatch', known])
      expect(await loan()).toEqual(before)
      return
    }
    const [refund] = (await refunds()).slice(known)
    expect(refund).toMatchObject({ provider_refund_id: id, status: 'asked' })
    await submitRefund(app.context, { borrowerId: payment.borrower_id, refundId: refund?.refund_id ?? '' })
    await app.clock.advance(3_600_000)
    await sweepRefunds(app.context)
    const { refunds: made } = (await app.sandbox('/state')) as { refunds: { payment_id: string }[] }
    expect(made.filter(({ payment_id }) => payment_id === payment.provider_payment_id)).toEqual([])
    await report('failed')
  })

  it.each(['refused by the provider', 'reported as failed'])('is ours, of a loan’s credit, that was %s', async (why) => {
    // The newest payment is refunded, and the provider's times are whole seconds.
    await app.clock.advance(2_000)
    await signInAs(11)
    const [before, known] = [await loan(), (await refunds()).length]
    const link = await openLink(app, token)
    await payByTransfer(`UTR-${why.length}`)
    await pay(link)
    await applied(link)
    const payment = await paymentOf(link)
    if (!payment) throw new Error('There is no payment')
    const refund = await refundCreditThrough(payment, why)
    const byHand = { providerRefundId: `rfnd_by_hand_${why.length}`, amountPaise: paise(10_000n), status: 'processed' } as const
    await reportRefund(payment, { ...byHand, status: 'pending' })
    expect((await refunds()).slice(known)).toMatchObject([{ status: 'pending', provider_refund_id: byHand.providerRefundId }])
    await reportRefund(payment, byHand)
    expect((await refunds()).slice(known)).toMatchObject([
      { refund_id: refund, reason: 'excess', status: 'processed', provider_refund_id: byHand.providerRefundId },
    ])
    expect((await loan())?.number_of_emis_paid).toBe((before?.number_of_emis_paid ?? 0) + 1)
  })

  it('that is reported before its payment waits for the payment', async () => {
    await signInAs(11)
    const known = (await refunds()).length
    const link = await openLink(app, token)
    await dropWebhooks()
    // No scheduled check of the link runs for now.
    await app.database.asSystem((sql) =>
      sql
        .updateTable('payment_links')
        .set({ next_check_at: new Date('9999-12-31') })
        .where('payment_link_id', '=', link)
        .execute(),
    )
    await app.sandbox('/faults', { call: 'fetch', kind: 'stale_read', payment_link_id: link, times: 'forever' })
    await app.sandbox('/faults', { call: 'payment', kind: 'status', status: 503, times: 'forever' })
    const { payment } = (await pay(link)) as { payment: { id: string } }
    const refund = await atProvider(`/payments/${payment.id}/refund`, { amount: 10_000 })
    const about = { payment: { entity: { id: payment.id, description: `#${link.slice(6)}` } }, refund: { entity: refund } }
    expect(await event('early-refund', 'refund.created', about)).toBe(200)
    await until(async () => (await inboxRow('early-refund')).attempts > 0)
    expect((await inboxRow('early-refund')).processed_at).toBeNull()
    expect(await refunds()).toHaveLength(known)
    await app.sandbox('/faults', { clear: true })
    await advanceUntil(app, 30_000, async () => {
      const added = (await refunds()).slice(known)
      return added.length > 0 && added.every(({ status }) => status === 'processed')
    })
    await advanceUntil(app, 30_000, async () => (await inboxRow('early-refund')).outcome === 'applied')
    expect((await refunds()).at(-1)).toMatchObject({ reason: 'by_lender', amount_paise: 10_000n })
    // The first session may have been idle for too long.
    await signInAs(11)
    expect(await statusOf(link)).toEqual({ status: 'paid', rps_updated: true })
  })
})

describe('a payment begun before its link expired', () => {
  it.each([
    ['before', 'PAY_EMI'],
    ['after', null],
  ] as const)('and confirmed after it, with a transfer of the same day %s the link was made: purpose %s', async (when, purpose) => {
    await signInAs(7)
    const key = await app.database.asSystem((sql) => findLoanKey(sql, lan))
    if (!key) throw new Error('There is no loan')
    const transfer = () =>
      withLockedLoan(app.database, key, app.clock.now(), (loan) =>
        recordPayment(loan, {
          mode: 'neft',
          reference: `UTR-${when}`,
          amountPaise: paise(100n),
          date: dayInIndia(app.clock.now()),
          purpose: null,
        }),
      )
    if (when === 'before') await transfer()
    await app.clock.advance(60_000)
    const link = await openLink(app, token)
    await dropWebhooks()
    await pay(link, { outcome: 'late_success', after_seconds: 3 * 3_600 })
    await app.clock.advance(2 * 3_600_000)
    await until(async () => (await linkRow(link)).status === 'expired')
    if (when === 'after') await transfer()
    await advanceUntil(app, 30 * 60_000, async () => (await linkRow(link)).rps_updated)
    expect((await postingOf(link)).purpose).toBe(purpose)
  })

  it('and confirmed by the bank two days later keeps its purpose and its own date', async () => {
    await signInAs(7)
    const before = await loan()
    const link = await openLink(app, token)
    await dropWebhooks()
    await pay(link, { outcome: 'late_success', after_seconds: 2 * 86_400 })
    await app.clock.advance(2 * 3_600_000)
    await until(async () => (await linkRow(link)).status === 'expired')
    await app.clock.advance(2 * 86_400_000)
    await advanceUntil(app, 3_600_000, async () => (await linkRow(link)).rps_updated)
    await signInAs(7)
    expect((await loan())?.number_of_emis_paid).toBe((before?.number_of_emis_paid ?? 0) + 1)
    const posted = await postingOf(link)
    expect(posted.purpose).toBe('PAY_EMI')
    expect(daysBetween(posted.value_date, dayInIndia(app.clock.now()))).toBeGreaterThanOrEqual(2)
  })

  it('to close the loan, on a link that the borrower then cancelled, pays what is due, and staff see the rest', async () => {
    await signInAs(5)
    const link = await openPayoffLink()
    await dropWebhooks()
    await pay(link, { outcome: 'late_success', after_seconds: 1_800 })
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, token)).status).toBe(200)
    await app.clock.advance(1_800_000)
    await advanceUntil(app, 60_000, async () => (await linkRow(link)).rps_updated)
    expect((await postingOf(link)).purpose).toBe(null)
    await signInAs(5)
    expect((await loan())?.dues).toBe(0)
    expect(await reviewOf(String((await paymentOf(link))?.provider_payment_id))).toBe('late_for_purpose')
  })
})

/** Posts a payment without its bank's reference. @returns what lets the provider report it. */
async function payWithoutReference() {
  const link = await openLink(app, token)
  const { gateway } = app.context
  const fetchLink = gateway.fetchLink.bind(gateway)
  gateway.fetchLink = async (id) => {
    const outcome = await fetchLink(id)
    if (outcome.kind !== 'found') return outcome
    return { kind: 'found', link: { ...outcome.link, payments: outcome.link.payments.map((one) => ({ ...one, bankReference: null })) } }
  }
  await pay(link)
  await applied(link)
  const { bank_reference, provider_payment_id: id, payment_intent_id: paymentIntentId } = (await paymentOf(link))!
  expect(bank_reference).toBeNull()
  gateway.fetchLink = fetchLink
  const { borrowerId } = await keyOfLoan()
  const { payments } = (await app.sandbox('/state')) as { payments: { id: string; acquirer_data: { rrn: string } }[] }
  const reference = payments.find((payment) => payment.id === id)!.acquirer_data.rrn
  const report = async () => {
    const row = await app.database.asSystem((sql) => readLink(sql, { borrowerId, paymentIntentId }))
    await refreshLink(app.context, row, { source: 'sweep', actorId: 'system' })
    expect((await paymentOf(link))?.bank_reference).toBe(reference)
  }
  return { id, reference, report }
}

async function recordTransfer(reference: string): Promise<string> {
  const { borrowerId, loanId } = await keyOfLoan()
  const transfer = { mode: 'upi', reference, amountPaise: paise(100n), date: dayInIndia(app.clock.now()), purpose: null } as const
  const { paymentId } = await withLockedLoan(app.database, { borrowerId, loanId }, app.clock.now(), (loan) => recordPayment(loan, transfer))
  return paymentId
}

describe('a payment whose bank reference comes after it was posted', () => {
  it('cannot be recorded by hand', async () => {
    await signInAs(7)
    const { reference, report } = await payWithoutReference()
    await report()
    await expect(recordTransfer(reference)).rejects.toMatchObject({ reason: 'reference_taken' })
  })

  it('is reviewed if staff have recorded it meanwhile: both count', async () => {
    await signInAs(7)
    const { id, reference, report } = await payWithoutReference()
    const recorded = await recordTransfer(reference)
    await report()
    await report()
    const reviews = await app.database.asSystem((sql) =>
      sql.selectFrom('payment_reviews').select('detail').where('about', '=', `duplicate_bank_reference:${recorded}`).execute(),
    )
    expect(reviews).toMatchObject([{ detail: { payment: id, bank_reference: reference, recorded: 'counts too' } }])
  })
})

describe('money on a closed link while the loan’s next link is open', () => {
  it.each([
    ['expired', 11],
    ['paid', 7],
  ] as const)('is posted at once, and the next link stays open; the provider reports the first as %s', async (reported, borrower) => {
    await signInAs(borrower)
    const before = await loan()
    const first = await openLink(app, token)
    await pay(first, { outcome: 'late_success', after_seconds: 9_000 })
    await app.clock.advance(7_200_000)
    await signInAs(borrower)
    await until(async () => (await statusOf(first))['status'] === 'expired')
    const second = await openLink(app, token)
    const { gateway } = app.context
    const fetchLink = gateway.fetchLink.bind(gateway)
    gateway.fetchLink = async (id) => {
      const outcome = await fetchLink(id)
      const hasMoney = outcome.kind === 'found' && outcome.link.payments.length > 0
      return hasMoney && id === first ? { kind: 'found', link: { ...outcome.link, status: reported } } : outcome
    }
    await app.clock.advance(1_800_000)
    await signInAs(borrower)
    await until(async () => (await statusOf(first))['rps_updated'])
    gateway.fetchLink = fetchLink
    expect(await linkRow(first)).toEqual({ status: reported, rps_updated: true })
    // The waiting page would else tell someone who has paid to pay again.
    expect(await statusOf(first)).toEqual({ status: 'paid', rps_updated: true })
    expect(await statusOf(second)).toEqual({ status: 'created', rps_updated: false })
    expect((await loan())?.number_of_emis_paid).toBe((before?.number_of_emis_paid ?? 0) + 1)
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${second}`, {}, token)).status).toBe(200)
  })

  it('is not judged by money that came in between and goes back', async () => {
    await signInAs(7)
    const before = await loan()
    const first = await openLink(app, token)
    await dropWebhooks()
    await pay(first, { outcome: 'late_success', after_seconds: 1_800 })
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${first}`, {}, token)).status).toBe(200)
    const second = await openLink(app, token)
    await pay(second, { outcome: 'late_success', after_seconds: 9_000 })
    await app.clock.advance(1_800_000)
    await advanceUntil(app, 60_000, async () => (await linkRow(first)).rps_updated)
    await signInAs(7)
    expect((await loan())?.number_of_emis_paid).toBe(before?.number_of_emis_paid)
    await app.clock.advance(7_200_000)
    await signInAs(7)
    await advanceUntil(app, 600_000, async () => (await linkRow(second)).rps_updated)
    expect((await postingOf(second)).purpose).toBe('PAY_EMI')
    await signInAs(7)
    expect((await loan())?.number_of_emis_paid).toBe((before?.number_of_emis_paid ?? 0) + 1)
  })

  it('that closes the loan ends the next link', async () => {
    await signInAs(16)
    const first = await openPayoffLink()
    await pay(first, { outcome: 'late_success', after_seconds: 9_000 })
    await app.clock.advance(7_200_000)
    await signInAs(16)
    await until(async () => (await statusOf(first))['status'] === 'expired')
    const second = await openPayoffLink()
    await app.clock.advance(1_800_000)
    await signInAs(16)
    await until(async () => (await statusOf(first))['rps_updated'])
    await until(async () => (await statusOf(second))['status'] === 'cancelled')
  })
})

describe('an event that a link has ended', () => {
  it('is kept until the provider shows it', async () => {
    await signInAs(11)
    const link = await openLink(app, token)
    await dropWebhooks()
    const [row] = await app.database.asSystem((sql) =>
      sql
        .updateTable('payment_links')
        .set({ next_check_at: new Date('9999-12-31') })
        .where('payment_link_id', '=', link)
        .returning('reference')
        .execute(),
    )
    await app.clock.advance(7_200_000)
    await signInAs(11)
    await app.sandbox('/faults', { call: 'fetch', kind: 'status', status: 503, payment_link_id: link, times: 'forever' })
    await event('ended-1', 'payment_link.expired', { payment_link: { entity: { id: link, reference_id: row?.reference } } })
    await until(async () => (await inboxRow('ended-1')).attempts > 0)
    expect((await inboxRow('ended-1')).processed_at).toBeNull()
    await app.sandbox('/faults', { clear: true })
    await advanceUntil(app, 30_000, async () => (await inboxRow('ended-1')).outcome === 'applied')
    expect((await linkRow(link)).status).toBe('expired')
  })
})

describe('a link that differs from the one that was asked for', () => {
  it('and was not confirmed is cancelled at the provider and refused', async () => {
    await signInAs(7)
    await dropWebhooks()
    const { gateway } = app.context
    const findByReference = gateway.findLinkByReference.bind(gateway)
    let found = ''
    gateway.findLinkByReference = async (reference) => {
      const outcome = await findByReference(reference)
      if (outcome.kind !== 'found') return outcome
      found = outcome.link.paymentLinkId
      return { kind: 'found', link: { ...outcome.link, amountPaise: paise(outcome.link.amountPaise + 100n) } }
    }
    await app.sandbox('/faults', { call: 'create', kind: 'reset_after', times: 1 })
    expect((await requestLink(app, token)).status).toBe(503)
    const findIntent = () =>
      app.database.asSystem((sql) =>
        sql.selectFrom('payment_links').select('status').orderBy('created_at', 'desc').limit(1).executeTakeFirstOrThrow(),
      )
    await advanceUntil(app, 5_000, async () => (await findIntent()).status === 'refused')
    gateway.findLinkByReference = findByReference
    const { links } = (await app.sandbox('/state')) as { links: { id: string; status: string }[] }
    expect(links.find(({ id }) => id === found)?.status).toBe('cancelled')
    const next = await openLink(app, token)
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${next}`, {}, token)).status).toBe(200)
  })

  it('ends at its expiry too if it was paid in another currency, which stays under review', async () => {
    await signInAs(7)
    const before = await loan()
    const link = await openLink(app, token)
    await dropWebhooks()
    const { gateway } = app.context
    const fetchLink = gateway.fetchLink.bind(gateway)
    gateway.fetchLink = async (id) => {
      const outcome = await fetchLink(id)
      if (outcome.kind !== 'found' || id !== link) return outcome
      const payments = outcome.link.payments.map((payment) => ({ ...payment, currency: 'USD' }))
      return { kind: 'found', link: { ...outcome.link, payments } }
    }
    await pay(link)
    await until(async () => (await statusOf(link))['rps_updated'] === false && (await reviews()).includes('currency_mismatch'))
    await app.clock.advance(7_200_000)
    await advanceUntil(app, 600_000, async () => (await linkRow(link)).status === 'expired')
    await signInAs(7)
    const next = await openLink(app, token)
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${next}`, {}, token)).status).toBe(200)
    expect([(await linkRow(link)).status, (await loan())?.number_of_emis_paid]).toEqual(['expired', before?.number_of_emis_paid])
    // The link keeps its currency: rupees would be posted while the next test asks for its link.
  })

  it('ends at its expiry', async () => {
    await signInAs(7)
    const link = await openLink(app, token)
    await dropWebhooks()
    const { gateway } = app.context
    const fetchLink = gateway.fetchLink.bind(gateway)
    gateway.fetchLink = async (id) => {
      const outcome = await fetchLink(id)
      return outcome.kind === 'found' && id === link ? { kind: 'found', link: { ...outcome.link, reference: 'edited' } } : outcome
    }
    await until(async () => (await statusOf(link))['status'] === 'created' && (await reviews()).includes('reference_mismatch'))
    await app.clock.advance(7_200_000)
    await advanceUntil(app, 600_000, async () => (await linkRow(link)).status === 'expired')
    gateway.fetchLink = fetchLink
    await signInAs(7)
    const next = await openLink(app, token)
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${next}`, {}, token)).status).toBe(200)
  })
})

describe('a link that appears after its request was given up', () => {
  it.each(['created', 'expired'] as const)('is refused to a repeated request while the provider shows it as %s', async (status) => {
    await signInAs(11)
    const headers = { 'idempotency-key': `given-up-${status}` }
    await dropWebhooks()
    await app.sandbox('/faults', { call: 'create', kind: 'reset', times: 1 })
    expect((await requestLink(app, token, { headers })).status).toBe(503)
    const findIntent = () =>
      app.database.asSystem((sql) =>
        sql.selectFrom('payment_links').selectAll().orderBy('created_at', 'desc').limit(1).executeTakeFirstOrThrow(),
      )
    await advanceUntil(app, 60_000, async () => (await findIntent()).status === 'refused')
    const intent = await findIntent()
    const link = `plink_later${status}`
    const found = {
      reference: intent.reference,
      paymentLinkId: link,
      redirectUrl: `${app.sandboxUrl}/l/${link}`,
      amountPaise: intent.amount_paise,
      status,
      payments: [],
    }
    const key = { borrowerId: intent.borrower_id, paymentIntentId: intent.payment_intent_id }
    await storeSnapshot(app.context, key, found, { source: 'sweep', actorId: 'system' })
    expect(await findIntent()).toMatchObject({ status: status === 'created' ? 'refused' : 'expired', payment_link_id: link })
    // The first session may have been idle for too long.
    await signInAs(11)
    const again = await requestLink(app, token, { headers })
    expect([again.status, again.body['code']]).toEqual([502, 'PaymentGatewayRefused'])
    // Nobody has the id of the other.
    if (status === 'expired') return
    expect((await app.get(`/portal/payment-link/status?payment_link_id=${link}`, token)).status).toBe(404)
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, token)).status).toBe(404)
  })
})
