import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { assumeRole } from '#contract/permissions.ts'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise, zeroPaise } from '#domain/money.ts'
import { disable } from '#cli/commands/staff.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { countLockWaits } from '#testkit/lock-waits.ts'
import { failStep, holdStep } from '#testkit/hold-step.ts'
import { selectLinkPayments } from '#testkit/link-payments.ts'
import { approve, propose, proposalOf, proposalReason, type Asked } from '#testkit/operations-staff.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { presentDebit } from '#testkit/presented-debit.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { noon, startApp, until, type App } from '#testkit/start-app.ts'
import { logAccess } from '../access-log.ts'
import { logExpiredProposals } from './log-expired.ts'
import { addCharges } from '../loan-changes/add-charge.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { reversePayment } from '../loan-changes/reverse-payment.ts'
import { applyRefunds } from '../payments/refunds/sync-refunds.ts'
import { isMoneyGone } from '../payments/refunds/taken-back.ts'
import { returnByBank } from '../payments/refunds/return-by-bank.ts'
import { lockOwnLoan, type OwnLoan } from '../loans/own-loan.ts'
import type { Sql } from '../database/connect.ts'
import { reviewDispute } from '../payments/review-dispute.ts'
import { addReview, lockReview, lostEvent, noBorrowerId, resolveReview } from '../payments/review-store.ts'

