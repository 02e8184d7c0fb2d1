import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, startOfDayInIndiaMs } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, rupeesToPaise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { noon, startApp, until, type App } from '#testkit/start-app.ts'
import { waive } from '#cli/commands/foreclosure.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { addCharges } from '../loan-changes/add-charge.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { takeBackCharge } from '../loan-changes/waive-charge.ts'
import { createLoanChangeContext } from './links/cancel-open-link.ts'

/** Noon in India. */
let app: App
let people = 0

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: noon })
  await addProduct(app.database, noon, 'education', educationLoan)
  await addProduct(app.database, noon, 'prepayment', { ...educationLoan, prepayment_charge: { percent: 2, tax_percent: 18 } })
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

/**
 * A borrower whose loan is paid up to the last due date, the 5th; `late`: the one before today, of
 * `dueDaysAgo`, is not.
 */
async function newBorrower({ dueDaysAgo = 15, isLate = false, product = 'education' } = {}) {
  people += 1
  const phone = `+9198765${String(people).padStart(5, '0')}`
  const lan = `KST-54-${String(people).padStart(6, '0')}`
  const now = app.clock.now()
  const paid = 4
  const lastDue = addDays(dayInIndia(now), -dueDaysAgo)
  const firstDueDate = addMonths(lastDue, 1 - paid)
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Meera', lastName: 'Joshi' })
  const key: AddedLoan = await addLoan(app.database, now, borrowerId, {
    lan,
    title: 'B.Sc. in physics',
    product,
    sanctionedRupees: 250_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 250_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate,
  })
  await payInstalments(app.database, key, isLate ? paid - 1 : paid)
  let token = await app.signIn(phone)
  /** Signs in again, because a session ends after half an hour without requests. */
  const signInAgain = async () => {
    token = await app.signIn(phone)
  }
  const offer = async () =>
    (await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)).body['allowed_payments'] as Record<string, { amount: number }>
  const link = (purpose: string, amount: number) => openLink(app, token, { lan, purpose, amount })
  const pay = async (id: string) => {
    await payLink(app, id)
    await until(async () => (await app.get(`/portal/payment-link/status?payment_link_id=${id}`, token)).body['rps_updated'])
  }
  const write = <T>(work: (loan: LoanTransaction) => Promise<T>) => withLockedLoan(app.database, key, app.clock.now(), work)
  const state = () => write(async ({ own: { facts } }) => loanStateDuring(facts, dayInIndia(app.clock.now())))
  const trail = async (id: string) =>
    (await app.get(`/portal/payments/${id}/trail`, token)).body['steps'] as { step: string; amount?: number }[]
  const notices = async () => (await app.get('/portal/notices', token)).body['notices'] as { kind: string; amount: number | null }[]
  const reviews = () =>
    app.database.asSystem((sql) =>
      sql.selectFrom('payment_reviews').selectAll().where('loan_id', '=', key.loanId).orderBy('review_id').execute(),
    )
  const refunds = () =>
    app.database.asSystem((sql) => sql.selectFrom('refunds').selectAll().where('loan_id', '=', key.loanId).orderBy('refund_id').execute())
  const ledger = () =>
    app.database.asSystem((sql) =>
      sql
        .selectFrom('ledger_transactions')
        .select(['kind', 'source_id', 'amount_paise'])
        .where('loan_id', '=', key.loanId)
        .orderBy('sequence')
        .execute(),
    )
  return { lan, key, signInAgain, offer, link, pay, write, state, trail, notices, reviews, refunds, ledger }
}
type Borrower = Awaited<ReturnType<typeof newBorrower>>

const at = (instant: string): Promise<void> => app.clock.moveTo(instant)
/** 23:40 in India, today. */
const lateEvening = () =>
  app.clock.advance(startOfDayInIndiaMs(dayInIndia(app.clock.now())) + 23.66 * 3_600_000 - app.clock.now().getTime())
const operator = { actorId: 'operator', name: null, reason: null } as never
const operatorContext = () =>
  ({ ...app.context, ...createLoanChangeContext(app.context), operator, databaseUrl: '', ownerUrl: '' }) as Parameters<typeof waive>[0]
const paiseOf = (rupees: number | undefined): bigint => BigInt(Math.round((rupees ?? 0) * 100))

/**
 * Quotes, adds a charge of the lender, then pays: the payment is short by the charge. Returns when
 * it is under review: a test that moves the clock by days would find that it is not.
 */
async function foreclosedShort(borrower: Borrower, rupees = 590): Promise<string> {
  const { foreclosure_payment: payoff } = await borrower.offer()
  const id = await borrower.link('FORECLOSURE', payoff?.amount ?? 0)
  const charge = {
    chargeId: 'charge:late-news',
    date: dayInIndia(app.clock.now()),
    chargeType: 'BOUNCE_CHARGE',
    amountPaise: rupeesToPaise(rupees),
    penal: false,
  }
  await borrower.write((loan) => addCharges(loan, [charge]))
  await borrower.pay(id)
  await until(async () => (await borrower.reviews()).length > 0)
  return id
}

