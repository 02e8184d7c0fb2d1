import { sql as raw } from 'kysely'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, rupeesToPaise } from '#domain/money.ts'
import { rupees } from '#domain/written-figures.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { selectLinkPayments } from '#testkit/link-payments.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { firstLoan, openLink, payLink, readOffer } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { syncReturns } from '../autopay/sync-returns.ts'
import { fetchFile } from '../documents/files.testing.ts'
import { readPdf } from '../documents/pdf-text.testing.ts'
import type { BankTransfer } from '../ledger/post-refund.ts'
import { addCharges } from '../loan-changes/add-charge.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { reversePayment } from '../loan-changes/reverse-payment.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { syncLinkFromProvider } from './links/sync-link.ts'
import { changeRefund, type RefundRow } from './refund-store.ts'
import { recordTakenBack, reverseByPeople } from './refunds/record-taken-back.ts'
import { refundCredit } from './refunds/refund-credit.ts'
import { retryRefund } from './refunds/retry-refund.ts'
import { returnByBank } from './refunds/return-by-bank.ts'
import { submitRefund } from './refunds/submit-refund.ts'
import { applyRefunds, syncRefunds } from './refunds/sync-refunds.ts'
import { isMoneyGone } from './refunds/taken-back.ts'
import { reviewDispute } from './review-dispute.ts'
import { listReviews, lostEvent } from './review-store.ts'

let app: App
let token: string
let lan: string

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_SWEEP_AFTER_SECONDS: '1', RAZORPAY_TIMEOUT_MS: '15000' } })
  // Retries run at once in this test.
  await app.database.asSystem((sql) => raw`update pgboss.queue set retry_delay = 0, retry_backoff = false`.execute(sql))
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

type Loan = { dues: number; dpd: number; number_of_emis_paid: number; principal_outstanding: number }
const loan = async () =>
  ((await app.get('/portal/loans-summary', token)).body['loans'] as (Loan & { lan: string })[]).find((one) => one.lan === lan) as Loan
type Shown = {
  payment_link_id: string
  payment_id: string
  status: string
  refunds?: { amount: number; status: string; asked_at: string; processed_at: string | null; bank_reference: string | null }[]
}
const completed = async (link: string) =>
  ((await app.get(`/portal/completed-payments?application_id=${lan}`, token)).body['payment_links'] as Shown[]).find(
    ({ payment_link_id }) => payment_link_id === link,
  )

async function addLink(purpose: 'PAY_EMI' | 'OVERDUE' = 'PAY_EMI'): Promise<{ link: string; amount: number }> {
  const amount = await readOffer(app, token, lan, purpose)
  return { link: await openLink(app, token, { lan, purpose, amount }), amount }
}

const pay = (link: string, outcome?: object) => payLink(app, link, outcome)
const statusOf = async (link: string) => (await app.get(`/portal/payment-link/status?payment_link_id=${link}`, token)).body
const applied = (link: string) => until(async () => (await statusOf(link))['rps_updated'])
const refundsOf = async (link: string) =>
  app.database.asSystem((sql) =>
    sql
      .selectFrom('refunds')
      .innerJoin('payment_links', (join) =>
        join
          .onRef('payment_links.borrower_id', '=', 'refunds.borrower_id')
          .onRef('payment_links.payment_intent_id', '=', 'refunds.payment_intent_id'),
      )
      .selectAll('refunds')
      .where('payment_links.payment_link_id', '=', link)
      .orderBy('refunds.asked_at')
      .execute(),
  )
/** The provider's refunds of a link's payments. */
const providerRefunds = async (link: string) => {
  const { payments, refunds } = (await app.sandbox('/state')) as {
    payments: { id: string; description: string }[]
    refunds: { id: string; payment_id: string; status: string }[]
  }
  const own = new Set(payments.filter(({ description }) => description === `#${link.slice(6)}`).map(({ id }) => id))
  return refunds.filter(({ payment_id }) => own.has(payment_id))
}
const ended = (link: string, status = 'processed') =>
  until(async () => {
    const refunds = await refundsOf(link)
    return refunds.length > 0 && refunds.every((refund) => refund.status === status) ? refunds : null
  })
/** Waits until the provider has a link's refund, which is pending for a few seconds only. */
const accepted = (link: string) => until(async () => (await refundsOf(link))[0]?.provider_refund_id)
/** The text of the loan's statement of account up to today. */
async function statement(): Promise<string> {
  const { body } = await app.get(`/portal/generate-document?lead_id=${lan}&doc_type=statement_of_account`, token)
  const { pathname, search } = new URL(String(body['doc_url']))
  const { text } = await readPdf(new Uint8Array(await (await fetchFile(app, pathname + search)).arrayBuffer()))
  return text.replaceAll(/\s+/g, ' ')
}
const findKey = async () => (await app.database.asSystem((sql) => findLoanKey(sql, lan))) ?? { borrowerId: '', loanId: '' }
/** Runs work on the loan under its lock. */
const onLoan = async <T>(work: (loan: LoanTransaction) => Promise<T>): Promise<T> =>
  withLockedLoan(app.database, await findKey(), app.clock.now(), work)