/** Noon in India. */
const everything = ['operations:read', 'operations:propose', 'operations:approve']
let app: App
let people = 0
let maker: Staff
let checker: Staff
let secondChecker: Staff

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: noon, settings: { KIST_FAIL: 'none' } })
  await addProduct(app.database, noon, 'education', educationLoan)
})
beforeEach(async () => {
  maker = await newStaff(['operations:read', 'operations:propose'])
  checker = await newStaff(['operations:read', 'operations:approve'])
  secondChecker = await newStaff(['operations:read', 'operations:approve'])
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

type Staff = { userId: string; phone: string; token: string }

async function newStaff(permissions: readonly string[], more: { email?: string; pan?: string; phone?: string } = {}): Promise<Staff> {
  people += 1
  const phone = more.phone ?? `+9177000${String(people).padStart(5, '0')}`
  const person = { phone, firstName: 'Asha', lastName: `Staff ${people}`, kind: 'staff', roles: [assumeRole], ...more } as const
  const userId = await addPerson(app.database, app.clock.now(), { ...person, permissions: permissions as never })
  return { userId, phone, token: await app.signIn(phone) }
}

/** A borrower with an active loan, paid up to the last due date on the 5th. */
async function newBorrower({ paid = 4, ...more }: { phone?: string; email?: string; pan?: string; paid?: number } = {}) {
  people += 1
  const phone = more.phone ?? `+9176000${String(people).padStart(5, '0')}`
  const lan = `KST-77-${String(people).padStart(6, '0')}`
  const now = app.clock.now()
  const today = dayInIndia(now)
  const firstDueDate = addMonths(addDays(today, -15), -3)
  const borrowerId = await addPerson(app.database, now, { firstName: 'Ravi', lastName: `Nair ${people}`, ...more, phone })
  const key = await addLoan(app.database, now, borrowerId, {
    lan,
    title: 'B.Sc. in physics',
    sanctionedRupees: 400_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 250_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate,
  })
  await payInstalments(app.database, key, paid)
  const token = await app.signIn(phone)
  const write = <T>(work: (sql: Sql, own: OwnLoan) => Promise<T>) =>
    app.database.asBorrower(borrowerId, async (sql) => work(sql, await lockOwnLoan(sql, borrowerId, key.loanId)))
  const loan = async () => ((await app.get('/portal/loans-summary', token)).body['loans'] as Record<string, unknown>[])[0] ?? {}
  const get = async (path: string) => (await app.get(path, token)).body
  const link = (amount = 30_000, purpose = 'PART_PAYMENT__REDUCE_EMI') => openLink(app, token, { lan, purpose, amount })
  const payByLink = async (amount: number, purpose: string, before: () => Promise<unknown> = () => Promise.resolve()) => {
    const id = await link(amount, purpose)
    await before()
    await payLink(app, id)
    await until(async () => (await get(`/portal/payment-link/status?payment_link_id=${id}`))['rps_updated'])
    return app.database.asSystem((sql) => selectLinkPayments(sql, id).selectAll('provider_payments').executeTakeFirstOrThrow())
  }
  const receive = (rupees: number, reference: string, date = dayInIndia(app.clock.now()), purpose: string | null = null) =>
    write((sql, own) => {
      const payment = { mode: 'neft', reference, amountPaise: rupeesToPaise(rupees), date, purpose }
      return recordPayment(sql, own, payment as never, app.clock.now(), 'operator')
    })
  const addCharge = (chargeId: string, rupees: number, date = dayInIndia(app.clock.now())) =>
    write((sql, own) => {
      const charge = { chargeId, date, chargeType: 'BOUNCE_CHARGE', amountPaise: rupeesToPaise(rupees), penal: false }
      return addCharges(sql, own, [charge], app.clock.now(), 'operator')
    })
  /**
   * Pays the next instalment by link, of which a transfer has paid ₹600 meanwhile: as much of the
   * link's money is credit.
   */
  const payWithCredit = async () => {
    const { allowed_payments: allowed } = await get(`/portal/repayment-schedule?lead_id=${lan}`)
    const { amount } = (allowed as { next_emi_payment: { amount: number } }).next_emi_payment
    return payByLink(amount, 'PAY_EMI', () => receive(600, `UTRMORE${lan}`, dayInIndia(app.clock.now()), 'PAY_EMI'))
  }
  const reviews = () =>
    app.database.asSystem((sql) =>
      sql.selectFrom('payment_reviews').selectAll().where('loan_id', '=', key.loanId).orderBy('found_at').execute(),
    )
  return { borrowerId, lan, key, phone, token, write, loan, get, link, payByLink, payWithCredit, receive, addCharge, reviews }
}

/** Runs while more of the loan is disbursed than sanctioned. */
async function whileUnknown(loanId: string, work: () => Promise<void>): Promise<void> {
  const owner = new pg.Client({ connectionString: app.databaseUrls.ownerUrl })
  await owner.connect()
  const sanction = (paise: string) => owner.query('update loans set sanctioned_paise = $2 where loan_id = $1', [loanId, paise])
  const { rows } = await owner.query<{ sanctioned_paise: string }>('select sanctioned_paise from loans where loan_id = $1', [loanId])
  try {
    await sanction('100')
    await work()
  } finally {
    await sanction(rows[0]?.sanctioned_paise ?? '')
    await owner.end()
  }
}

const charge = (lan: string, amount = 590): Asked => ({ kind: 'charge_add', lan, input: { charge_type: 'BOUNCE_CHARGE', amount } })
const transfer = (lan: string, reference: string, amount = 5_000): Asked => ({
  kind: 'payment_record',
  lan,
  input: { mode: 'neft', amount, value_date: dayInIndia(app.clock.now()), reference },
})
const proposed = async (asked: Asked, by: Staff = maker) => proposalOf(await propose(app, by.token, asked))
const readProposal = async (id: string) => proposalOf(await app.get(`/operations/proposals/${id}`, checker.token))
const stateOf = async (id: string) => (await readProposal(id)).state
const ledgerOf = (loanId: string) =>
  app.database.asSystem((sql) =>
    sql
      .selectFrom('ledger_transactions')
      .select(['kind', 'source', 'source_id'])
      .where('loan_id', '=', loanId)
      .orderBy('sequence')
      .execute(),
  )
const logOf = (subject: string, action: string) =>
  app.database.asSystem((sql) =>
    sql
      .selectFrom('access_log')
      .select(['actor_id', 'detail'])
      .where('subject_id', '=', subject)
      .where('action', '=', action)
      .orderBy('sequence')
      .execute(),
  )

it('a payment by link is not recorded by hand too: its bank reference is taken, until it is reversed', async () => {
  const borrower = await newBorrower()
  const link = await borrower.link()
  await payLink(app, link)
  await until(async () => (await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`))['rps_updated'])
  const find = () =>
    app.database.asSystem((sql) =>
      sql.selectFrom('provider_payments').selectAll().where('loan_id', '=', borrower.key.loanId).executeTakeFirstOrThrow(),
    )
  const { bank_reference: rrn, provider_payment_id: paymentId } = await find()
  const preview = async (reference = String(rrn)) => {
    const { input } = transfer(borrower.lan, reference, 30_000)
    return (
      await app.post('/operations/previews', { kind: 'payment_record', lan: borrower.lan, input: { ...input, mode: 'upi' } }, maker.token)
    ).body
  }
  for (const reference of [rrn, `${rrn?.slice(0, 4)}-${rrn?.slice(4)}`, paymentId])
    expect(await preview(String(reference))).toMatchObject({ status: 422, refusal: 'reference_taken', field: 'input.reference' })
  await borrower.write((sql, own) => reversePayment(sql, own, 'razorpay', paymentId, app.clock.now(), 'operator'))
  expect(await preview()).toMatchObject({ after: expect.anything() })
})

it('a payment that staff moved to another loan is reviewed there when its payer’s bank disputes it', async () => {
  const borrower = await newBorrower()
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
  const { input } = transfer(lan, String(rrn), 30_000)
  const decide = async (asked: Asked) => expect((await approve(app, checker.token, await proposed(asked))).status).toBe(200)
  await decide(reverse(borrower.lan, paymentId, 'wrong_loan'))
  await decide({ kind: 'payment_record', lan, input: { ...input, mode: 'upi' } })
  const dispute = (event: string) =>
    borrower.write((sql) => reviewDispute(sql, payment, { about: `disp_${lan}`, event, paymentId }, app.clock.now()))
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
  const borrower = await newBorrower()
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
  const state = await borrower.write(async (_sql, { facts }) => loanStateDuring(facts, dayInIndia(app.clock.now())))
  expect(state).toMatchObject({ creditPaise: 0n, heldPaise: 0n, refundShortPaise: rupeesToPaise(600) })
})

type Borrower = Awaited<ReturnType<typeof newBorrower>>

/** By default pays ₹30,000 by link. */
async function paidByLink(pay = (borrower: Borrower) => borrower.payByLink(30_000, 'PART_PAYMENT__REDUCE_EMI')) {
  const borrower = await newBorrower()
  const before = await borrower.write(async (_sql, { facts }) => loanStateDuring(facts, dayInIndia(app.clock.now())))
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
  const state = () => borrower.write(async (_sql, { facts }) => loanStateDuring(facts, dayInIndia(app.clock.now())))
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
  const { lateChargeHolds } = await borrower.write(async (_sql, { facts }) => facts)
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
  const borrower = await newBorrower()
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
    borrower.write((sql) =>
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
  const borrower = await newBorrower()
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
    const borrower = await newBorrower()
    const record = await app.get(`/operations/loans/${borrower.lan}`, maker.token)
    const { foreclosure_payment: payoff } = record.body['allowed_payments'] as { foreclosure_payment: { amount: number } }
    const asked = transfer(borrower.lan, `UTROVER${borrower.lan}`, payoff.amount + 0.5)
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
    expect((await ledgerOf(borrower.key.loanId)).at(-1)).toEqual({ kind: 'refund', source: 'neft', source_id: `UTRBACK${borrower.lan}` })
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
    const borrower = await newBorrower()
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
    await whileUnknown(borrower.key.loanId, async () => {
      const { body } = await app.post('/operations/previews', returned(borrower.lan, `UTRUNKNOWN${borrower.lan}`, 0.5), maker.token)
      expect(body).toMatchObject({ status: 422, refusal: 'facts_do_not_allow' })
    })
  })
})

it('a payment of an earlier day is refused where it would use credit that was refunded since', async () => {
  const borrower = await newBorrower()
  const today = dayInIndia(app.clock.now())
  const [paidOn, closedOn] = [addDays(today, -10), addDays(today, -5)]
  await borrower.receive(600, `UTRCREDIT${borrower.lan}`, paidOn)
  const credit = { mode: 'neft', reference: `UTRSENT${borrower.lan}`, amountPaise: rupeesToPaise(500), date: today } as const
  await borrower.write((sql, own) => returnByBank(sql, own, credit, app.clock.now(), 'operator'))
  const payoffPaise = await borrower.write(async (_sql, { facts }) => loanStateDuring(facts, closedOn).allowed.foreclosure?.amountPaise)
  const { input } = transfer(borrower.lan, `UTRLATE${borrower.lan}`, Number(payoffPaise) / 100)
  const refusalOf = async (more: object) => {
    const asked = { kind: 'payment_record', lan: borrower.lan, input: { ...input, value_date: closedOn, ...more } }
    return (await app.post('/operations/previews', asked, maker.token)).body['refusal']
  }
  expect(await refusalOf({ purpose: 'FORECLOSURE' })).toBe('credit_refunded')
  expect(await refusalOf({})).toBeUndefined()
})

it('a charge of the day of a foreclosure or before is refused for that reason, also where the loan is open again', async () => {
  const borrower = await newBorrower()
  const today = dayInIndia(app.clock.now())
  const closedOn = addDays(today, -5)
  const payoffPaise = await borrower.write(async (_sql, { facts }) => loanStateDuring(facts, closedOn).allowed.foreclosure?.amountPaise)
  const payment = {
    mode: 'neft',
    reference: `UTRCLOSES${borrower.lan}`,
    amountPaise: payoffPaise ?? zeroPaise,
    date: closedOn,
    purpose: 'FORECLOSURE',
  } as const
  await borrower.write((sql, own) => recordPayment(sql, own, payment, app.clock.now(), 'operator'))
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
  const [borrower, ahead] = [await newBorrower({ paid: 2 }), await newBorrower()]
  const today = dayInIndia(app.clock.now())
  const partPaidOn = addDays(today, -50)
  await borrower.receive(50_000, `UTRPART${borrower.lan}`, partPaidOn, 'PART_PAYMENT__REDUCE_EMI')
  const rows = await borrower.write(async (_sql, { facts }) => loanStateDuring(facts, today).rows.slice(2, 4))
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
  const next = await ahead.write(async (_sql, { facts }) => loanStateDuring(facts, today).rows.slice(4, 6))
  for (const { number, repaymentAmountPaise } of next)
    await ahead.receive(Number(repaymentAmountPaise) / 100, `UTR${number}${ahead.lan}`, today, 'PAY_EMI')
  expect(await refusalOf(addDays(today, -11), ahead)).toBe('charge_before_payments')
  expect(await refusalOf(addDays(today, -9), ahead)).toBeUndefined()
  expect(await borrower.loan()).toMatchObject({ loan_status: 'ACTIVE', dpd: 0 })
})

it('a charge is not waived where the state of the loan is unknown: whether it is paid is unknown too', async () => {
  const borrower = await newBorrower()
  await borrower.addCharge('charge:paid', 590)
  await borrower.receive(590, `UTRPAID${borrower.lan}`)
  const waive: Asked = { kind: 'charge_waive', lan: borrower.lan, input: { charge_id: 'charge:paid' } }
  const refusalOf = async () => (await app.post('/operations/previews', waive, maker.token)).body
  expect(await refusalOf()).toMatchObject({ status: 422, refusal: 'charge_not_open' })
  await whileUnknown(borrower.key.loanId, async () => {
    expect(await refusalOf()).toMatchObject({ status: 422, refusal: 'facts_do_not_allow' })
  })
})

describe('a recorded payment', () => {
  it('closes the loan if it is recorded as a foreclosure; without this purpose its preview warns', async () => {
    const borrower = await newBorrower()
    const record = await app.get(`/operations/loans/${borrower.lan}`, maker.token)
    const { foreclosure_payment: payoff } = record.body['allowed_payments'] as { foreclosure_payment: { amount: number } }
    const warningsOf = async (asked: Asked) => (await app.post('/operations/previews', asked, maker.token)).body['warnings']
    const plain = await warningsOf(transfer(borrower.lan, `UTRPLAIN${borrower.lan}`, payoff.amount))
    expect(plain).toContainEqual({ code: 'enough_to_close' })
    const less = await warningsOf(transfer(borrower.lan, `UTRLESS${borrower.lan}`, payoff.amount - 1))
    expect(less).not.toContainEqual({ code: 'enough_to_close' })
    const asked = transfer(borrower.lan, `UTRCLOSE${borrower.lan}`, payoff.amount)
    const proposal = await proposed({ ...asked, input: { ...asked.input, purpose: 'FORECLOSURE' } })
    expect(JSON.stringify(proposal.preview)).not.toContain('enough_to_close')
    expect((await approve(app, checker.token, proposal)).status).toBe(200)
    expect(await borrower.loan()).toMatchObject({ loan_status: 'CLOSED' })
  })
})

describe('a proposal', () => {
  it('changes nothing until another person approves its preview', async () => {
    const borrower = await newBorrower()
    const before = await borrower.loan()
    const proposal = await proposed(charge(borrower.lan))
    expect(proposal).toMatchObject({ state: 'proposed', kind: 'charge_add', lan: borrower.lan, checker: null, reason: proposalReason })
    expect(await borrower.loan()).toEqual(before)
    const { status, body } = await approve(app, checker.token, proposal)
    expect([status, body]).toMatchObject([200, { proposal: { state: 'executed', checker: { user_id: checker.userId } } }])
    expect((await borrower.loan())['dues']).toBe(590)
  })
  it('of a charge with its GST adds both, and a waiver of the charge takes both back', async () => {
    const borrower = await newBorrower()
    const input = { charge_type: 'BOUNCE_CHARGE', amount: 500, tax_percent: 18 }
    const added = await proposed({ kind: 'charge_add', lan: borrower.lan, input })
    expect(added).toMatchObject({ amount: 590 })
    await approve(app, checker.token, added)
    expect((await borrower.loan())['dues']).toBe(590)
    const waived = await proposed({ kind: 'charge_waive', lan: borrower.lan, input: { charge_id: `charge:${added.id}` } })
    expect(waived).toMatchObject({ amount: 590 })
    await approve(app, checker.token, waived)
    expect((await borrower.loan())['dues']).toBe(0)
  })
  it('is executed with its ledger source, the access-log entry, the notice and the list of staff actions', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    await approve(app, checker.token, proposal)
    expect(await ledgerOf(borrower.key.loanId)).toContainEqual({
      kind: 'charge',
      source: 'operations',
      source_id: `${proposal.id}:charge:charge:${proposal.id}`,
    })
    expect(await logOf(borrower.borrowerId, 'charge_added')).toMatchObject([
      { actor_id: checker.userId, detail: { proposal: proposal.id, reason: proposalReason, maker: expect.stringContaining('Asha') } },
    ])
    expect((await borrower.get('/portal/notices'))['notices']).toMatchObject([{ kind: 'charge_added', amount: 590, lan: borrower.lan }])
    expect((await borrower.get('/portal/staff-access'))['staff_access']).toMatchObject([
      {
        kind: 'operation',
        team: 'operations',
        reason: proposalReason,
        lan: borrower.lan,
        amount: 590,
        acts: [{ act: 'charge_added', times: 1 }],
      },
      { kind: 'profile_read', team: 'operations', acts: [{ act: 'profile_viewed', times: 2 }] },
    ])
  })
  it('can be rejected by another person and withdrawn by its maker, each once', async () => {
    const borrower = await newBorrower()
    const [first, second] = [await proposed(charge(borrower.lan)), await proposed(charge(borrower.lan))]
    const close = (id: string, way: string, by: Staff, reason = 'It is not needed any more.') =>
      app.post(`/operations/proposals/${id}/${way}`, { reason }, by.token)
    expect((await close(first.id, 'withdraw', checker)).status).toBe(403)
    expect(proposalOf(await close(first.id, 'reject', checker))).toMatchObject({
      state: 'rejected',
      decision_reason: 'It is not needed any more.',
      checker: { user_id: checker.userId },
    })
    expect((await close(first.id, 'reject', checker)).status).toBe(200)
    expect((await close(first.id, 'reject', secondChecker)).body).toMatchObject({ code: 'ProposalDecided', proposal_state: 'rejected' })
    expect((await approve(app, secondChecker.token, first)).body).toMatchObject({ status: 409, code: 'ProposalDecided' })
    expect(proposalOf(await close(second.id, 'withdraw', maker))).toMatchObject({ state: 'withdrawn', checker: null, decision_cause: null })
    expect((await close(second.id, 'reject', checker)).body).toMatchObject({ code: 'ProposalDecided', proposal_state: 'withdrawn' })
    expect((await borrower.loan())['dues']).toBe(0)
  })
  it('expires after 72 hours', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    await app.clock.advance(72 * 3_600_000)
    checker = await signedInAgain(checker)
    expect((await approve(app, checker.token, proposal)).body).toMatchObject({ code: 'ProposalDecided', proposal_state: 'expired' })
    expect(await stateOf(proposal.id)).toBe('expired')
    expect((await app.get('/operations/queue?state=expired', checker.token)).body).toMatchObject({ items: [{ id: proposal.id }] })
  })
  it('once expired is one entry of the access log', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    await logExpiredProposals(app.context)
    expect(await logOf(borrower.borrowerId, 'proposal_expired')).toEqual([])
    await app.clock.advance(72 * 3_600_000)
    await Promise.all([logExpiredProposals(app.context), logExpiredProposals(app.context)])
    const entry = {
      proposal: proposal.id,
      kind: 'charge_add',
      lan: borrower.lan,
      operator: expect.stringContaining('Asha'),
      reason: proposalReason,
      expired_at: proposal['expires_at'],
    }
    expect(await logOf(borrower.borrowerId, 'proposal_expired')).toEqual([{ actor_id: 'system', detail: entry }])
  })
  it('names the field of a wrong input and of a reason that is too short or holds personal data', async () => {
    const { lan } = await newBorrower()
    const refusal = async (asked: Asked) => (await propose(app, maker.token, asked)).body
    expect(await refusal(charge(lan, -1))).toMatchObject({
      status: 422,
      code: 'ProposalRefused',
      field: 'input.amount',
      refusal: 'input_invalid',
    })
    for (const [input, detail] of [
      [{ charge_type: 'FEE' }, 'input.amount is missing.'],
      [{ charge_type: 'FEE', amount: '5' }, 'input.amount must be a number.'],
      [{ charge_type: 'FEE', amount: 5, date: '2026-02-30' }, 'input.date must be a date from 1900-01-01 to 2199-12-31.'],
    ] as const)
      expect(await refusal({ kind: 'charge_add', lan, input })).toMatchObject({ detail, refusal: 'input_invalid' })
    expect(await refusal({ kind: 'review_resolve', input: { review_id: 'R-1', resolution: 'Closed' } })).toMatchObject({
      detail: 'input.review_id must be a UUID.',
    })
    expect(await refusal({ kind: 'charge_add', input: { charge_type: 'FEE', amount: 1 } })).toMatchObject({ status: 422, field: 'lan' })
    expect(await refusal({ kind: 'credit_refund', lan, input: { amount: 1 } })).toMatchObject({
      status: 422,
      field: 'input.amount',
      refusal: 'credit_too_small',
    })
    expect(await refusal({ kind: 'charge_waive', lan, input: { charge_id: 'none' } })).toMatchObject({
      status: 422,
      field: 'input.charge_id',
    })
    expect(await refusal(charge('KST-00-000000'))).toMatchObject({ status: 404 })
    const { body: preview } = await app.post('/operations/previews', charge(lan), maker.token)
    const withReason = async (reason: string) =>
      (await app.post('/operations/proposals', { ...charge(lan), reason, preview_hash: preview['preview_hash'] }, maker.token)).body
    expect(await withReason('too short')).toMatchObject({ status: 422, field: 'reason' })
    expect(await withReason('Nair')).toMatchObject({ status: 422, field: 'reason' })
    for (const personal of ['9876543210', '09876543210', 'abcde1234f', 'asha@okaxis'])
      expect(await withReason(`Ask ${personal} about this charge.`)).toMatchObject({ status: 422, field: 'reason' })
  })
  it('keeps its reason without the names of the borrower', async () => {
    const { lan } = await newBorrower()
    const { body: preview } = await app.post('/operations/previews', charge(lan), maker.token)
    const asked = { ...charge(lan), reason: 'Asked for by Ravi Nair himself.', preview_hash: preview['preview_hash'] }
    const proposal = proposalOf(await app.post('/operations/proposals', asked, maker.token))
    expect(proposal['reason']).toBe('Asked for by [name] [name] himself.')
    const rejected = { kind: 'tranche_reject', lan, input: { partner_tranche_id: 'T1', cause: 'call 9876543210' } }
    expect((await propose(app, maker.token, rejected)).body).toMatchObject({ status: 422, field: 'input.cause' })
  })
  it('keeps the cause of a rejected tranche without the names of the borrower', async () => {
    const borrower = await newBorrower()
    const soon = addDays(dayInIndia(app.clock.now()), 20)
    const asked = { lead_id: borrower.lan, lan: borrower.lan, amount: 20_000, date: soon }
    const requested = await app.post('/portal/tranche', asked, borrower.token)
    const { partner_tranche_id } = (requested.body['tranche'] ?? requested.body) as { partner_tranche_id: string }
    const reject = (cause: string): Asked => ({ kind: 'tranche_reject', lan: borrower.lan, input: { partner_tranche_id, cause } })
    const proposal = await proposed(reject('Ravi sent no proof of fees.'))
    expect(proposal['input']).toEqual({ partner_tranche_id, cause: '[name] sent no proof of fees.' })
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
    expect(await logOf(borrower.borrowerId, 'tranche_rejected')).toMatchObject([{ detail: { cause: '[name] sent no proof of fees.' } }])
    expect((await propose(app, maker.token, reject('Nair '.repeat(60)))).body).toMatchObject({ status: 422, field: 'input.cause' })
  })
  it('of a release before the sanction is refused, and the day of the sanction is known', async () => {
    const borrower = await newBorrower()
    const asked = { lead_id: borrower.lan, lan: borrower.lan, amount: 20_000, date: addDays(dayInIndia(app.clock.now()), 20) }
    const { partner_tranche_id } = (await app.post('/portal/tranche', asked, borrower.token)).body
    expect(
      await approve(app, checker.token, await proposed({ kind: 'tranche_approve', lan: borrower.lan, input: { partner_tranche_id } })),
    ).toMatchObject({ status: 200 })
    const { body } = await app.get(`/operations/loans/${borrower.lan}`, maker.token)
    const { sanctioned_on: sanctionedOn } = body['facts'] as { sanctioned_on: Day }
    const releaseOn = (date: Day) =>
      app.post('/operations/previews', { kind: 'tranche_release', lan: borrower.lan, input: { partner_tranche_id, date } }, maker.token)
    expect((await releaseOn(addDays(sanctionedOn, -1))).body).toMatchObject({
      status: 422,
      field: 'input.date',
      refusal: 'day_before_sanction',
    })
    expect(await releaseOn(sanctionedOn)).toMatchObject({ status: 200 })
  })
  it('keeps the reason of its rejection without the names of the borrower', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    const rejected = await app.post(`/operations/proposals/${proposal.id}/reject`, { reason: 'Ravi has paid it already' }, checker.token)
    expect(proposalOf(rejected).decision_reason).toBe('[name] has paid it already')
  })
  it('is made once for one Idempotency-Key of a staff member', async () => {
    const { lan } = await newBorrower()
    const key = { 'idempotency-key': `proposal-${lan}` }
    const first = proposalOf(await propose(app, maker.token, charge(lan), key))
    expect(proposalOf(await propose(app, maker.token, charge(lan), key)).id).toBe(first.id)
    expect((await propose(app, maker.token, charge(lan, 700), key)).body).toMatchObject({ status: 422, code: 'IdempotencyKeyReused' })
    const other = await newStaff(['operations:read', 'operations:propose'])
    expect(proposalOf(await propose(app, other.token, charge(lan), key)).id).not.toBe(first.id)
  })
})

/** A session ends after half an hour without requests. */
const signedInAgain = async (staff: Staff): Promise<Staff> => ({ ...staff, token: await app.signIn(staff.phone) })

describe('two people', () => {
  it('are needed: nobody approves or rejects what they proposed', async () => {
    const borrower = await newBorrower()
    const both = await newStaff(everything)
    const proposal = await proposed(charge(borrower.lan), both)
    expect((await approve(app, both.token, proposal)).body).toMatchObject({ status: 403, code: 'FourEyes' })
    const rejected = await app.post(`/operations/proposals/${proposal.id}/reject`, { reason: 'Not needed.' }, both.token)
    expect(rejected.body).toMatchObject({ status: 403, code: 'FourEyes' })
    expect(await stateOf(proposal.id)).toBe('proposed')
  })
  it('are needed: each refusal is an entry of the access log of who asked, also of a withdrawal by another person', async () => {
    const borrower = await newBorrower()
    const [both, other] = [await newStaff(everything), await newStaff(everything)]
    const proposal = await proposed(charge(borrower.lan), both)
    await approve(app, both.token, proposal)
    await app.post(`/operations/proposals/${proposal.id}/reject`, { reason: 'Not needed.' }, both.token)
    const withdrawn = await app.post(`/operations/proposals/${proposal.id}/withdraw`, { reason: 'Not needed.' }, other.token)
    expect(withdrawn.body).toMatchObject({ status: 403, code: 'PermissionDenied' })
    const refused = async (staff: Staff) => (await logOf(staff.userId, 'access_refused')).map(({ actor_id, detail }) => [actor_id, detail])
    expect(await refused(both)).toEqual(['approveProposal', 'rejectProposal'].map((call) => [both.userId, { call }]))
    expect(await refused(other)).toEqual([[other.userId, { call: 'withdrawProposal' }]])
    expect(await logOf(borrower.borrowerId, 'access_refused')).toEqual([])
  })
  it.each([
    ['PAN', { pan: 'ABCPK1234L' }],
    ['e-mail address', { email: 'two.accounts@lender.example' }],
  ])('with one %s count as one person', async (_name, same) => {
    const borrower = await newBorrower()
    const [one, other] = [await newStaff(everything, same), await newStaff(everything, same)]
    const proposal = await proposed(charge(borrower.lan), one)
    expect((await approve(app, other.token, proposal)).body).toMatchObject({ status: 403, code: 'FourEyes' })
  })
  it('with the same ten digits and another country code count as one person', async () => {
    const borrower = await newBorrower()
    const one = await newStaff(everything, { phone: '+917755512345' })
    const other = await newStaff(everything)
    await app.database.asSystem((sql) =>
      sql.updateTable('users').set({ phone: '+447755512345' }).where('user_id', '=', other.userId).execute(),
    )
    const proposal = await proposed(charge(borrower.lan), one)
    expect((await approve(app, other.token, proposal)).body).toMatchObject({ status: 403, code: 'FourEyes' })
  })
  it('never act on a loan of their own', async () => {
    const pan = 'QWEPK4321Z'
    const borrower = await newBorrower({ pan })
    const own = await newStaff(everything, { pan })
    expect((await app.post('/operations/previews', charge(borrower.lan), own.token)).body).toMatchObject({ code: 'FourEyes' })
    const proposal = await proposed(charge(borrower.lan))
    expect((await approve(app, own.token, proposal)).body).toMatchObject({ code: 'FourEyes' })
    expect((await app.get(`/operations/loans/${borrower.lan}`, own.token)).body).toMatchObject({ is_own: true })
    expect((await borrower.loan())['dues']).toBe(0)
  })
  it('never act while they act as a borrower', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    const staff = await newStaff([...everything, 'user:assume'])
    const assumed = await app.post('/auth/assume', { user_id_to_assume: borrower.borrowerId, reason: 'a call' }, staff.token)
    const token = String(assumed.body['token'])
    expect((await approve(app, token, proposal)).status).toBe(403)
    expect((await app.post('/operations/previews', charge(borrower.lan), token)).status).toBe(403)
    expect((await app.get('/operations/queue', token)).status).toBe(403)
  })
  it('of whom two approve at once: one executes', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    const answers = await Promise.all([
      approve(app, checker.token, proposal),
      approve(app, secondChecker.token, proposal),
      approve(app, checker.token, proposal),
    ])
    const executed = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(executed.map((answer) => JSON.stringify(proposalOf(answer)))).size).toBe(1)
    expect(refused.map(({ body }) => body['code'])).toEqual(refused.map(() => 'ProposalDecided'))
    expect(executed.length + refused.length).toBe(3)
    expect(refused.length).toBeGreaterThan(0)
    expect((await borrower.loan())['dues']).toBe(590)
  })
})

describe('a repeated approval', () => {
  it('of the same preview by the same checker answers the same, by another one 409', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    const first = proposalOf(await approve(app, checker.token, proposal))
    expect(proposalOf(await approve(app, checker.token, proposal))).toEqual(first)
    expect((await approve(app, secondChecker.token, proposal)).body).toMatchObject({ status: 409, code: 'ProposalDecided' })
    expect((await approve(app, checker.token, proposal, { preview_hash: 'another' })).body).toMatchObject({ code: 'ProposalDecided' })
    expect((await borrower.loan())['dues']).toBe(590)
  })
})

describe('a crash', () => {
  it('between commit and answer leaves the proposal executed; the same approval then answers 200', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    failStep(app, 'proposal_committed')
    expect((await approve(app, checker.token, proposal)).status).toBe(500)
    expect(await stateOf(proposal.id)).toBe('executed')
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
    expect((await approve(app, secondChecker.token, proposal)).body).toMatchObject({ code: 'ProposalDecided' })
    expect((await borrower.loan())['dues']).toBe(590)
    expect(await logOf(borrower.borrowerId, 'charge_added')).toHaveLength(1)
  })
  it('before the commit changes nothing, and the proposal can be approved', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    failStep(app, 'proposal_written')
    expect((await approve(app, checker.token, proposal)).status).toBe(500)
    expect([await stateOf(proposal.id), (await borrower.loan())['dues']]).toEqual(['proposed', 0])
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
    expect((await borrower.loan())['dues']).toBe(590)
  })
})

/** With a limit for one person. */
const limited = async <T>(work: () => Promise<T>): Promise<T> => {
  app.context.config.operations.limits = { charge_add: rupeesToPaise(600) }
  return work().finally(() => {
    app.context.config.operations.limits = {}
  })
}

describe('the limit for one person', () => {
  it('is ₹0 by default: a second person approves every amount', async () => {
    const { lan } = await newBorrower()
    expect((await proposed(charge(lan, 0.01))).state).toBe('proposed')
  })
  it('lets one person execute what is below it, and nothing of the limit or above', async () => {
    const borrower = await newBorrower()
    const below = await limited(() => proposed(charge(borrower.lan, 599.99)))
    expect(below).toMatchObject({ state: 'executed', checker: null, maker: { user_id: maker.userId } })
    expect((await limited(() => proposed(charge(borrower.lan, 600)))).state).toBe('proposed')
    expect((await limited(() => proposed(transfer(borrower.lan, `ALONE${people}`, 1)))).state).toBe('proposed')
    expect((await borrower.loan())['dues']).toBe(599.99)
  })
  it('counts what people executed alone on a loan in a day together', async () => {
    const [borrower, another] = [await newBorrower(), await newBorrower()]
    const stateOfCharge = async (lan: string, amount: number) => (await limited(() => proposed(charge(lan, amount)))).state
    expect([await stateOfCharge(borrower.lan, 350), await stateOfCharge(borrower.lan, 249)]).toEqual(['executed', 'executed'])
    expect([await stateOfCharge(borrower.lan, 1), await stateOfCharge(another.lan, 350)]).toEqual(['proposed', 'executed'])
    expect((await borrower.loan())['dues']).toBe(599)
    await app.database.asSystem((sql) =>
      sql
        .updateTable('operation_proposals')
        .set({ decided_at: new Date(app.clock.now().getTime() - 86_400_000) })
        .where('loan_id', '=', borrower.key.loanId)
        .where('state', '=', 'executed')
        .execute(),
    )
    expect(await stateOfCharge(borrower.lan, 599)).toBe('executed')
  })
  it('never lets one person act on an own loan, and waits for a second while a link is open', async () => {
    const pan = 'LIMPK4321Z'
    const borrower = await newBorrower({ pan })
    const own = await newStaff(everything, { pan })
    expect((await limited(() => propose(app, own.token, charge(borrower.lan)))).body).toMatchObject({ code: 'FourEyes' })
    await borrower.link()
    expect((await limited(() => proposed(charge(borrower.lan)))).state).toBe('proposed')
  })
})

describe('a presented debit', () => {
  const expectedBy = new Date(noon.getTime() + 10 * 86_400_000)
  const present = (loan: { borrowerId: string; loanId: string }) =>
    presentDebit({ database: app.database, superuserUrl: app.databaseUrls.superuserUrl }, loan, { now: app.clock.now(), expectedBy })

  it('lets nothing be previewed or approved that must wait for its outcome', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    const debit = await present(borrower.key)
    try {
      const refusal = { status: 409, code: 'AutopayInProgress', expected_by: expectedBy.toISOString() }
      expect((await app.post('/operations/previews', charge(borrower.lan), maker.token)).body).toMatchObject(refusal)
      expect((await approve(app, checker.token, proposal)).body).toMatchObject(refusal)
      expect(await stateOf(proposal.id)).toBe('proposed')
      expect((await proposed(transfer(borrower.lan, `DEBIT${people}`))).state).toBe('proposed')
    } finally {
      await debit.remove()
    }
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
  })
  it('leaves a proposal that one person may execute to a checker', async () => {
    const borrower = await newBorrower()
    const { body: preview } = await app.post('/operations/previews', charge(borrower.lan), maker.token)
    const asked = { ...charge(borrower.lan), reason: proposalReason, preview_hash: preview['preview_hash'] }
    const send = () => app.post('/operations/proposals', asked, maker.token, { 'idempotency-key': `same-request-${people}` })
    expect(proposalOf(await send()).state).toBe('proposed')
    const debit = await present(borrower.key)
    try {
      // The same request, after the connection was lost: its proposal is not executed yet.
      expect(proposalOf(await limited(send)).state).toBe('proposed')
    } finally {
      await debit.remove()
    }
  })
})

describe('a preview', () => {
  it('is stale once the loan has changed; the checker can approve the new one', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    await borrower.receive(1_000, `STALE${people}`)
    const stale = await approve(app, checker.token, proposal)
    expect([stale.status, stale.body['code']]).toEqual([409, 'ProposalStale'])
    expect(await stateOf(proposal.id)).toBe('proposed')
    const preview = stale.body['preview'] as { preview_hash: string; after: Record<string, unknown> }
    const executed = proposalOf(await approve(app, checker.token, proposal, { preview_hash: preview.preview_hash }))
    expect(executed).toMatchObject({ state: 'executed', preview })
  })
  it('that is stale when it is approved is an entry of the borrower’s access log each time', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    for (const preview_hash of ['guessed', 'guessed again'])
      expect((await approve(app, checker.token, proposal, { preview_hash })).body).toMatchObject({ code: 'ProposalStale' })
    const read = {
      actor_id: checker.userId,
      detail: { call: 'approveProposal', lan: borrower.lan, reader: expect.stringContaining('Asha') },
    }
    const entries = await logOf(borrower.borrowerId, 'profile_viewed')
    expect(entries.filter(({ actor_id }) => actor_id === checker.userId)).toMatchObject([read, read])
  })
  it('is stale after midnight in India', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    await app.clock.advance(12.5 * 3_600_000)
    checker = await signedInAgain(checker)
    const stale = await approve(app, checker.token, proposal)
    expect([stale.status, stale.body['code']]).toEqual([409, 'ProposalStale'])
    const { preview_hash, before } = stale.body['preview'] as { preview_hash: string; before: { as_of: string } }
    expect(before.as_of).toBe(dayInIndia(app.clock.now()))
    expect(proposalOf(await approve(app, checker.token, proposal, { preview_hash })).state).toBe('executed')
  })
  it('that the maker did not see is refused at proposing', async () => {
    const borrower = await newBorrower()
    const { body: preview } = await app.post('/operations/previews', charge(borrower.lan), maker.token)
    await borrower.addCharge('charge:between', 100)
    const asked = { ...charge(borrower.lan), reason: proposalReason, preview_hash: preview['preview_hash'] }
    const { status, body } = await app.post('/operations/proposals', asked, maker.token)
    expect([status, body['code'], typeof (body['preview'] as { preview_hash: string }).preview_hash]).toEqual([
      409,
      'ProposalStale',
      'string',
    ])
  })
  it('stores nothing but that the maker has read the loan', async () => {
    const borrower = await newBorrower()
    const before = await ledgerOf(borrower.key.loanId)
    const { status, body } = await app.post('/operations/previews', charge(borrower.lan), maker.token)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      before: { dues: 0 },
      after: { dues: 590 },
      lines: [{ kind: 'charge', account: 'charges', debit: 590 }, {}],
    })
    expect(await ledgerOf(borrower.key.loanId)).toEqual(before)
    expect((await borrower.get('/portal/notices'))['notices']).toEqual([])
    expect(await logOf(borrower.borrowerId, 'profile_viewed')).toMatchObject([
      { actor_id: maker.userId, detail: { call: 'previewOperation' } },
    ])
  })
  it('fails the proposal if the loan no longer allows it', async () => {
    const borrower = await newBorrower()
    await borrower.addCharge('charge:waived-twice', 100)
    const waive: Asked = { kind: 'charge_waive', lan: borrower.lan, input: { charge_id: 'charge:waived-twice' } }
    const [first, second] = [await proposed(waive), await proposed(waive)]
    expect(proposalOf(await approve(app, checker.token, first)).state).toBe('executed')
    const { status, body } = await approve(app, checker.token, second)
    expect([status, body['code'], body['field']]).toEqual([422, 'ProposalRefused', 'input.charge_id'])
    expect(await readProposal(second.id)).toMatchObject({ state: 'failed', decision_cause: 'charge_waived' })
  })
})

describe('an open payment link', () => {
  it('is shown by the proposal and can be cancelled first', async () => {
    const borrower = await newBorrower()
    const link = await borrower.link()
    const proposal = await proposed(charge(borrower.lan))
    expect(proposal).toMatchObject({ preview: { warnings: [{ code: 'link_open', payment_link_id: link }] } })
    const refused = await approve(app, checker.token, proposal)
    expect(refused.body).toMatchObject({ status: 409, code: 'LinkOpen', payment_link_id: link })
    expect(await stateOf(proposal.id)).toBe('proposed')
    expect(proposalOf(await approve(app, checker.token, proposal, { cancel_link: true })).state).toBe('executed')
    expect(await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`)).toMatchObject({ status: 'cancelled' })
  })
  it('that was cancelled first, for figures that changed meanwhile, is told to the checker and logged', async () => {
    const borrower = await newBorrower()
    const link = await borrower.link()
    const proposal = await proposed(charge(borrower.lan))
    const step = holdStep(app, 'cancel_asked')
    const approved = approve(app, checker.token, proposal, { cancel_link: true })
    await step.reached()
    await borrower.receive(1_000, `MEANWHILE${people}`)
    step.release()
    expect((await approved).body).toMatchObject({ code: 'ProposalStale', link_cancelled: true })
    expect(await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`)).toMatchObject({ status: 'cancelled' })
    expect(await logOf(borrower.borrowerId, 'payment_link_cancelled')).toEqual([
      {
        actor_id: checker.userId,
        detail: { payment_link_id: link, proposal: proposal.id, operator: expect.stringContaining('Asha'), reason: expect.any(String) },
      },
    ])
  })
  it('that was paid before it could be cancelled leaves the proposal open, and its preview is stale', async () => {
    const borrower = await newBorrower()
    const link = await borrower.link()
    const proposal = await proposed(charge(borrower.lan))
    await payLink(app, link)
    const paid = await approve(app, checker.token, proposal, { cancel_link: true })
    expect(paid.status).toBe(409)
    expect(['LinkPaid', 'ProposalStale']).toContain(paid.body['code'])
    // Either answer shows the loan's figures.
    const entries = await logOf(borrower.borrowerId, 'profile_viewed')
    expect(entries.filter(({ actor_id }) => actor_id === checker.userId)).toMatchObject([{ detail: { call: 'approveProposal' } }])
    await until(async () => (await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`))['rps_updated'])
    expect((await approve(app, checker.token, proposal)).body).toMatchObject({ code: 'ProposalStale' })
  })
  it('is cancelled right after money that has arrived is recorded', async () => {
    const borrower = await newBorrower()
    const link = await borrower.link()
    const proposal = await proposed(transfer(borrower.lan, `LINK${people}`))
    expect(proposal).toMatchObject({ preview: { warnings: [{ code: 'link_will_be_cancelled', payment_link_id: link }] } })
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
    expect(await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`)).toMatchObject({ status: 'cancelled' })
  })
})

describe('a bank reference', () => {
  it('that another borrower’s payment has is refused at proposing, and readers see that payment', async () => {
    const [first, second] = [await newBorrower(), await newBorrower()]
    await first.receive(1_000, 'SAME-REF-1')
    const refused = await propose(app, maker.token, transfer(second.lan, 'samere f1'.replace(' ', '-')))
    expect(refused.body).toMatchObject({
      status: 422,
      code: 'ProposalRefused',
      field: 'input.reference',
      refusal: 'reference_taken',
      other_payment: { lan: first.lan, mode: 'neft', reference: 'SAME-REF-1', amount: 1_000 },
    })
    const readsOfFirst = async () => (await logOf(first.borrowerId, 'profile_viewed')).map(({ actor_id, detail }) => [actor_id, detail])
    const read = [maker.userId, expect.objectContaining({ lan: first.lan, reader: expect.any(String) })]
    expect(await readsOfFirst()).toEqual([read])
    const writer = await newStaff(['operations:propose'])
    const hidden = await propose(app, writer.token, transfer(second.lan, 'SAME-REF-1'))
    expect(await readsOfFirst()).toEqual([read])
    expect([hidden.body['field'], hidden.body['other_payment']]).toEqual(['input.reference', undefined])
  })
  it('of another open proposal is refused at proposing', async () => {
    const [first, second] = [await newBorrower(), await newBorrower()]
    await proposed(transfer(first.lan, 'OPEN-REF-1'))
    const refused = await propose(app, maker.token, transfer(second.lan, 'OPENREF1'))
    expect(refused.body).toMatchObject({ status: 422, field: 'input.reference', detail: expect.stringContaining(first.lan) })
    const writer = await newStaff(['operations:propose'])
    const hidden = await propose(app, writer.token, transfer(second.lan, 'OPENREF1'))
    expect(hidden.body).toMatchObject({ status: 422, field: 'input.reference', detail: expect.not.stringContaining(first.lan) })
  })
  it('that was recorded meanwhile is refused at executing, and the proposal fails', async () => {
    const [first, second] = [await newBorrower(), await newBorrower()]
    const proposal = await proposed(transfer(second.lan, 'LATER-REF-1'))
    await first.receive(2_000, 'LATER-REF-1')
    const refused = await approve(app, checker.token, proposal)
    expect(refused.body).toMatchObject({ status: 422, field: 'input.reference', other_payment: { lan: first.lan } })
    expect((await logOf(first.borrowerId, 'profile_viewed')).map(({ actor_id }) => actor_id)).toEqual([checker.userId])
    expect(await readProposal(proposal.id)).toMatchObject({ state: 'failed', decision_cause: 'reference_taken' })
  })
  it('of a reversed payment can be recorded again, is shown as it is, and reversed by it', async () => {
    const borrower = await newBorrower()
    const reversal: Asked = { kind: 'payment_reverse', lan: borrower.lan, input: { payment_id: 'AGAIN-REF-1', cause: 'wrong_loan' } }
    for (const asked of [transfer(borrower.lan, 'AGAIN-REF-1'), reversal, transfer(borrower.lan, 'AGAIN-REF-1')])
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
    const other = await newBorrower()
    expect((await propose(app, maker.token, transfer(other.lan, reference))).body).toMatchObject({ other_payment: { reference } })
    expect(proposalOf(await approve(app, checker.token, await proposed(reversal))).state).toBe('executed')
    expect((await payments()).map(({ reversed }) => reversed)).toEqual([true, true])
  })
})

describe('a maker whose account is disabled', () => {
  it('loses every open proposal', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    const operator = { actorId: 'operator', name: 'operator (not named)', reason: null }
    await disable({ ...app.context, operator, databaseUrl: '', ownerUrl: '' } as never, maker.phone)
    expect(await readProposal(proposal.id)).toMatchObject({ state: 'withdrawn', decision_cause: 'maker_disabled' })
    expect((await approve(app, checker.token, proposal)).body).toMatchObject({ code: 'ProposalDecided', proposal_state: 'withdrawn' })
    expect((await borrower.loan())['dues']).toBe(0)
  })
  it('keeps what had expired before, and each withdrawal is an entry', async () => {
    const borrower = await newBorrower()
    const expired = await proposed(charge(borrower.lan))
    await app.clock.advance(73 * 3_600_000)
    maker = await signedInAgain(maker)
    const open = await proposed(charge(borrower.lan))
    const operator = { actorId: 'operator', name: 'operator (not named)', reason: null }
    await disable({ ...app.context, operator, databaseUrl: '', ownerUrl: '' } as never, maker.phone)
    checker = await signedInAgain(checker)
    expect([await stateOf(expired.id), await stateOf(open.id)]).toEqual(['expired', 'withdrawn'])
    expect(await logOf(borrower.borrowerId, 'proposal_withdrawn')).toMatchObject([{ actor_id: 'operator', detail: { proposal: open.id } }])
  })
  it('also if the account was disabled by another way', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    await app.database.asSystem((sql) =>
      sql.updateTable('users').set({ disabled_at: app.clock.now() }).where('user_id', '=', maker.userId).execute(),
    )
    expect((await approve(app, checker.token, proposal)).body).toMatchObject({ code: 'ProposalDecided', proposal_state: 'withdrawn' })
    expect(await stateOf(proposal.id)).toBe('withdrawn')
  })
})

describe('a checker who loses the right during the approval', () => {
  const setAccount = (set: { disabled_at?: Date; permissions?: string[] }) =>
    app.database.asSystem((sql) => sql.updateTable('users').set(set).where('user_id', '=', checker.userId).execute())
  const disabled = () => setAccount({ disabled_at: app.clock.now() })
  const withoutPermission = () => setAccount({ permissions: ['operations:read'] })

  /** Approves while somebody else holds the lock, under which the checker's account is changed. */
  async function approveWhile(proposal: Awaited<ReturnType<typeof proposed>>, lock: (sql: Sql) => Promise<unknown>, change: () => unknown) {
    let answer: ReturnType<typeof approve> | undefined
    await app.database.asSystem(async (sql) => {
      await lock(sql)
      answer = approve(app, checker.token, proposal)
      await until(async () => (await countLockWaits(app.databaseUrls.superuserUrl)) > 0)
      await change()
    })
    return answer as ReturnType<typeof approve>
  }

  it.each([
    ['is disabled', disabled, { status: 401, code: 'AuthSessionExpired' }],
    ['loses the permission', withoutPermission, { status: 403, code: 'PermissionDenied' }],
  ])('executes nothing on a loan once the account %s', async (_what, change, refusal) => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    const answer = await approveWhile(proposal, (sql) => lockOwnLoan(sql, borrower.borrowerId, borrower.key.loanId), change)
    expect(answer.body).toMatchObject(refusal)
    expect((await borrower.loan())['dues']).toBe(0)
    expect(proposalOf(await approve(app, secondChecker.token, proposal)).state).toBe('executed')
  })
  it('resolves no review', async () => {
    const review = { borrowerId: noBorrowerId, kind: 'unknown_payment', about: `pay_late${people}`, detail: {} } as const
    await app.database.asSystem((sql) => addReview(sql, review, app.clock.now()))
    const reviewId = await app.database.asSystem((sql) =>
      sql.selectFrom('payment_reviews').select('review_id').where('about', '=', `${review.kind}:${review.about}`).executeTakeFirstOrThrow(),
    )
    const proposal = await proposed({ kind: 'review_resolve', input: { ...reviewId, resolution: 'Returned by the bank.' } })
    const answer = await approveWhile(proposal, (sql) => lockReview(sql, reviewId.review_id), disabled)
    expect(answer.body).toMatchObject({ status: 401, code: 'AuthSessionExpired' })
    expect(proposalOf(await approve(app, secondChecker.token, proposal)).state).toBe('executed')
  })
  it('lets the change of the account wait for an execution that has begun', async () => {
    const borrower = await newBorrower()
    const proposal = await proposed(charge(borrower.lan))
    const step = holdStep(app, 'proposal_written')
    const answer = approve(app, checker.token, proposal)
    await step.reached()
    let isChanged = false
    const change = disabled().then(() => void (isChanged = true))
    await until(async () => (await countLockWaits(app.databaseUrls.superuserUrl)) > 0)
    expect(isChanged).toBe(false)
    step.release()
    expect(proposalOf(await answer).state).toBe('executed')
    await change
  })
})

describe('a review', () => {
  it('is resolved by two people, with the record before and after', async () => {
    const borrower = await newBorrower()
    await app.database.asSystem((sql) =>
      addReview(
        sql,
        {
          borrowerId: borrower.borrowerId,
          loanId: borrower.key.loanId,
          kind: 'dispute',
          about: `dispute-${people}`,
          detail: { pay: 'pay_1' },
        },
        app.clock.now(),
      ),
    )
    const { body } = await app.get('/operations/reviews', checker.token)
    const review = (body['items'] as { review_id: string; lan: string }[]).find(({ lan }) => lan === borrower.lan)
    expect(review).toMatchObject({ kind: 'dispute', state: 'open', remedies: ['payment_reverse'], open_proposal_id: null })
    const resolution = 'The bank of Ravi closed the dispute.'
    const asked: Asked = { kind: 'review_resolve', input: { review_id: review?.review_id, resolution } }
    const proposal = await proposed(asked)
    expect(proposal).toMatchObject({
      lan: borrower.lan,
      preview: { before: { review_state: 'open', resolution: null }, after: { review_state: 'resolved' }, lines: [] },
    })
    const listed = await app.get('/operations/reviews', checker.token)
    expect(listed.body['items']).toContainEqual(expect.objectContaining({ open_proposal_id: proposal.id }))
    const [one, other] = await Promise.all([approve(app, checker.token, proposal), approve(app, secondChecker.token, proposal)])
    expect([one.status, other.status].toSorted()).toEqual([200, 409])
    expect((await app.get('/operations/reviews?state=resolved', checker.token)).body['items']).toContainEqual(
      expect.objectContaining({ review_id: review?.review_id, resolution: 'The bank of [name] closed the dispute.' }),
    )
    expect((await propose(app, maker.token, asked)).body).toMatchObject({ status: 422, field: 'input.review_id' })
    expect(await logOf(borrower.borrowerId, 'review_resolved')).toMatchObject([
      { detail: { resolution: 'The bank of [name] closed the dispute.' } },
    ])
  })
  it('without a borrower is resolved in the same way', async () => {
    const about = `pay_unknown${people}`
    await app.database.asSystem((sql) =>
      addReview(sql, { borrowerId: noBorrowerId, kind: 'unknown_payment', about, detail: {} }, app.clock.now()),
    )
    const { body } = await app.get('/operations/reviews', checker.token)
    const review = (body['items'] as { review_id: string; kind: string }[]).find(({ kind }) => kind === 'unknown_payment')
    const proposal = await proposed({
      kind: 'review_resolve',
      input: { review_id: review?.review_id, resolution: 'Returned by the bank.' },
    })
    expect(proposal).toMatchObject({ lan: null, borrower_name: null })
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
  })
})

describe('reading', () => {
  it('the queue filters by state and kind and counts', async () => {
    const borrower = await newBorrower()
    const own = await proposed(charge(borrower.lan))
    const other = await proposed(transfer(borrower.lan, `QUEUE${people}`), await newStaff(everything))
    const { body } = await app.get('/operations/queue?state=proposed&kind=payment_record', maker.token)
    expect((body['items'] as { id: string }[]).map(({ id }) => id)).toContain(other.id)
    expect((body['items'] as { kind: string }[]).every(({ kind }) => kind === 'payment_record')).toBe(true)
    const counts = body['counts'] as Record<string, number>
    expect(counts['proposed']).toBe((counts['to_approve'] ?? 0) + (counts['mine'] ?? 0))
    expect(counts['mine']).toBe(1)
    expect((await app.get('/operations/queue?state=mine', maker.token)).body['items']).toMatchObject([{ id: own.id, is_own: true }])
    expect((await app.get('/operations/queue?state=nonsense', maker.token)).status).toBe(400)
  })
  it('each page of the queue and of the differences is an entry of the reader, and the numbers are none', async () => {
    await proposed(charge((await newBorrower()).lan))
    for (const path of ['queue?kind=charge_add&page=2', 'reviews?state=resolved', 'counts'])
      expect((await app.get(`/operations/${path}`, checker.token)).status).toBe(200)
    expect(await logOf(checker.userId, 'operations_listed')).toMatchObject([
      {
        actor_id: checker.userId,
        detail: { call: 'readOperationsQueue', state: 'proposed', kind: 'charge_add', page: 2, found: expect.any(Number) },
      },
      { detail: { call: 'readOperationsReviews', state: 'resolved', page: 1, found: expect.any(Number) } },
    ])
    const { body: queue } = await app.get('/operations/queue', checker.token)
    expect((await app.get('/operations/counts', checker.token)).body).toEqual({ counts: queue['counts'] })
  })
  it('a loan is found by its number, its borrower’s phone or name, and each search is an entry', async () => {
    const borrower = await newBorrower()
    const lans = async (search: string) =>
      ((await app.get(`/operations/loans?search=${encodeURIComponent(search)}`, maker.token)).body['items'] as { lan: string }[]).map(
        ({ lan }) => lan,
      )
    expect(await lans(borrower.lan.toLowerCase())).toEqual([borrower.lan])
    expect(await lans(borrower.phone.slice(3))).toEqual([borrower.lan])
    // Many have these names; the last one has the number too.
    expect(await lans(`Ravi Nair ${Number(borrower.lan.slice(-6))}`)).toContain(borrower.lan)
    expect(await lans('KST-00-000000')).toEqual([])
    expect(await logOf(maker.userId, 'users_searched')).toHaveLength(4)
  })
  it('a search for loans counts no borrower without one', async () => {
    const [firstName, lastName] = ['Aarav', 'Aaloan']
    for (let person = 0; person <= 20; person += 1)
      await addPerson(app.database, app.clock.now(), {
        firstName,
        lastName,
        phone: `+91750000${1000 + person}`,
        email: `zeta${person}@kist.test`,
      })
    const borrower = await newBorrower({ email: 'zeta@kist.test' })
    const { body } = await app.get('/operations/loans?search=zeta', maker.token)
    expect(body).toMatchObject({ items: [{ lan: borrower.lan }], total_pages: 1 })
  })
  it('four searches run at once of one person, whether they look for borrowers or for loans', async () => {
    const search = async (path: string) => (await app.get(`${path}?search=nair`, maker.token)).status
    const running: Promise<number>[] = []
    await app.database.asSystem(async (sql) => {
      const entry = {
        at: app.clock.now(),
        subjectId: maker.userId,
        actorId: maker.userId,
        action: 'users_searched',
        outcome: 'done',
      } as const
      // The entries of the searches wait for the end of this transaction.
      await logAccess(sql, { ...entry, origin: null })
      for (const path of ['/auth/users/all', '/operations/loans', '/auth/users/all', '/operations/loans']) running.push(search(path))
      await until(async () => (await countLockWaits(app.databaseUrls.superuserUrl)) >= 4)
      expect([await search('/operations/loans'), await search('/auth/users/all')]).toEqual([429, 429])
    })
    expect(await Promise.all(running)).toEqual([200, 200, 200, 200])
  })
  it('one loan shows what the borrower sees with its record, and is an entry that the borrower sees', async () => {
    const borrower = await newBorrower()
    const link = await borrower.link()
    const proposal = await proposed(charge(borrower.lan))
    const { status, body } = await app.get(`/operations/loans/${borrower.lan}`, checker.token)
    expect(status).toBe(200)
    const summary = await borrower.loan()
    expect(body['loan']).toEqual(summary)
    const schedule = await borrower.get(`/portal/repayment-schedule?lead_id=${borrower.lan}`)
    expect([body['repayment_schedule'], body['allowed_payments']]).toEqual([schedule['repayment_schedule'], schedule['allowed_payments']])
    expect(body['tranches']).toEqual((await borrower.get(`/portal/tranche-details?lan=${borrower.lan}`))['tranches'])
    expect(body).toMatchObject({
      is_own: false,
      facts: { payments: [{ reversed: false }, {}, {}, {}] },
      proposals: [{ id: proposal.id }],
    })
    expect((body['links'] as object[])[0]).toMatchObject({
      is_open: true,
      payment_link: { payment_link_id: link },
      steps: [{ step: 'asked' }, { step: 'link_ready' }],
    })
    const ledger = body['ledger'] as { balance: number }[]
    expect(ledger.at(-1)?.balance).toBe(summary['principal_outstanding'])
    expect((await borrower.get('/portal/staff-access'))['staff_access']).toMatchObject([
      { kind: 'profile_read', acts: [{ act: 'profile_viewed', times: 1 }] },
      // The maker's, of the preview and of the proposal.
      { kind: 'profile_read', acts: [{ act: 'profile_viewed', times: 2 }] },
    ])
  })
})