describe('a short foreclosure', () => {
  it('leaves no credit: it settles the dues and repays principal', async () => {
    const borrower = await newBorrower()
    await foreclosedShort(borrower)
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', creditPaise: 0n, principalOutstandingPaise: 0n })
    expect(paiseOf((await borrower.offer())['next_emi_payment']?.amount)).toBe(59_000n)
  })

  it('adds a review and notifies the borrower of the remaining amount', async () => {
    const borrower = await newBorrower()
    const id = await foreclosedShort(borrower)
    expect(await borrower.reviews()).toMatchObject([
      { kind: 'foreclosure_short', detail: { short_paise: '59000', still_to_pay_paise: '59000' }, resolved_at: null },
    ])
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'foreclosure_short', amount: 590 }))
    expect(await borrower.trail(id)).toContainEqual(expect.objectContaining({ step: 'foreclosure_short', amount: 590 }))
  })

  it('is closed by a waiver within the product’s limit, posted as a waiver', async () => {
    const borrower = await newBorrower()
    await foreclosedShort(borrower)
    expect(await waive(operatorContext(), { lan: borrower.lan })).toContain('would write off ₹590')
    expect((await borrower.state()).status).toBe('ACTIVE')
    expect(await waive(operatorContext(), { lan: borrower.lan, yes: true })).toContain('written off: ₹590')
    expect(await borrower.state()).toMatchObject({ status: 'CLOSED', creditPaise: 0n, duesPaise: 0n })
    const notices = await borrower.notices()
    expect(notices).toContainEqual(expect.objectContaining({ kind: 'foreclosure_waived', amount: 590 }))
    expect(notices.filter(({ kind }) => kind === 'loan_closed')).toHaveLength(1)
    const waived = (await borrower.ledger()).filter(({ source_id }) => source_id.includes(':foreclosure_waive:'))
    expect(waived).toMatchObject([{ kind: 'adjustment', amount_paise: 59_000n }])
    await expect(waive(operatorContext(), { lan: borrower.lan, yes: true })).rejects.toThrow('Nothing is left to pay')
  })

  it('closes the loan when the charge, raised in error, is taken back', async () => {
    const borrower = await newBorrower()
    await foreclosedShort(borrower)
    await borrower.write((loan) => takeBackCharge(loan, 'charge:late-news'))
    expect(await borrower.state()).toMatchObject({ status: 'CLOSED', creditPaise: 0n, duesPaise: 0n })
  })

  it('cannot be waived beyond the limit or without a short foreclosure', async () => {
    const beyond = await newBorrower()
    await foreclosedShort(beyond, 1_000.01)
    await expect(waive(operatorContext(), { lan: beyond.lan, yes: true })).rejects.toThrow('its product allows ₹1000')
    const active = await newBorrower()
    await expect(waive(operatorContext(), { lan: active.lan, yes: true })).rejects.toThrow('No foreclosure of loan')
  })
})