const sendByBank = (sent: BankTransfer) => onLoan((loan) => returnByBank(loan, sent))
/** Only the test submits refunds. */
const noJobs = { enqueue: () => Promise.resolve() }
const dropWebhooks = () => app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })

describe('a second capture of one link', () => {
  beforeAll(() => signInAs(1))

  it('is refunded once under simultaneous webhooks, polls and sweeps, and never counts', async () => {
    const { link, amount } = await addLink()
    await pay(link)
    await applied(link)
    const before = await loan()
    await pay(link, { outcome: 'success', second_capture: 'keep' })
    await Promise.all([
      ...Array.from({ length: 10 }, () => statusOf(link)),
      app.sandbox('/webhooks/replay', { payment_link_id: link, times: 20, concurrency: 20 }),
    ])
    await until(async () => (await refundsOf(link)).length > 0)
    expect(await loan()).toEqual(before)
    await until(async () => (await providerRefunds(link)).length > 0)
    await app.clock.advance(15_000)
    const [refund, ...others] = await ended(link)
    expect(others).toEqual([])
    expect(refund).toMatchObject({ reason: 'duplicate', status: 'processed', asked_by: 'system' })
    expect(await providerRefunds(link)).toHaveLength(1)
    expect(await loan()).toEqual(before)
    const shown = await completed(link)
    expect(shown).toMatchObject({ status: 'paid', refunds: [{ amount, status: 'processed', bank_reference: refund?.bank_reference }] })
    expect(refund?.bank_reference).toMatch(/^\d{12}$/)
    const notices = (await app.get('/portal/notices', token)).body['notices'] as { kind: string; amount: number }[]
    expect(notices.filter(({ kind }) => kind.startsWith('refund_')).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['refund_processed', amount],
      ['refund_asked', amount],
    ])
  })

  it('that the provider refunded by itself is found and posted once', async () => {
    const { link, amount } = await addLink()
    await pay(link)
    await applied(link)
    const before = await loan()
    await pay(link, { outcome: 'late_success', after_seconds: 0 })
    await app.clock.advance(1_000)
    await until(async () => (await refundsOf(link)).length > 0)
    await app.clock.advance(15_000)
    const refunds = await ended(link)
    expect(refunds.map(({ amount_paise, reason }) => [Number(amount_paise) / 100, reason])).toEqual([[amount, 'duplicate']])
    expect(await providerRefunds(link)).toHaveLength(1)
    expect(await loan()).toEqual(before)
  })
})

describe('a payment by link', () => {
  it('that the bank takes back whole counts no more in the list, which all others do', async () => {
    await signInAs(7)
    const { link } = await addLink()
    await pay(link)
    await applied(link)
    const paid = await completed(link)
    expect(paid).not.toHaveProperty('counted')
    const whole = { source: 'razorpay', sourceId: String(paid?.payment_id), isReportedByBank: true, partPaise: undefined }
    await onLoan((loan) => reverseByPeople(loan, whole))
    expect(await completed(link)).toEqual({ ...paid, counted: 0 })
  })
})

