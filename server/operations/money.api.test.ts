import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise, zeroPaise } from '#domain/money.ts'
import { addLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { approve, propose, proposalOf, type Asked } from '#testkit/operations-staff.ts'
import { payLink } from '#testkit/payments.ts'
import { until, type App } from '#testkit/start-app.ts'
import { disburse } from '../loan-changes/disburse.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { reversePayment } from '../loan-changes/reverse-payment.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { applyRefunds } from '../payments/refunds/sync-refunds.ts'
import { isMoneyGone } from '../payments/refunds/taken-back.ts'
import { returnByBank } from '../payments/refunds/return-by-bank.ts'
import { reviewDispute } from '../payments/review-dispute.ts'
import { lostEvent, resolveReview } from '../payments/review-store.ts'
import {
  charge,
  ledgerOf,
  logOf,
  newBorrower,
  newStaff,
  newTeam,
  startStage,
  transfer,
  whileUnknown,
  type Borrower,
  type Staff,
} from './stage.testing.ts'

/** What operations do with the money of a loan, and what they refuse. */

let app: App
let maker: Staff
let checker: Staff

beforeAll(async () => {
  app = await startStage()
})
beforeEach(async () => {
  ;({ maker, checker } = await newTeam(app))
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

const proposed = async (asked: Asked, by: Staff = maker) => proposalOf(await propose(app, by.token, asked))
const readProposal = async (id: string) => proposalOf(await app.get(`/operations/proposals/${id}`, checker.token))

it('a payment by link is not recorded by hand too: its bank reference is taken, until it is reversed', async () => {
  const borrower = await newBorrower(app)
  const link = await borrower.link()
  await payLink(app, link)
  await until(async () => (await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`))['rps_updated'])
  const find = () =>
    app.database.asSystem((sql) =>
      sql.selectFrom('provider_payments').selectAll().where('loan_id', '=', borrower.key.loanId).executeTakeFirstOrThrow(),
    )
  const { bank_reference: rrn, provider_payment_id: paymentId } = await find()
  const preview = async (reference = String(rrn)) => {
    const { input } = transfer(app, borrower.lan, reference, 30_000)
    return (
      await app.post('/operations/previews', { kind: 'payment_record', lan: borrower.lan, input: { ...input, mode: 'upi' } }, maker.token)
    ).body
  }
  for (const reference of [rrn, `${rrn?.slice(0, 4)}-${rrn?.slice(4)}`, paymentId])
    expect(await preview(String(reference))).toMatchObject({ status: 422, refusal: 'reference_taken', field: 'input.reference' })
  await borrower.write((loan) => reversePayment(loan, 'razorpay', paymentId))
  expect(await preview()).toMatchObject({ after: expect.anything() })
})

it('a payment that staff moved to another loan is reviewed there when its payer’s bank disputes it', async () => {
  const borrower = await newBorrower(app)
  const payment = await borrower.payByLink(30_000, 'PART_PAYMENT__REDUCE_EMI')
  const { bank_reference: rrn, provider_payment_id: paymentId } = payment
  const now = app.clock.now()
  const lan = `${borrower.lan}-B`
  const firstDueDate = addDays(dayInIndia(now), 15)
  const { loanId } = await addLoan(app.database, now, borrower.borrowerId, {
    lan,
    title: 'M.Sc. in physics',
    sanctionedRupees: 400_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 250_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate,
  })
  const reverse = (of: string, id: string, cause: string): Asked => ({
    kind: 'payment_reverse',
    lan: of,
    input: { payment_id: id, cause },
  })
  const { input } = transfer(app, lan, String(rrn), 30_000)
  const decide = async (asked: Asked) => expect((await approve(app, checker.token, await proposed(asked))).status).toBe(200)
  await decide(reverse(borrower.lan, paymentId, 'wrong_loan'))
  await decide({ kind: 'payment_record', lan, input: { ...input, mode: 'upi' } })
  const dispute = (event: string) =>
    borrower.write(({ sql }) => reviewDispute(sql, payment, { about: `disp_${lan}`, event, paymentId }, app.clock.now()))
  const isGone = (of: string) =>
    app.database.asBorrower(borrower.borrowerId, async (sql) => isMoneyGone(sql, await lockOwnLoan(sql, borrower.borrowerId, of)))
  await dispute('payment.dispute.created')
  expect([await isGone(borrower.key.loanId), await isGone(loanId)]).toEqual([false, false])
  await dispute(lostEvent)
  const reviews = await app.database.asSystem((sql) =>
    sql.selectFrom('payment_reviews').selectAll().where('loan_id', '=', loanId).orderBy('found_at').execute(),
  )
  const detail = { payment: paymentId, bank_reference: rrn }
  expect(reviews).toMatchObject([
    { kind: 'dispute', detail: { ...detail, event: 'payment.dispute.created' } },
    { kind: 'dispute', detail: { ...detail, event: lostEvent } },
  ])
  expect([await isGone(borrower.key.loanId), await isGone(loanId)]).toEqual([false, true])
  expect(await borrower.reviews()).toEqual([])
  // Recorded as gone there, it needs nobody any more.
  await decide(reverse(lan, String(rrn), 'chargeback'))
  expect(await isGone(loanId)).toBe(false)
  await dispute('payment.dispute.closed')
  expect(await borrower.reviews()).toEqual([])
})

it('a payment of which credit was refunded is reversed where the bank took it back, and not otherwise', async () => {
  const borrower = await newBorrower(app)
  await borrower.payWithCredit()
  await approve(app, checker.token, await proposed({ kind: 'credit_refund', lan: borrower.lan, input: { amount: 600 } }))
  const [refund] = await app.database.asSystem((sql) =>
    sql.selectFrom('refunds').selectAll().where('loan_id', '=', borrower.key.loanId).execute(),
  )
  const reversal = (cause: string): Asked => ({
    kind: 'payment_reverse',
    lan: borrower.lan,
    input: { payment_id: refund?.provider_payment_id, cause },
  })
  const { body } = await app.post('/operations/previews', reversal('wrong_loan'), maker.token)
  expect(body).toMatchObject({ status: 422, refusal: 'payment_refunded' })
  expect((await approve(app, checker.token, await proposed(reversal('chargeback')))).status).toBe(200)
  const state = await borrower.write(async ({ own: { facts } }) => loanStateDuring(facts, dayInIndia(app.clock.now())))
  expect(state).toMatchObject({ creditPaise: 0n, heldPaise: 0n, refundShortPaise: rupeesToPaise(600) })
})

/** By default pays ₹30,000 by link. */
async function paidByLink(pay = (borrower: Borrower) => borrower.payByLink(30_000, 'PART_PAYMENT__REDUCE_EMI')) {
  const borrower = await newBorrower(app)
  const before = await borrower.write(async ({ own: { facts } }) => loanStateDuring(facts, dayInIndia(app.clock.now())))
  const payment = await pay(borrower)
  const reversal = (cause: string, amount?: number): Asked => ({
    kind: 'payment_reverse',
    lan: borrower.lan,
    input: { payment_id: payment.provider_payment_id, cause, ...(amount && { amount }) },
  })
  const refunds = () =>
    app.database.asSystem((sql) =>
      sql.selectFrom('refunds').selectAll().where('loan_id', '=', borrower.key.loanId).orderBy('asked_at').execute(),
    )
  const state = () => borrower.write(async ({ own: { facts } }) => loanStateDuring(facts, dayInIndia(app.clock.now())))
  return { borrower, before, payment, reversal, refunds, state }
}

type Paid = Awaited<ReturnType<typeof paidByLink>>

/** Somebody refunds a part of a payment in the provider's dashboard. */
const refundInDashboard = (paid: Paid, rupees: number) =>
  applyRefunds(app.context, paid.payment, [
    {
      providerRefundId: `rfnd_part_${paid.borrower.lan}`,
      providerPaymentId: paid.payment.provider_payment_id,
      amountPaise: rupeesToPaise(rupees),
      status: 'processed',
      refundId: null,
      tryNumber: null,
      bankReference: null,
      createdAt: app.clock.now(),
    },
  ])

/** Pays ₹30,000 by link, of which ₹12,000 are refunded in the dashboard. */
async function refundedInPart() {
  const paid = await paidByLink()
  await refundInDashboard(paid, 12_000)
  return paid
}

it('parts of a payment that chargebacks take count no more, one after the other, and no more than is left', async () => {
  const { borrower, before, reversal, refunds, state } = await paidByLink()
  const refusal = async (asked: Asked) => (await app.post('/operations/previews', asked, maker.token)).body
  expect(await refusal(reversal('bounced', 5_000))).toMatchObject({ status: 422, field: 'input.amount' })
  expect(await refusal(reversal('chargeback', 30_000.01))).toMatchObject({ field: 'input.amount', refusal: 'taken_amount' })
  for (const [amount, held] of [
    [5_000.5, 5_000.5],
    [7_000, 12_000.5],
  ] as const) {
    const proposal = await proposed(reversal('chargeback', amount))
    expect(proposal.preview).toMatchObject({ before: { refunded_amount: held - amount }, after: { refunded_amount: held } })
    expect((await approve(app, checker.token, proposal)).status).toBe(200)
    expect(await state()).toMatchObject({ heldPaise: rupeesToPaise(held) })
  }
  const parts = { status: 'processed', reason: 'by_lender', provider_refund_id: expect.stringMatching(/^returned:/) }
  expect(await refunds()).toMatchObject([parts, parts])
  expect(await refusal(reversal('chargeback', 18_000))).toMatchObject({ refusal: 'taken_amount' })
  expect(await refusal(reversal('wrong_loan'))).toMatchObject({ refusal: 'payment_refunded' })
  expect((await approve(app, checker.token, await proposed(reversal('chargeback')))).status).toBe(200)
  expect(await state()).toMatchObject({ creditPaise: 0n, principalOutstandingPaise: before.principalOutstandingPaise })
  const notices = (await borrower.get('/portal/notices'))['notices'] as { kind: string; amount: number }[]
  const reversed = notices.filter(({ kind }) => kind === 'payment_reversed')
  expect(reversed.map(({ amount }) => amount)).toEqual([17_999.5, 7_000, 5_000.5])
  expect(await refusal(reversal('chargeback', 1))).toMatchObject({ refusal: 'payment_reversed' })
})

it('the rest of a payment that was refunded in part at the provider counts no more once the bank takes it back', async () => {
  const { borrower, before, reversal, refunds, state } = await refundedInPart()
  const { body } = await app.post('/operations/previews', reversal('wrong_loan'), maker.token)
  expect(body).toMatchObject({ status: 422, refusal: 'payment_refunded' })
  expect((await approve(app, checker.token, await proposed(reversal('chargeback')))).status).toBe(200)
  expect(await state()).toMatchObject({
    heldPaise: rupeesToPaise(30_000),
    creditPaise: 0n,
    principalOutstandingPaise: before.principalOutstandingPaise,
  })
  expect(await refunds()).toMatchObject([
    { amount_paise: rupeesToPaise(12_000), status: 'processed' },
    { amount_paise: rupeesToPaise(18_000), status: 'processed', reason: 'by_lender', asked_by: checker.userId },
  ])
  const notices = (await borrower.get('/portal/notices'))['notices'] as { kind: string; amount: number }[]
  expect(notices[0]).toMatchObject({ kind: 'payment_reversed', amount: 18_000 })
  // Money of a link has no hold when the bank takes it back (decision 0204).
  const { lateChargeHolds } = await borrower.write(async ({ own: { facts } }) => facts)
  expect(lateChargeHolds).toMatchObject([{ takenBack: { amountPaise: rupeesToPaise(12_000) } }])
  const { body: again } = await app.post('/operations/previews', reversal('chargeback'), maker.token)
  expect(again).toMatchObject({ status: 422, refusal: 'payment_reversed' })
})

it('the rest of a payment of which credit was refunded too is taken back whole', async () => {
  const paid = await paidByLink((one) => one.payWithCredit())
  const { borrower, payment, reversal, refunds, state } = paid
  await approve(app, checker.token, await proposed({ kind: 'credit_refund', lan: borrower.lan, input: { amount: 600 } }))
  await until(async () => (await refunds()).some(({ reason, status }) => reason === 'excess' && status === 'pending'))
  await refundInDashboard(paid, 2_000)
  expect((await approve(app, checker.token, await proposed(reversal('chargeback')))).status).toBe(200)
  const { amount_paise: paidPaise } = payment
  expect((await refunds()).at(-1)).toMatchObject({ amount_paise: paidPaise - rupeesToPaise(2_000), status: 'processed' })
  expect(await state()).toMatchObject({ heldPaise: paidPaise, creditPaise: 0n, refundShortPaise: rupeesToPaise(600) })
})

it('credit is refunded through the payment that brought it: what came by bank transfer goes back by transfer', async () => {
  const borrower = await newBorrower(app)
  const refund = (amount: number): Asked => ({ kind: 'credit_refund', lan: borrower.lan, input: { amount } })
  await borrower.receive(700, `UTRTRANSFER${borrower.lan}`)
  const { body } = await app.post('/operations/previews', refund(700), maker.token)
  expect(body).toMatchObject({ status: 422, refusal: 'credit_not_returnable' })
  const { provider_payment_id: paymentId } = await borrower.payWithCredit()
  expect((await app.post('/operations/previews', refund(600.01), maker.token)).body).toMatchObject({ refusal: 'credit_not_returnable' })
  expect((await approve(app, checker.token, await proposed(refund(600)))).status).toBe(200)
  const refunds = await app.database.asSystem((sql) =>
    sql.selectFrom('refunds').selectAll().where('loan_id', '=', borrower.key.loanId).execute(),
  )
  expect(refunds).toMatchObject([{ provider_payment_id: paymentId, amount_paise: rupeesToPaise(600) }])
})

it('credit is not refunded while the bank has taken money that nobody has recorded', async () => {
  const { borrower, payment, reversal, refunds } = await paidByLink((one) => one.payWithCredit())
  const review = (event: string) =>
    borrower.write(({ sql }) =>
      reviewDispute(sql, payment, { about: `disp_${borrower.lan}`, event, paymentId: payment.provider_payment_id }, app.clock.now()),
    )
  await review(lostEvent)
  const asked: Asked = { kind: 'credit_refund', lan: borrower.lan, input: { amount: 600 } }
  expect((await app.post('/operations/previews', asked, maker.token)).body).toMatchObject({ status: 422, refusal: 'refund_money_gone' })
  expect((await approve(app, checker.token, await proposed(reversal('chargeback')))).status).toBe(200)
  expect((await app.post('/operations/previews', asked, maker.token)).body).toMatchObject({ refusal: 'credit_too_small' })
  expect(await refunds()).toEqual([])
  // Events that come after it is recorded ask for nothing.
  await review('payment.dispute.created')
  expect(await borrower.reviews()).toMatchObject([{ kind: 'dispute' }])
})

it('a refund of credit is counted once in what was refunded', async () => {
  const borrower = await newBorrower(app)
  await borrower.payWithCredit()
  const asked: Asked = { kind: 'credit_refund', lan: borrower.lan, input: { amount: 500 } }
  const { body: preview } = await app.post('/operations/previews', asked, maker.token)
  expect(preview).toMatchObject({ before: { refunded_amount: 0 }, after: { refunded_amount: 500 } })
})

describe('credit that the lender’s bank returned', () => {
  const returned = (lan: string, reference: string, amount: number, date = dayInIndia(app.clock.now())): Asked => ({
    kind: 'credit_return',
    lan,
    input: { mode: 'neft', amount, value_date: date, reference },
  })
  /** Closed, with a credit of half a rupee, which the provider does not refund. */
  async function closedWithCredit() {
    const borrower = await newBorrower(app)
    const record = await app.get(`/operations/loans/${borrower.lan}`, maker.token)
    const { foreclosure_payment: payoff } = record.body['allowed_payments'] as { foreclosure_payment: { amount: number } }
    const asked = transfer(app, borrower.lan, `UTROVER${borrower.lan}`, payoff.amount + 0.5)
    await approve(app, checker.token, await proposed({ ...asked, input: { ...asked.input, purpose: 'FORECLOSURE' } }))
    await until(async () => (await borrower.reviews()).length > 0)
    return borrower
  }

  it('leaves the ledger, settles its review and is told to the borrower', async () => {
    const borrower = await closedWithCredit()
    expect(await borrower.reviews()).toMatchObject([{ kind: 'credit_on_closed_loan', resolved_at: null }])
    const proposal = await proposed(returned(borrower.lan, `UTRBACK${borrower.lan}`, 0.5))
    expect(proposal.preview).toMatchObject({
      before: { credit_amount: 0.5, refunded_amount: 0 },
      after: { credit_amount: 0, refunded_amount: 0.5, loan_status: 'CLOSED' },
    })
    expect((await approve(app, checker.token, proposal)).status).toBe(200)
    expect(await borrower.reviews()).toMatchObject([{ resolved_by: 'system', resolution: `returned by neft UTRBACK${borrower.lan}` }])
    expect((await ledgerOf(app, borrower.key.loanId)).at(-1)).toEqual({
      kind: 'refund',
      source: 'neft',
      source_id: `UTRBACK${borrower.lan}`,
    })
    const { body } = await app.get('/portal/notices', borrower.token)
    expect(body['notices']).toContainEqual(
      expect.objectContaining({ kind: 'refund_processed', amount: 0.5, subject: `UTRBACK${borrower.lan}` }),
    )
  })

  it('and comes again in the same amount is reviewed again, though a person resolved the first review', async () => {
    const borrower = await closedWithCredit()
    const [first] = await borrower.reviews()
    const now = app.clock.now()
    await app.database.asSystem((sql) =>
      resolveReview(sql, { borrower_id: borrower.key.borrowerId, review_id: first?.review_id ?? '' }, 'a person', 'sent back', now),
    )
    await approve(app, checker.token, await proposed(returned(borrower.lan, `UTRFIRST${borrower.lan}`, 0.5)))
    await borrower.receive(0.5, `UTRAGAIN${borrower.lan}`, dayInIndia(now))
    await until(async () => (await borrower.reviews()).some(({ resolved_at }) => resolved_at === null))
    const open = { resolved_at: null, kind: 'credit_on_closed_loan', detail: { credit_paise: '50' } }
    expect(await borrower.reviews()).toMatchObject([{ resolved_by: 'a person' }, open])
  })

  it('in part leaves a review of the rest', async () => {
    const borrower = await closedWithCredit()
    await approve(app, checker.token, await proposed(returned(borrower.lan, `UTRPART${borrower.lan}`, 0.2)))
    await until(async () => (await borrower.reviews()).some(({ resolved_at }) => resolved_at === null))
    expect(await borrower.reviews()).toMatchObject([{ resolved_by: 'system' }, { resolved_at: null, detail: { credit_paise: '30' } }])
  })

  it('is refused beyond the credit, in the future, and with the reference of another transfer', async () => {
    const borrower = await closedWithCredit()
    const today = dayInIndia(app.clock.now())
    const refusalOf = async (asked: Asked) => (await app.post('/operations/previews', asked, maker.token)).body
    expect(await refusalOf(returned(borrower.lan, 'UTRX1', 0.51))).toMatchObject({ status: 422, refusal: 'credit_too_small' })
    expect(await refusalOf(returned(borrower.lan, 'UTRX3', 0.5, addDays(today, 1)))).toMatchObject({
      refusal: 'future_date',
      field: 'input.value_date',
    })
    expect(await refusalOf(returned(borrower.lan, `utr-over ${borrower.lan}`.replace(' ', ''), 0.5))).toMatchObject({
      refusal: 'reference_taken',
      field: 'input.reference',
    })
  })

  it('is refused beyond the credit of today, where a charge has used the credit of its day', async () => {
    const borrower = await newBorrower(app)
    const today = dayInIndia(app.clock.now())
    await borrower.receive(600, `UTRUSED${borrower.lan}`, addDays(today, -10))
    await borrower.addCharge('charge:by-credit', 590, addDays(today, -5))
    const refusalOf = async (amount: number) => {
      const asked = returned(borrower.lan, `UTRGONE${borrower.lan}`, amount, addDays(today, -8))
      return (await app.post('/operations/previews', asked, maker.token)).body['refusal']
    }
    expect(await refusalOf(590)).toBe('credit_too_small')
    expect(await refusalOf(10)).toBeUndefined()
  })

  it('is refused where the state of the loan is unknown', async () => {
    const borrower = await closedWithCredit()
    await whileUnknown(app, borrower.key.loanId, async () => {
      const { body } = await app.post('/operations/previews', returned(borrower.lan, `UTRUNKNOWN${borrower.lan}`, 0.5), maker.token)
      expect(body).toMatchObject({ status: 422, refusal: 'facts_do_not_allow' })
    })
  })
})

it('a payment of an earlier day is refused where it would use credit that was refunded since', async () => {
  const borrower = await newBorrower(app)
  const today = dayInIndia(app.clock.now())
  const [paidOn, closedOn] = [addDays(today, -10), addDays(today, -5)]
  await borrower.receive(600, `UTRCREDIT${borrower.lan}`, paidOn)
  const credit = { mode: 'neft', reference: `UTRSENT${borrower.lan}`, amountPaise: rupeesToPaise(500), date: today } as const
  await borrower.write((loan) => returnByBank(loan, credit))
  const payoffPaise = await borrower.write(async ({ own: { facts } }) => loanStateDuring(facts, closedOn).allowed.foreclosure?.amountPaise)
  const { input } = transfer(app, borrower.lan, `UTRLATE${borrower.lan}`, Number(payoffPaise) / 100)
  const refusalOf = async (more: object) => {
    const asked = { kind: 'payment_record', lan: borrower.lan, input: { ...input, value_date: closedOn, ...more } }
    return (await app.post('/operations/previews', asked, maker.token)).body['refusal']
  }
  expect(await refusalOf({ purpose: 'FORECLOSURE' })).toBe('credit_refunded')
  expect(await refusalOf({})).toBeUndefined()
})

it('a charge of the day of a foreclosure or before is refused for that reason, also where the loan is open again', async () => {
  const borrower = await newBorrower(app)
  const today = dayInIndia(app.clock.now())
  const closedOn = addDays(today, -5)
  const payoffPaise = await borrower.write(async ({ own: { facts } }) => loanStateDuring(facts, closedOn).allowed.foreclosure?.amountPaise)
  const payment = {
    mode: 'neft',
    reference: `UTRCLOSES${borrower.lan}`,
    amountPaise: payoffPaise ?? zeroPaise,
    date: closedOn,
    purpose: 'FORECLOSURE',
  } as const
  await borrower.write((loan) => recordPayment(loan, payment))
  const refusalOf = async (date: Day) => {
    const { input } = charge(borrower.lan)
    const asked = { kind: 'charge_add', lan: borrower.lan, input: { ...input, date } }
    return (await app.post('/operations/previews', asked, maker.token)).body['refusal']
  }
  const isOpen = async () => (await borrower.loan())['loan_status'] === 'ACTIVE'
  expect([await isOpen(), await refusalOf(closedOn)]).toEqual([false, 'charge_before_closing'])
  await borrower.addCharge('charge:after', 590)
  expect([await isOpen(), await refusalOf(closedOn), await refusalOf(today)]).toEqual([true, 'charge_before_closing', undefined])
})

it('a charge of a day after which payments have paid more than they would with it is refused', async () => {
  const [borrower, ahead] = [await newBorrower(app, { paid: 2 }), await newBorrower(app)]
  const today = dayInIndia(app.clock.now())
  const partPaidOn = addDays(today, -50)
  await borrower.receive(50_000, `UTRPART${borrower.lan}`, partPaidOn, 'PART_PAYMENT__REDUCE_EMI')
  const rows = await borrower.write(async ({ own: { facts } }) => loanStateDuring(facts, today).rows.slice(2, 4))
  for (const { number, dueDate, repaymentAmountPaise } of rows)
    await borrower.receive(Number(repaymentAmountPaise) / 100, `UTR${number}${borrower.lan}`, dueDate)
  const refusalOf = async (date: Day, { lan } = borrower) => {
    const { input } = charge(lan)
    const asked = { kind: 'charge_add', lan, input: { ...input, date } }
    return (await app.post('/operations/previews', asked, maker.token)).body['refusal']
  }
  // With it the part payment repays less principal, and the EMI paid since would be too small.
  expect(await refusalOf(addDays(partPaidOn, -1))).toBe('charge_before_payments')
  expect(await refusalOf(addDays(partPaidOn, 1))).toBeUndefined()
  // The same of EMIs that are paid before they fall due.
  await ahead.receive(50_000, `UTRPART${ahead.lan}`, addDays(today, -10), 'PART_PAYMENT__REDUCE_EMI')
  expect(await refusalOf(addDays(today, -11), ahead)).toBe('charge_before_payments')
  const next = await ahead.write(async ({ own: { facts } }) => loanStateDuring(facts, today).rows.slice(4, 6))
  for (const { number, repaymentAmountPaise } of next)
    await ahead.receive(Number(repaymentAmountPaise) / 100, `UTR${number}${ahead.lan}`, today, 'PAY_EMI')
  expect(await refusalOf(addDays(today, -11), ahead)).toBe('charge_before_payments')
  expect(await refusalOf(addDays(today, -9), ahead)).toBeUndefined()
  expect(await borrower.loan()).toMatchObject({ loan_status: 'ACTIVE', dpd: 0 })
})

it('a charge is not waived where the state of the loan is unknown: whether it is paid is unknown too', async () => {
  const borrower = await newBorrower(app)
  await borrower.addCharge('charge:paid', 590)
  await borrower.receive(590, `UTRPAID${borrower.lan}`)
  const waive: Asked = { kind: 'charge_waive', lan: borrower.lan, input: { charge_id: 'charge:paid' } }
  const refusalOf = async () => (await app.post('/operations/previews', waive, maker.token)).body
  expect(await refusalOf()).toMatchObject({ status: 422, refusal: 'charge_not_open' })
  await whileUnknown(app, borrower.key.loanId, async () => {
    expect(await refusalOf()).toMatchObject({ status: 422, refusal: 'facts_do_not_allow' })
  })
})

it('a future day is refused at its field: of a charge, a payment, and a tranche, also one that an import has paid out', async () => {
  const borrower = await newBorrower(app)
  const { lan } = borrower
  const today = dayInIndia(app.clock.now())
  const tomorrow = addDays(today, 1)
  const refusalOf = async (asked: Asked) => (await app.post('/operations/previews', asked, maker.token)).body
  const ofCharge = charge(lan)
  const ofPayment = transfer(app, lan, `UTRTOMORROW${lan}`)
  expect(await refusalOf({ ...ofCharge, input: { ...ofCharge.input, date: tomorrow } })).toMatchObject(inFuture('input.date'))
  expect(await refusalOf({ ...ofPayment, input: { ...ofPayment.input, value_date: tomorrow } })).toMatchObject(inFuture('input.value_date'))
  const wanted = { lead_id: lan, lan, amount: 20_000, date: addDays(today, 20) }
  const { partner_tranche_id } = (await app.post('/portal/tranche', wanted, borrower.token)).body
  await approve(app, checker.token, await proposed({ kind: 'tranche_approve', lan, input: { partner_tranche_id } }))
  const release: Asked = { kind: 'tranche_release', lan, input: { partner_tranche_id, date: tomorrow } }
  expect(await refusalOf(release)).toMatchObject(inFuture('input.date'))
  const imported = { date: today, amountPaise: rupeesToPaise(20_000), reference: String(partner_tranche_id) }
  await borrower.write((loan) => disburse(loan, imported))
  expect(await refusalOf(release)).toMatchObject(inFuture('input.date'))
})

const inFuture = (field: string) => ({ status: 422, refusal: 'future_date', field })

describe('a recorded payment', () => {
  it('closes the loan if it is recorded as a foreclosure; without this purpose its preview warns', async () => {
    const borrower = await newBorrower(app)
    const record = await app.get(`/operations/loans/${borrower.lan}`, maker.token)
    const { foreclosure_payment: payoff } = record.body['allowed_payments'] as { foreclosure_payment: { amount: number } }
    const warningsOf = async (asked: Asked) => (await app.post('/operations/previews', asked, maker.token)).body['warnings']
    const plain = await warningsOf(transfer(app, borrower.lan, `UTRPLAIN${borrower.lan}`, payoff.amount))
    expect(plain).toContainEqual({ code: 'enough_to_close' })
    const less = await warningsOf(transfer(app, borrower.lan, `UTRLESS${borrower.lan}`, payoff.amount - 1))
    expect(less).not.toContainEqual({ code: 'enough_to_close' })
    const asked = transfer(app, borrower.lan, `UTRCLOSE${borrower.lan}`, payoff.amount)
    const proposal = await proposed({ ...asked, input: { ...asked.input, purpose: 'FORECLOSURE' } })
    expect(JSON.stringify(proposal.preview)).not.toContain('enough_to_close')
    expect((await approve(app, checker.token, proposal)).status).toBe(200)
    expect(await borrower.loan()).toMatchObject({ loan_status: 'CLOSED' })
  })
})

describe('a bank reference', () => {
  it('that another borrower’s payment has is refused at proposing, and readers see that payment', async () => {
    const [first, second] = [await newBorrower(app), await newBorrower(app)]
    await first.receive(1_000, 'SAME-REF-1')
    const refused = await propose(app, maker.token, transfer(app, second.lan, 'samere f1'.replace(' ', '-')))
    expect(refused.body).toMatchObject({
      status: 422,
      code: 'ProposalRefused',
      field: 'input.reference',
      refusal: 'reference_taken',
      other_payment: { lan: first.lan, mode: 'neft', reference: 'SAME-REF-1', amount: 1_000 },
    })
    const readsOfFirst = async () =>
      (await logOf(app, first.borrowerId, 'profile_viewed')).map(({ actor_id, detail }) => [actor_id, detail])
    const read = [maker.userId, expect.objectContaining({ lan: first.lan, reader: expect.any(String) })]
    expect(await readsOfFirst()).toEqual([read])
    const writer = await newStaff(app, ['operations:propose'])
    const hidden = await propose(app, writer.token, transfer(app, second.lan, 'SAME-REF-1'))
    expect(await readsOfFirst()).toEqual([read])
    expect([hidden.body['field'], hidden.body['other_payment']]).toEqual(['input.reference', undefined])
  })
  it('of another open proposal is refused at proposing', async () => {
    const [first, second] = [await newBorrower(app), await newBorrower(app)]
    await proposed(transfer(app, first.lan, 'OPEN-REF-1'))
    const refused = await propose(app, maker.token, transfer(app, second.lan, 'OPENREF1'))
    expect(refused.body).toMatchObject({ status: 422, field: 'input.reference', detail: expect.stringContaining(first.lan) })
    const writer = await newStaff(app, ['operations:propose'])
    const hidden = await propose(app, writer.token, transfer(app, second.lan, 'OPENREF1'))
    expect(hidden.body).toMatchObject({ status: 422, field: 'input.reference', detail: expect.not.stringContaining(first.lan) })
  })
  it('that was recorded meanwhile is refused at executing, and the proposal fails', async () => {
    const [first, second] = [await newBorrower(app), await newBorrower(app)]
    const proposal = await proposed(transfer(app, second.lan, 'LATER-REF-1'))
    await first.receive(2_000, 'LATER-REF-1')
    const refused = await approve(app, checker.token, proposal)
    expect(refused.body).toMatchObject({ status: 422, field: 'input.reference', other_payment: { lan: first.lan } })
    expect((await logOf(app, first.borrowerId, 'profile_viewed')).map(({ actor_id }) => actor_id)).toEqual([checker.userId])
    expect(await readProposal(proposal.id)).toMatchObject({ state: 'failed', decision_cause: 'reference_taken' })
  })
  it('of a reversed payment can be recorded again, is shown as it is, and reversed by it', async () => {
    const borrower = await newBorrower(app)
    const reversal: Asked = { kind: 'payment_reverse', lan: borrower.lan, input: { payment_id: 'AGAIN-REF-1', cause: 'wrong_loan' } }
    for (const asked of [transfer(app, borrower.lan, 'AGAIN-REF-1'), reversal, transfer(app, borrower.lan, 'AGAIN-REF-1')])
      expect(proposalOf(await approve(app, checker.token, await proposed(asked))).state).toBe('executed')
    const payments = async () => {
      const { facts } = (await app.get(`/operations/loans/${borrower.lan}`, maker.token)).body
      return (facts as { payments: { payment_id: string; reference: string; reversed: boolean }[] }).payments.filter(({ reference }) =>
        reference.startsWith('AGAIN'),
      )
    }
    const reference = 'AGAIN-REF-1'
    expect(await payments()).toMatchObject([
      { reference, reversed: false },
      { reference, reversed: true },
    ])
    // Named by its own id, the reversed one stands for itself, and not for the later one.
    const earlier = { ...reversal, input: { ...reversal.input, payment_id: (await payments())[1]!.payment_id } }
    expect((await propose(app, maker.token, earlier)).body).toMatchObject({ field: 'input.payment_id', refusal: 'payment_reversed' })
    const other = await newBorrower(app)
    expect((await propose(app, maker.token, transfer(app, other.lan, reference))).body).toMatchObject({ other_payment: { reference } })
    expect(proposalOf(await approve(app, checker.token, await proposed(reversal))).state).toBe('executed')
    expect((await payments()).map(({ reversed }) => reversed)).toEqual([true, true])
  })
})