describe('a link made at 23:40 (decision 55)', () => {
  it('for the overdue amount contains no late charge of the next day; paid before midnight, none arises', async () => {
    await at('2026-11-25T06:30:00Z')
    const borrower = await newBorrower({ dueDaysAgo: 3, isLate: true })
    await lateEvening()
    await borrower.signInAgain()
    const { amount } = (await borrower.offer())['overdue_payment'] ?? { amount: 0 }
    const overdue = (await borrower.state()).duesPaise
    expect(paiseOf(amount)).toBe(overdue)
    await borrower.pay(await borrower.link('OVERDUE', amount))
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, creditPaise: 0n })
  })

  it('paid after midnight, it settles the overdue amount, and the late charge is waived', async () => {
    await at('2026-11-27T06:30:00Z')
    const borrower = await newBorrower({ dueDaysAgo: 3, isLate: true })
    await lateEvening()
    await borrower.signInAgain()
    const { amount } = (await borrower.offer())['overdue_payment'] ?? { amount: 0 }
    const id = await borrower.link('OVERDUE', amount)
    await app.clock.advance(30 * 60_000)
    await borrower.signInAgain()
    expect((await borrower.state()).duesPaise).toBe(paiseOf(amount) + 50_000n)
    await borrower.pay(id)
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, creditPaise: 0n })
    const waived = (await borrower.ledger()).filter(({ source_id }) => source_id.includes(':late_charge_within_quote:'))
    expect(waived).toMatchObject([{ kind: 'adjustment', amount_paise: 50_000n }])
    expect(await borrower.trail(id)).toContainEqual(expect.objectContaining({ step: 'late_charge_waived', amount: 500 }))
  })

  it('paid after midnight, a foreclosure closes the loan in spite of a late charge', async () => {
    await at('2026-11-29T06:30:00Z')
    const borrower = await newBorrower({ dueDaysAgo: 3, isLate: true })
    await lateEvening()
    await borrower.signInAgain()
    const id = await borrower.link('FORECLOSURE', (await borrower.offer())['foreclosure_payment']?.amount ?? 0)
    await app.clock.advance(30 * 60_000)
    await borrower.signInAgain()
    await borrower.pay(id)
    expect(await borrower.state()).toMatchObject({ status: 'CLOSED', creditPaise: 0n })
  })

  it('that evening’s payoff letter, paid by bank transfer on the next day, closes the loan in spite of a late charge, and no charge of that day is added', async () => {
    await at('2026-11-30T06:30:00Z')
    const borrower = await newBorrower({ dueDaysAgo: 3, isLate: true })
    await lateEvening()
    await borrower.signInAgain()
    const inLetter = paiseOf((await borrower.offer())['foreclosure_payment']?.amount)
    await app.clock.advance(12 * 3_600_000)
    expect((await borrower.state()).allowed.foreclosure?.amountPaise).toBe(inLetter + 50_000n)
    const date = dayInIndia(app.clock.now())
    const payment = { mode: 'neft', reference: 'UTR-LETTER', amountPaise: paise(inLetter), date, purpose: 'FORECLOSURE' } as const
    await borrower.write((loan) => recordPayment(loan, payment))
    expect(await borrower.state()).toMatchObject({ status: 'CLOSED', creditPaise: 0n })
    const charge = { chargeId: 'charge:after', date, chargeType: 'VISIT_CHARGE', amountPaise: rupeesToPaise(590), penal: false }
    await expect(borrower.write((loan) => addCharges(loan, [charge]))).rejects.toThrow(
      `was closed on ${date}: a charge must be of a later day`,
    )
    expect((await borrower.state()).status).toBe('CLOSED')
  })

  it('that evening’s payoff letter before a due date, paid by bank transfer before midnight, closes the loan: the row of the due date bears no prepayment charge', async () => {
    await at('2026-12-04T06:30:00Z')
    const borrower = await newBorrower({ dueDaysAgo: 29, product: 'prepayment' })
    const offered = async () => paise(paiseOf((await borrower.offer())['foreclosure_payment']?.amount))
    const atNoon = await offered()
    await lateEvening()
    await borrower.signInAgain()
    const inLetter = await offered()
    expect(atNoon - inLetter).toBeGreaterThan(10_000n)
    const pay = async (own: Borrower, instant: Date) => {
      const date = dayInIndia(app.clock.now())
      const payment = { mode: 'neft', reference: `UTR-${own.lan}`, amountPaise: inLetter, date, purpose: 'FORECLOSURE' } as const
      await own.write((loan) => recordPayment({ ...loan, now: instant }, payment))
      return own.state()
    }
    expect(await pay(borrower, app.clock.now())).toMatchObject({ status: 'CLOSED', shortForeclosures: [] })
    // Recorded before 23:30: no letter for the next day existed.
    const early = await newBorrower({ dueDaysAgo: 29, product: 'prepayment' })
    const hourBefore = new Date(app.clock.now().getTime() - 3_600_000)
    expect(await pay(early, hourBefore)).toMatchObject({ status: 'ACTIVE', shortForeclosures: [{}] })
  })

  it('paid before midnight, a foreclosure closes the loan and the day’s interest is refunded', async () => {
    await at('2026-12-01T06:30:00Z')
    const borrower = await newBorrower()
    await lateEvening()
    await borrower.signInAgain()
    const { amount } = (await borrower.offer())['foreclosure_payment'] ?? { amount: 0 }
    await borrower.pay(await borrower.link('FORECLOSURE', amount))
    await until(async () => (await borrower.refunds()).length > 0)
    const refunds = await borrower.refunds()
    expect(refunds).toMatchObject([{ reason: 'excess', asked_by: 'system' }])
    expect(refunds[0]?.amount_paise).toBeGreaterThan(0n)
    expect(await borrower.state()).toMatchObject({ status: 'CLOSED', creditPaise: 0n })
    expect(await borrower.reviews()).toEqual([])
  })
})

describe('credit on a closed loan', () => {
  it.each([
    [5_000, 'not_returnable_by_provider'],
    [0.5, 'below_one_rupee'],
  ])('that no provider returns (₹%s) is on the review list, with the day by which it is settled', async (over, why) => {
    const borrower = await newBorrower()
    // The earlier payments through the provider are too old for a refund.
    await app.clock.advance(200 * 86_400_000)
    const payoffPaise = (await borrower.state()).allowed.foreclosure?.amountPaise ?? 0n
    const payment = {
      mode: 'neft',
      reference: `UTR-OVER-${over}`,
      amountPaise: paise(payoffPaise + rupeesToPaise(over)),
      date: dayInIndia(app.clock.now()),
      purpose: 'FORECLOSURE',
    } as const
    await borrower.write((loan) => recordPayment(loan, payment))
    await until(async () => (await borrower.reviews()).length > 0)
    const credit = (await borrower.state()).creditPaise
    expect(await borrower.reviews()).toMatchObject([
      {
        kind: 'credit_on_closed_loan',
        detail: { credit_paise: String(credit), why },
        due_on: addDays(dayInIndia(app.clock.now()), 7),
      },
    ])
    expect(credit).toBe(rupeesToPaise(over))
  })
})