describe('money on a cancelled link', () => {
  const cancelled = async (purpose: 'PAY_EMI' | 'OVERDUE') => {
    const made = await addLink(purpose)
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${made.link}`, {}, token)).status).toBe(200)
    return made
  }
  const late = async (link: string) => {
    await pay(link, { outcome: 'late_success', after_seconds: 0 })
    await app.clock.advance(1_000)
  }

  it('settles dues from its own date, if there are any', async () => {
    await signInAs(5)
    const { link } = await cancelled('OVERDUE')
    const before = await loan()
    expect(before.dues).toBeGreaterThan(0)
    await late(link)
    await until(async () => (await loan()).dues === 0)
    expect(await refundsOf(link)).toEqual([])
    expect(await completed(link)).toMatchObject({ status: 'cancelled' })
  })

  it('is refunded if nothing is due', async () => {
    await signInAs(7)
    const before = await loan()
    expect(before.dues).toBe(0)
    const { link } = await cancelled('PAY_EMI')
    await late(link)
    await until(async () => (await refundsOf(link)).length > 0)
    expect((await refundsOf(link))[0]).toMatchObject({ reason: 'nothing_due' })
    await until(async () => (await providerRefunds(link)).length > 0)
    await app.clock.advance(15_000)
    await ended(link)
    expect(await loan()).toEqual(before)
    const wentBack = { status: 'cancelled', refunds: [{ status: 'processed' }], counted: 0, refund_status: 'processed' }
    expect(await completed(link)).toMatchObject(wentBack)
    expect(await statusOf(link)).toEqual({ status: 'cancelled', rps_updated: true })
  })

  it('that is refunded is not shown as paid when the provider then reports the link as paid', async () => {
    await signInAs(7)
    const { link } = await cancelled('PAY_EMI')
    await late(link)
    await until(async () => (await refundsOf(link)).length > 0)
    const [refund] = await refundsOf(link)
    const { borrowerId } = await findKey()
    const reported = await app.context.gateway.fetchLink(link)
    if (reported.kind !== 'found') throw new Error(reported.kind)
    const key = { borrowerId, paymentIntentId: refund?.payment_intent_id ?? '' }
    await syncLinkFromProvider(app.context, key, { ...reported.link, status: 'paid' }, { source: 'sweep', actorId: 'system' })
    expect(await completed(link)).toMatchObject({ status: 'paid' })
    expect(await statusOf(link)).toEqual({ status: 'cancelled', rps_updated: true })
    await app.clock.advance(15_000)
    await ended(link)
  })
})

describe('a refund that the provider', () => {
  beforeAll(() => signInAs(11))
  const paidTwice = async () => {
    const { link } = await addLink()
    await pay(link)
    await applied(link)
    await pay(link, { outcome: 'success', second_capture: 'keep' })
    await until(async () => (await refundsOf(link)).length > 0)
    return link
  }

  /**
   * Pays the next instalment by link, of which a transfer has paid ₹300 meanwhile: as much of the
   * link's money is credit until the transfer is taken back.
   */
  const receiveCredit = async (reference: string) => {
    const { link } = await addLink()
    const date = dayInIndia(app.clock.now())
    const came = { mode: 'neft', reference, amountPaise: rupeesToPaise(300), date, purpose: 'PAY_EMI' } as const
    await onLoan((loan) => recordPayment(loan, came))
    await pay(link)
    await applied(link)
    return { link, borrowerId: (await findKey()).borrowerId, came, date }
  }

  it.each(['timeout_after', 'reset_after', 'status_after'])('accepted and answered with %s is sent once', async (kind) => {
    await app.sandbox('/faults', { call: 'refund', kind, ...(kind === 'status_after' && { status: 502 }), times: 1 })
    const link = await paidTwice()
    await accepted(link)
    await app.clock.advance(15_000)
    await ended(link)
    expect(await providerRefunds(link)).toHaveLength(1)
  })

  it('cannot pay now is submitted again until it can', async () => {
    await app.sandbox('/faults', { call: 'refund', kind: 'insufficient_balance', times: 2 })
    const link = await paidTwice()
    await accepted(link)
    await app.clock.advance(15_000)
    await ended(link)
    expect(await providerRefunds(link)).toHaveLength(1)
  })

  it('refused late, after a new try was requested, does not end that try', async () => {
    await app.sandbox('/faults', { call: 'refund', kind: 'status', status: 400, times: 2 })
    const link = await paidTwice()
    const [refund] = (await ended(link, 'failed')) as [RefundRow]
    const { body } = await app.get('/portal/notices', token)
    const ofLink = (body['notices'] as Record<string, unknown>[]).filter(({ payment_link_id: id }) => id === link)
    expect(ofLink.map(({ kind }) => kind)).toEqual(['refund_failed', 'refund_asked', 'payment_applied'])
    const store = (change: Parameters<typeof changeRefund>[2]) => app.database.asSystem((sql) => changeRefund(sql, refund, change))
    // A second worker submits the refund before it fails, and gets the refusal after the operator
    // has started a new try.
    await store({ status: 'asked', refusals: 0 })
    const { gateway } = app.context
    const refundPayment: typeof gateway.refundPayment = async (request) => {
      const outcome = await gateway.refundPayment(request)
      await store({ status: 'asked', refusals: 1 })
      return outcome
    }
    const key = { borrowerId: refund.borrower_id, refundId: refund.refund_id }
    await submitRefund({ ...app.context, gateway: { ...gateway, refundPayment } }, key)
    expect((await refundsOf(link))[0]).toMatchObject({ status: 'asked', refusals: 1 })
    await submitRefund(app.context, key)
    await app.clock.advance(15_000)
    await ended(link)
    expect(await providerRefunds(link)).toHaveLength(1)
  })

  it('accepted after it refused an earlier try is sent once, also for a part of the payment', async () => {
    const { link, borrowerId } = await receiveCredit('UTR-CREDIT')
    const credit = { amountPaise: rupeesToPaise(100), note: 'paid too much', askedBy: 'operator' }
    const [refundId = ''] = await onLoan(({ sql, own }) => refundCredit(sql, noJobs, own, credit, app.clock.now()))
    const key = { borrowerId, refundId }
    await app.sandbox('/faults', { call: 'refund', kind: 'status', status: 400, times: 1 })
    await submitRefund(app.context, key)
    const [refund] = (await refundsOf(link)) as [RefundRow]
    expect(refund).toMatchObject({ status: 'failed', refusals: 1 })
    // The provider accepted the first try; the refusal came from a proxy.
    const { provider_payment_id: providerPaymentId, amount_paise: amountPaise } = refund
    const request = { providerPaymentId, amountPaise, refundId, tryNumber: 0, key: `kist-${refundId}-0` }
    expect((await app.context.gateway.refundPayment(request)).kind).toBe('accepted')
    await app.database.asSystem((sql) => retryRefund(sql, noJobs, refundId, app.clock.now()))
    await submitRefund(app.context, key)
    await app.clock.advance(15_000)
    await ended(link)
    expect(await providerRefunds(link)).toHaveLength(1)
  })

  it('refused for good and sent by the lender’s bank is over, and is not sent again', async () => {
    await app.sandbox('/faults', { call: 'refund', kind: 'status', status: 400, times: 1 })
    const link = await paidTwice()
    const [refund] = (await ended(link, 'failed')) as [RefundRow]
    const { refund_id: refundId, amount_paise: amountPaise } = refund
    const before = await loan()
    const goesBack = `The advance includes ${rupees(amountPaise)} that goes back to its payer.`
    expect(await statement()).toContain(goesBack)
    const sent = { mode: 'neft', reference: 'SBIN526330112233', amountPaise, date: dayInIndia(app.clock.now()) } as const
    await expect(sendByBank({ ...sent, amountPaise: paise(amountPaise + 1n) })).rejects.toThrow('no more than that can have been returned')
    await expect(sendByBank({ ...sent, date: addDays(dayInIndia(refund.asked_at), -1) })).rejects.toMatchObject({
      reason: 'refund_before_request',
    })
    await sendByBank(sent)
    await expect(sendByBank(sent)).rejects.toMatchObject({ reason: 'reference_taken' })
    const over = { status: 'processed', provider_refund_id: null, bank_reference: sent.reference }
    expect(await refundsOf(link)).toMatchObject([over])
    expect(await loan()).toEqual(before)
    expect(await statement()).not.toContain('goes back')
    expect((await completed(link))?.refunds).toMatchObject([{ status: 'processed', bank_reference: sent.reference }])
    const openReviews = () => app.database.asSystem((sql) => listReviews(sql, false))
    expect((await openReviews()).filter(({ about }) => about.includes(refundId))).toEqual([])

    await expect(sendByBank({ ...sent, reference: 'SBIN526330112234' })).rejects.toThrow('no more than that can have been returned')
    await expect(app.database.asSystem((sql) => retryRefund(sql, noJobs, refundId, app.clock.now()))).rejects.toThrow('is processed')
    // The provider sends it all the same.
    const late = {
      providerRefundId: 'rfnd_all_the_same',
      providerPaymentId: refund.provider_payment_id,
      refundId,
      tryNumber: 0,
      amountPaise,
      status: 'processed',
      bankReference: null,
      createdAt: app.clock.now(),
    } as const
    await applyRefunds(app.context, refund, [late])
    expect(await refundsOf(link)).toMatchObject([over])
    expect((await openReviews()).map(({ about }) => about)).toContainEqual(expect.stringContaining(late.providerRefundId))
  })

  /** Refunds ₹100 of a payment as the lender's dashboard does. */
  const refundPartInDashboard = async ({ provider_payment_id: id }: RefundRow) => {
    const { keyId, keySecret } = app.context.config.razorpay
    const authorization = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ amount: 10_000 }) }
    expect((await fetch(`${app.sandboxUrl}/v1/payments/${id}/refund`, init)).status).toBe(200)
  }
  /** A refund of a payment that never counted, which the provider has refused. */
  const refusedOnce = async () => {
    await app.sandbox('/faults', { call: 'refund', kind: 'status', status: 400, times: 1 })
    const link = await paidTwice()
    const [refund] = (await ended(link, 'failed')) as [RefundRow]
    return { link, refund, key: { borrowerId: refund.borrower_id, refundId: refund.refund_id } }
  }

  it.each(['refused', 'not refused yet'])('%s, is reduced by a part that the lender sends in the dashboard', async (when) => {
    const before = await loan()
    const { link, refund, key } = await refusedOnce()
    if (when === 'refused') {
      await refundPartInDashboard(refund)
      await syncRefunds(app.context, refund)
    } else {
      await app.database.asSystem((sql) => retryRefund(sql, noJobs, refund.refund_id, app.clock.now()))
      await refundPartInDashboard(refund)
      await submitRefund(app.context, key)
    }
    const leftPaise = paise(refund.amount_paise - 10_000n)
    const rows = async () => (await refundsOf(link)).map(({ reason, amount_paise, status }) => [reason, amount_paise, status])
    await until(async () => (await rows()).length === 2)
    expect((await rows())[0]).toEqual(['duplicate', leftPaise, 'failed'])
    expect((await rows())[1]).toMatchObject(['by_lender', 10_000n, expect.stringMatching(/pending|processed/)])
    const open = await app.database.asSystem((sql) => listReviews(sql, false))
    expect(open.filter(({ detail }) => JSON.stringify(detail).includes(refund.provider_payment_id))).toMatchObject([
      { kind: 'refund_failed', detail: { amount_paise: String(leftPaise) } },
    ])
    await app.database.asSystem((sql) => retryRefund(sql, noJobs, refund.refund_id, app.clock.now()))
    await submitRefund(app.context, key)
    await app.clock.advance(15_000)
    await ended(link)
    expect(await providerRefunds(link)).toHaveLength(2)
    // What never counted holds no late charge.
    expect(await onLoan(async ({ own }) => own.facts.lateChargeHolds)).toEqual([])
    expect((await loan()).principal_outstanding).toBeLessThan(before.principal_outstanding)
  })

  it('accepted and failed later is reduced once by a part that fails in the dashboard and is made again', async () => {
    await app.sandbox('/faults', { call: 'refund', kind: 'refund_fails', times: 1 })
    const link = await paidTwice()
    await until(async () => (await refundsOf(link))[0]?.provider_refund_id)
    await app.clock.advance(60_000)
    const [refund] = (await ended(link, 'failed')) as [RefundRow]
    const leftPaise = paise(refund.amount_paise - 10_000n)
    const rows = async () => (await refundsOf(link)).map(({ amount_paise, status }) => [amount_paise, status])
    await app.sandbox('/faults', { call: 'refund', kind: 'refund_fails', times: 1 })
    await refundPartInDashboard(refund)
    await syncRefunds(app.context, refund)
    await app.clock.advance(60_000)
    await until(async () => {
      await syncRefunds(app.context, refund)
      return (await rows())[1]?.[1] === 'failed'
    })
    await refundPartInDashboard(refund)
    await app.clock.advance(15_000)
    await until(async () => {
      await syncRefunds(app.context, refund)
      return (await rows()).some(([, status]) => status === 'processed')
    })
    expect((await rows()).toSorted()).toEqual(
      [
        [leftPaise, 'failed'],
        [10_000n, 'failed'],
        [10_000n, 'processed'],
      ].toSorted(),
    )
    const open = await app.database.asSystem((sql) => listReviews(sql, false))
    const kinds = open.filter(({ detail }) => JSON.stringify(detail).includes(refund.provider_payment_id)).map(({ kind }) => kind)
    expect(kinds).not.toContain('refund_mismatch')
  })

  /** A link for ₹500 of charges, paid after a transfer had paid them: all of it is credit. */
  const paidToCredit = async (name: string) => {
    const [date, amountPaise] = [dayInIndia(app.clock.now()), rupeesToPaise(500)]
    const charge = { chargeId: `charge:${name}`, date, chargeType: 'BOUNCE_CHARGE', amountPaise, penal: false } as const
    await onLoan((loan) => addCharges(loan, [charge]))
    const { link } = await addLink('OVERDUE')
    const came = { mode: 'neft', reference: `UTR${name}`, amountPaise, date, purpose: null } as const
    await onLoan((loan) => recordPayment(loan, came))
    await pay(link)
    await applied(link)
    return { link, amountPaise }
  }

  it('of credit is sent although the bank has taken a part of its payment meanwhile', async () => {
    await signInAs(2)
    const { link } = await paidToCredit('TAKEN1')
    const credit = { amountPaise: rupeesToPaise(200), note: 'paid too much', askedBy: 'operator' }
    const [refundId = ''] = await onLoan(({ sql, own }) => refundCredit(sql, noJobs, own, credit, app.clock.now()))
    const [{ provider_payment_id: sourceId }] = (await refundsOf(link)) as [RefundRow]
    const part = { source: 'razorpay', sourceId, isReportedByBank: true, partPaise: rupeesToPaise(100) }
    await onLoan((loan) => reverseByPeople(loan, part))
    await submitRefund(app.context, { borrowerId: (await findKey()).borrowerId, refundId })
    await app.clock.advance(15_000)
    const rows = async () => (await refundsOf(link)).map(({ reason, amount_paise, status }) => [reason, amount_paise, status])
    await until(async () => (await rows()).every(([, , status]) => status === 'processed' || status === 'failed'))
    expect((await rows()).toSorted()).toEqual([
      ['by_lender', 10_000n, 'processed'],
      ['excess', 20_000n, 'processed'],
    ])
    await signInAs(11)
  })

  it('refused, of credit as large as its payment, is reduced by a part that the lender sends in the dashboard', async () => {
    await signInAs(7)
    const { link, amountPaise } = await paidToCredit('WHOLE1')
    const credit = { amountPaise, note: 'paid too much', askedBy: 'operator' }
    const [refundId = ''] = await onLoan(({ sql, own }) => refundCredit(sql, noJobs, own, credit, app.clock.now()))
    const key = { borrowerId: (await findKey()).borrowerId, refundId }
    await app.sandbox('/faults', { call: 'refund', kind: 'status', status: 400, times: 1 })
    await submitRefund(app.context, key)
    const [refund] = (await ended(link, 'failed')) as [RefundRow]
    await refundPartInDashboard(refund)
    await syncRefunds(app.context, refund)
    const rows = async () => (await refundsOf(link)).map(({ reason, amount_paise }) => [reason, amount_paise])
    expect(await rows()).toEqual([
      ['excess', paise(amountPaise - 10_000n)],
      ['excess', 10_000n],
    ])
    await app.database.asSystem((sql) => retryRefund(sql, noJobs, refundId, app.clock.now()))
    await submitRefund(app.context, key)
    await app.clock.advance(15_000)
    await ended(link)
    expect(await providerRefunds(link)).toHaveLength(2)
    await signInAs(11)
  })

  it('of credit waits for the record of each lost dispute of a payment', async () => {
    await signInAs(5)
    const { link, amount } = await addLink()
    await pay(link)
    await applied(link)
    const payment = await app.database.asSystem((sql) =>
      selectLinkPayments(sql, link).selectAll('provider_payments').executeTakeFirstOrThrow(),
    )
    const paymentId = payment.provider_payment_id
    const lose = (about: string) =>
      onLoan(({ sql }) => reviewDispute(sql, payment, { about, event: lostEvent, paymentId }, app.clock.now()))
    const part = { source: 'razorpay', sourceId: paymentId, isReportedByBank: true, partPaise: rupeesToPaise(500) }
    const record = () => onLoan((loan) => reverseByPeople(loan, part))
    const isGone = () => onLoan(({ sql, own }) => isMoneyGone(sql, own))
    const letter = async () => (await app.get(`/portal/generate-document?lead_id=${lan}&doc_type=payoff_letter`, token)).status
    expect([await isGone(), await letter()]).toEqual([false, 200])
    await lose('disp_first')
    // Nobody can tell what closes the loan until the loss is recorded.
    expect([await isGone(), await letter()]).toEqual([true, 409])
    await record()
    expect([await isGone(), await letter()]).toEqual([false, 200])
    expect(await completed(link)).toMatchObject({ refunds: [{ amount: 500, taken_by_bank: true }], counted: amount - 500 })
    await app.clock.advance(1_000)
    await lose('disp_second')
    expect(await isGone()).toBe(true)
    await record()
    expect(await isGone()).toBe(false)
    await signInAs(11)
  })

  it('refused, of a payment whose dispute is lost, is not sent, and ends once that is recorded', async () => {
    const { link, refund, key } = await refusedOnce()
    const before = await loan()
    const { provider_payment_id: paymentId, amount_paise: amountPaise } = refund
    const disputes = [{ disputeId: 'disp_KistOfRefund001', paymentId, amountPaise, isLost: true, reason: '' }]
    const gateway = { ...app.context.gateway, listDisputes: async () => ({ kind: 'found' as const, disputes }) }
    await syncReturns({ ...app.context, gateway })
    const retry = () => app.database.asSystem((sql) => retryRefund(sql, noJobs, refund.refund_id, app.clock.now()))
    await expect(retry()).rejects.toMatchObject({ reason: 'refund_money_gone' })
    const date = dayInIndia(app.clock.now())
    const sent = { mode: 'neft', reference: 'UTRGONE1', amountPaise, date } as const
    await expect(sendByBank(sent)).rejects.toMatchObject({ reason: 'refund_money_gone' })
    // The same before it was refused.
    await app.database.asSystem((sql) => changeRefund(sql, refund, { status: 'asked' }))
    await submitRefund(app.context, key)
    expect(await refundsOf(link)).toMatchObject([{ status: 'failed', last_error: 'the bank has taken back its money' }])
    expect(await providerRefunds(link)).toEqual([])
    const record = () => onLoan((loan) => recordTakenBack(loan, 'razorpay', paymentId))
    expect(await record()).toMatchObject({ amountPaise })
    expect(await refundsOf(link)).toMatchObject([{ status: 'processed', provider_refund_id: `returned:${refund.refund_id}` }])
    const open = (await app.database.asSystem((sql) => listReviews(sql, false))).map(({ about }) => about)
    expect(open.filter((about) => about.includes(refund.refund_id))).toEqual([])
    await expect(record()).rejects.toMatchObject({ reason: 'payment_reversed' })
    expect(await loan()).toEqual(before)
  })

  it.each(['failed', null] as const)('has sent and then reports as %s is for a person', async (status) => {
    const link = await paidTwice()
    await until(async () => (await refundsOf(link))[0]?.status === 'pending')
    await app.clock.advance(15_000)
    const [refund] = (await ended(link)) as [RefundRow]
    const { provider_payment_id: providerPaymentId, provider_refund_id: providerRefundId, amount_paise: amountPaise } = refund
    const entity = { providerRefundId: providerRefundId!, providerPaymentId, amountPaise, status, refundId: refund.refund_id }
    for (const _poll of [1, 2])
      await applyRefunds(app.context, refund, [{ ...entity, tryNumber: 0, bankReference: null, createdAt: app.clock.now() }])
    expect(await refundsOf(link)).toMatchObject([{ status: 'processed' }])
    const open = await app.database.asSystem((sql) => listReviews(sql, false))
    expect(open.filter(({ about }) => about.includes(providerRefundId!))).toMatchObject([
      { kind: 'refund_failed', detail: { amount_paise: String(amountPaise), status, why: 'the provider had sent it before' } },
    ])
  })

  it('does not have yet, of credit whose money the bank has taken back since, is not sent to it', async () => {
    const { link, borrowerId, came, date } = await receiveCredit('UTR-BOUNCES-TOO')
    const credit = { amountPaise: came.amountPaise, note: 'paid too much', askedBy: 'operator' }
    // One transaction: the portal's own sweeper sends nothing in between.
    const [refundId = ''] = await onLoan(async (loan) => {
      const { sql, own } = loan
      const asked = await refundCredit(sql, noJobs, own, credit, app.clock.now())
      const after = await lockOwnLoan(sql, own.loan.borrower_id, own.loan.loan_id)
      await reversePayment({ ...loan, own: after }, came.mode, came.reference, true)
      return asked
    })
    await submitRefund(app.context, { borrowerId, refundId })
    const unsent = { status: 'failed', provider_refund_id: null, last_error: expect.stringContaining('taken back') }
    expect((await refundsOf(link)).filter(({ refund_id }) => refund_id === refundId)).toMatchObject([unsent])
    expect(await providerRefunds(link)).toEqual([])
    const reviews = await app.database.asSystem((sql) => listReviews(sql, false))
    expect(reviews.filter(({ about }) => about.includes(refundId))).toHaveLength(1)
    // What is missing was never sent: the follow-up, which waited for the refund, says so.
    await app.clock.advance(310_000)
    const { refundShortPaise } = await onLoan(({ own: { facts } }) => Promise.resolve(loanStateDuring(facts, date)))
    const missing = { short_paise: String(refundShortPaise), unsent_paise: String(came.amountPaise) }
    const short = () =>
      app.database.asSystem((sql) => sql.selectFrom('payment_reviews').select('detail').where('kind', '=', 'refund_short').execute())
    expect(await until(async () => (await short())[0])).toEqual({ detail: missing })
    // The money comes after all, and the refund with it.
    await onLoan((loan) => recordPayment(loan, { ...came, reference: 'UTR-AGAIN', purpose: null }))
    await app.database.asSystem((sql) => retryRefund(sql, noJobs, refundId, app.clock.now()))
    await submitRefund(app.context, { borrowerId, refundId })
    expect(await providerRefunds(link)).toHaveLength(1)
  })

  it('refused for good, of credit whose money the bank has taken back since, is not sent by bank', async () => {
    await signInAs(7)
    const { borrowerId, came, date } = await receiveCredit('UTR-BOUNCES')
    const { creditPaise } = await onLoan(({ own: { facts } }) => Promise.resolve(loanStateDuring(facts, date)))
    const credit = { amountPaise: creditPaise, note: 'paid too much', askedBy: 'operator' }
    await app.sandbox('/faults', { call: 'refund', kind: 'status', status: 400, times: 1 })
    const [refundId = ''] = await onLoan(({ sql, own }) => refundCredit(sql, noJobs, own, credit, app.clock.now()))
    await submitRefund(app.context, { borrowerId, refundId })
    await onLoan((loan) => reversePayment(loan, came.mode, came.reference, true))
    const sent = { mode: 'neft', reference: 'UTR-TOO-MUCH', amountPaise: creditPaise, date }
    await expect(sendByBank(sent)).rejects.toThrow('has taken back')
    await expect(app.database.asSystem((sql) => retryRefund(sql, noJobs, refundId, app.clock.now()))).rejects.toThrow('has taken back')
    await signInAs(11)
  })

  it('processed while its events were lost is synced by the sweeper', async () => {
    await app.sandbox('/faults', { call: 'refund', kind: 'refund_pending', delay_ms: 300_000, times: 1 })
    const link = await paidTwice()
    await until(async () => (await refundsOf(link))[0]?.status === 'pending')
    await dropWebhooks()
    await app.clock.advance(600_000)
    await ended(link)
  })

  /** Asks for a refund of credit where the provider has one that a restored database lost. */
  async function askAfterRestore(reference: string, lostPaise: (asked: bigint) => bigint) {
    const { borrowerId, came } = await receiveCredit(reference)
    const credit = { amountPaise: came.amountPaise, note: 'paid too much', askedBy: 'operator' }
    const [refundId = ''] = await onLoan(({ sql, own }) => refundCredit(sql, noJobs, own, credit, app.clock.now()))
    // Of any payment of the loan that can return it.
    const { link, ...refund } = await app.database.asSystem((sql) =>
      sql
        .selectFrom('refunds')
        .innerJoin('payment_links', (join) =>
          join
            .onRef('payment_links.borrower_id', '=', 'refunds.borrower_id')
            .onRef('payment_links.payment_intent_id', '=', 'refunds.payment_intent_id'),
        )
        .select(['provider_payment_id', 'refunds.amount_paise', 'payment_link_id as link'])
        .where('refund_id', '=', refundId)
        .$narrowType<{ link: string }>()
        .executeTakeFirstOrThrow(),
    )
    const sentBefore = (await providerRefunds(link)).length
    const lost = uuidv7()
    const sent = await app.context.gateway.refundPayment({
      providerPaymentId: refund.provider_payment_id,
      amountPaise: paise(lostPaise(refund.amount_paise)),
      refundId: lost,
      tryNumber: 0,
      key: `kist-${lost}-0`,
    })
    expect(sent.kind).toBe('accepted')
    const submit = () => submitRefund(app.context, { borrowerId, refundId })
    return { link, refundId, amountPaise: refund.amount_paise, sentBefore, submit }
  }

  it('has of credit already, though a restored database does not know it, is taken for the one that is asked again', async () => {
    await signInAs(16)
    const { link, refundId, amountPaise, submit } = await askAfterRestore('UTR-RESTORED', (asked) => asked)
    await submit()
    const [sent] = await providerRefunds(link)
    expect(await providerRefunds(link)).toHaveLength(1)
    const all = await refundsOf(link)
    expect(all).toMatchObject([{ refund_id: refundId, reason: 'excess', provider_refund_id: sent?.id, amount_paise: amountPaise }])
    expect(['pending', 'processed']).toContain(all[0]?.status)
    expect(await onLoan(({ own: { facts } }) => Promise.resolve(loanStateDuring(facts, dayInIndia(app.clock.now()))))).toMatchObject({
      creditPaise: 0n,
    })
  })

  it('has of credit already, with another amount, stops the new one for a person, however often it is submitted', async () => {
    await signInAs(16)
    // Credit is returned of the newest payment, and the test before paid in the same second.
    await app.clock.advance(60_000)
    const { link, refundId, amountPaise, sentBefore, submit } = await askAfterRestore('UTR-RESTORED-2', (asked) => asked - 100n)
    // The process ends after it has taken over the unknown refund.
    const [refund] = (await refundsOf(link)).filter(({ refund_id }) => refund_id === refundId)
    if (refund) await syncRefunds(app.context, refund)
    await submit()
    expect(await providerRefunds(link)).toHaveLength(sentBefore + 1)
    const known = (await refundsOf(link)).map(({ reason, status, amount_paise }) => ({ reason, status, amount_paise }))
    expect(known).toContainEqual({ reason: 'excess', status: 'failed', amount_paise: amountPaise })
    expect(known).toContainEqual({ reason: 'by_lender', status: expect.any(String), amount_paise: amountPaise - 100n })
  })
})

it('a payment that the provider returned without capturing it: the borrower reads what is due, not that it was not needed', async () => {
  await signInAs(7)
  const { link } = await addLink()
  await pay(link, { outcome: 'authorized' })
  await app.clock.advance(6 * 86_400_000)
  token = await app.signIn(demoPhone(7))
  await ended(link)
  const notices = (await app.get('/portal/notices', token)).body['notices'] as { kind: string; payment_link_id: string | null }[]
  const told = notices.filter(({ kind, payment_link_id }) => payment_link_id === link && kind !== 'refund_processed')
  expect(told).toMatchObject([{ kind: 'payment_reversed', subject: 'not_captured' }])
})
