import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Day } from './calendar.ts'
import { addDays, dayNumber } from './calendar.ts'
import { chargeOf, factsOf } from './facts.testing.ts'
import { loanStateAtEndOf, loanStateDuring } from './loan-state.ts'
import type { AllocationLine, LoanFacts, LoanState } from './loans.ts'
import { isWaiver } from './loans.ts'
import { paise, zeroPaise } from './money.ts'
import { partPaymentPreview } from './part-payment-preview.ts'
import type { PaymentPurpose } from './payments.ts'
import { refusePayment } from './payments.ts'
import type { RandomLoan } from './random-loan.testing.ts'
import { randomLoan } from './random-loan.testing.ts'

const seed = 20_261_120
const numRuns = 80

const anyLoan: fc.Arbitrary<RandomLoan> = fc
  .record({ loanSeed: fc.nat(), events: fc.nat(20) })
  .map(({ loanSeed, events }) => randomLoan(loanSeed, events))

/**
 * Asserts a property of many loans, each at the end of its last day. fast-check prints the seed of
 * a failure.
 */
const everyLoan = (holds: (loan: RandomLoan, state: LoanState) => void): void => {
  fc.assert(
    fc.property(anyLoan, (loan) => holds(loan, loanStateAtEndOf(loan.facts, loan.last))),
    { seed, numRuns },
  )
}

const total = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)
const paymentLines = (state: LoanState): AllocationLine[] => state.allocations.flatMap(({ lines }) => lines)
const movedLines = (state: LoanState): AllocationLine[] =>
  state.adjustments.filter(({ reason }) => reason !== 'interest_waived').flatMap(({ lines }) => lines)
const allLines = (state: LoanState): AllocationLine[] => [...paymentLines(state), ...movedLines(state)]
const ofComponent = (lines: readonly AllocationLine[], component: AllocationLine['component']): bigint =>
  total(lines.filter((line) => line.component === component).map(({ amountPaise }) => amountPaise))
const prepaid = (state: LoanState): bigint =>
  total(
    allLines(state)
      .filter(({ component, instalmentNumber }) => component === 'principal' && instalmentNumber === null)
      .map(({ amountPaise }) => amountPaise),
  )
const withPayment = (facts: LoanFacts, date: Day, amount: bigint, purpose: PaymentPurpose | null): LoanFacts => ({
  ...facts,
  payments: [...facts.payments, { paymentId: 'new', date, amountPaise: paise(amount), purpose }],
})
const lent = (state: LoanState): bigint => state.disbursedPaise + (state.capitalised?.amountPaise ?? 0n)
const withoutMoney = ({ facts }: RandomLoan): LoanFacts => ({
  ...facts,
  payments: [],
  rateChanges: [],
  charges: [],
  refunds: [],
  foreclosureWaivers: [],
  disbursals: facts.disbursals.slice(0, 1),
})

describe(`the schedule (seed ${seed})`, () => {
  it('a row’s interest and principal are its amount', () => {
    everyLoan((_loan, state) => {
      for (const row of state.rows) expect(row.interestPaise + row.principalPaise).toBe(row.repaymentAmountPaise)
    })
  })

  it('rows bill what was lent, no more and no less, but for what was prepaid', () => {
    everyLoan((_loan, state) => {
      expect(total(state.rows.map(({ principalPaise }) => principalPaise)) + prepaid(state)).toBe(lent(state))
    })
  })

  it('the last balance is what was prepaid after it, and none is negative', () => {
    everyLoan(({ facts }, state) => {
      const last = state.rows.at(-1)
      const later = new Set(facts.payments.filter(({ date }) => date > (last?.dueDate ?? date)).map(({ paymentId }) => paymentId))
      const prepaidLater = state.allocations
        .filter(({ paymentId }) => later.has(paymentId))
        .flatMap(({ lines }) => lines.filter(({ component, instalmentNumber }) => component === 'principal' && instalmentNumber === null))
      expect(last?.closingBalancePaise ?? 0n).toBe(total(prepaidLater.map(({ amountPaise }) => amountPaise)))
      for (const row of state.rows) expect(row.closingBalancePaise >= 0n && row.principalPaise >= 0n && row.interestPaise >= 0n).toBe(true)
    })
  })

  it('rows are numbered from 1, each due after the one before', () => {
    everyLoan((_loan, state) => {
      expect(state.rows.map(({ number }) => number)).toEqual(state.rows.map((_row, index) => index + 1))
      for (const [index, row] of state.rows.entries())
        expect(index === 0 || row.dueDate > (state.rows[index - 1]?.dueDate ?? row.dueDate)).toBe(true)
    })
  })

  it('deferred interest is what would have been billed if it had been paid monthly', () => {
    everyLoan((loan) => {
      const plain = withoutMoney(loan)
      const first = plain.disbursals[0]?.date ?? loan.last
      const until = plain.terms.firstDueDate
      const terms = { ...plain.terms, principalGraceInstalments: 0 }
      const deferred = loanStateAtEndOf({ ...plain, terms: { ...terms, moratorium: { until, interest: 'deferred' } } }, first)
      const paid = loanStateAtEndOf({ ...plain, terms: { ...terms, moratorium: { until, interest: 'paid' } } }, first)
      const waiting = paid.rows.filter(({ dueDate }) => dueDate <= until)
      const capitalised = loanStateAtEndOf(
        { ...plain, terms: { ...terms, moratorium: { until, interest: 'deferred' } } },
        until,
      ).capitalised
      expect(capitalised?.amountPaise ?? 0n).toBe(total(waiting.map(({ interestPaise }) => interestPaise)))
      expect(deferred.rows[0]?.dueDate ?? until).toBe(paid.rows[waiting.length]?.dueDate ?? until)
    })
  })
})

describe(`where money went (seed ${seed})`, () => {
  it('the lines of a payment add up to it, and none is negative', () => {
    everyLoan(({ facts }, state) => {
      for (const { paymentId, lines } of state.allocations) {
        expect(total(lines.map(({ amountPaise }) => amountPaise))).toBe(
          facts.payments.find((payment) => payment.paymentId === paymentId)?.amountPaise,
        )
        for (const { amountPaise } of lines) expect(amountPaise > 0n).toBe(true)
      }
    })
  })

  it('what is moved inside the loan adds up to nothing', () => {
    everyLoan((_loan, state) => {
      const moved = state.adjustments.filter(({ reason }) => !isWaiver(reason))
      expect(moved.map(({ lines }) => total(lines.map(({ amountPaise }) => amountPaise)))).toEqual(moved.map(() => 0n))
    })
  })

  it('credit is the excess that was neither used nor sent back', () => {
    everyLoan((_loan, state) => {
      const received = paise(ofComponent(allLines(state), 'excess') + ofComponent(allLines(state), 'held'))
      expect(received).toBe(state.creditPaise + state.heldPaise)
      expect(state.creditPaise >= 0n).toBe(true)
    })
  })

  it('a row is never paid beyond what it billed', () => {
    everyLoan((_loan, state) => {
      for (const row of state.rows) {
        expect(row.paidInterestPaise >= 0n && row.paidInterestPaise <= row.interestPaise).toBe(true)
        expect(row.paidPrincipalPaise >= 0n && row.paidPrincipalPaise <= row.principalPaise).toBe(true)
      }
    })
  })

  it('what the rows show as paid is what the lines paid', () => {
    everyLoan((_loan, state) => {
      const interest = allLines(state).filter(({ component, amountPaise }) => component === 'interest' && amountPaise > 0n)
      expect(total(state.rows.map(({ paidInterestPaise }) => paidInterestPaise))).toBe(
        total(interest.map(({ amountPaise }) => amountPaise)),
      )
      expect(total(state.rows.map(({ paidPrincipalPaise }) => paidPrincipalPaise)) + prepaid(state)).toBe(
        ofComponent(allLines(state), 'principal'),
      )
    })
  })

  it('outstanding is what was lent less the principal paid', () => {
    everyLoan(({ last }, state) => {
      const notYetLent = state.capitalised !== null && state.capitalised.date > last ? state.capitalised.amountPaise : 0n
      expect(state.principalOutstandingPaise).toBe(lent(state) - ofComponent(allLines(state), 'principal') - notYetLent)
    })
  })

  it('payments without a purpose on one day may come in any order', () => {
    everyLoan(({ facts, last }) => {
      const amounts = [70_000n, 1n, 345_678n].map((amount, index) => ({
        paymentId: `same${index}`,
        date: last,
        amountPaise: paise(amount),
        purpose: null,
      }))
      const forwards = loanStateAtEndOf({ ...facts, payments: [...facts.payments, ...amounts] }, last)
      const backwards = loanStateAtEndOf({ ...facts, payments: [...facts.payments, ...amounts.toReversed()] }, last)
      expect({ rows: backwards.rows, credit: backwards.creditPaise, dues: backwards.duesPaise }).toEqual({
        rows: forwards.rows,
        credit: forwards.creditPaise,
        dues: forwards.duesPaise,
      })
    })
  })

  it('a back-dated fact takes its place in time, wherever it is in the list', () => {
    everyLoan(({ facts, last }, state) => {
      const byDay = new Map<Day, LoanFacts['payments'][number][]>()
      for (const payment of facts.payments) byDay.set(payment.date, [...(byDay.get(payment.date) ?? []), payment])
      const shuffled = Array.from(byDay.values()).toReversed().flat()
      const replayed = loanStateAtEndOf({ ...facts, payments: shuffled, charges: facts.charges.toReversed() }, last)
      expect(replayed.rows).toEqual(state.rows)
      expect(replayed.allocations.map(({ paymentId }) => paymentId)).toEqual(
        shuffled.filter(({ date }) => date <= last).map(({ paymentId }) => paymentId),
      )
    })
  })
})

describe(`the state on a day (seed ${seed})`, () => {
  it('knows nothing of later facts', () => {
    everyLoan(({ facts, last }) => {
      const day = addDays(last, -45)
      const known: LoanFacts = {
        ...facts,
        disbursals: facts.disbursals.filter(({ date }) => date <= day),
        payments: facts.payments.filter(({ date }) => date <= day),
        charges: facts.charges
          .filter(({ date }) => date <= day)
          .map((charge) => (charge.waivedOn !== null && charge.waivedOn > day ? { ...charge, waivedOn: null } : charge)),
        rateChanges: facts.rateChanges.filter(({ date }) => date <= day),
      }
      expect(loanStateAtEndOf(facts, day)).toEqual(loanStateAtEndOf(known, day))
    })
  })

  it('during a day shows the last finished day end', () => {
    everyLoan(({ facts, last }, state) => {
      const next = loanStateDuring(facts, addDays(last, 1))
      expect(next.dpd).toBe(state.dpd)
      expect(next.status === 'OVERDUE').toBe(state.status === 'OVERDUE')
    })
  })

  it('days past due grow by one each day that nothing is paid', () => {
    everyLoan(({ facts, last }, state) => {
      if (state.dpd === 0) return
      expect(loanStateAtEndOf(facts, addDays(last, 1)).dpd).toBe(state.dpd + 1)
    })
  })

  it('OVERDUE, days past due and an unpaid row in the past are one thing', () => {
    everyLoan((_loan, state) => {
      const late = state.rows.filter(({ status }) => status === 'Late')
      expect(state.status === 'OVERDUE').toBe(late.length > 0)
      expect(state.dpd > 0).toBe(late.length > 0)
      expect(state.allowed.overdue.dpd).toBe(state.dpd)
    })
  })

  it('dues are what is pending of the rows due and of the charges', () => {
    everyLoan(({ last }, state) => {
      const rows = state.rows
        .filter(({ dueDate }) => dueDate <= last)
        .map((row) => row.repaymentAmountPaise - row.paidInterestPaise - row.paidPrincipalPaise)
      const charges = state.rows.flatMap((row) => row.charges.map(({ pendingPaise }) => pendingPaise))
      expect(state.duesPaise).toBe(total(rows) + total(charges))
    })
  })

  it('every row is paid or due, and the oldest unpaid one gives the due date', () => {
    everyLoan((_loan, state) => {
      expect(state.instalmentsPaid + state.instalmentsDue).toBe(state.rows.length)
      expect(state.dueDate).toBe(state.rows.find(({ status }) => status !== 'Paid')?.dueDate ?? null)
    })
  })

  it('CLOSED means that nothing is owed, and nothing may be paid', () => {
    everyLoan((_loan, state) => {
      if (state.status !== 'CLOSED') return
      expect({ outstanding: state.principalOutstandingPaise, dues: state.duesPaise, left: state.instalmentsDue }).toEqual({
        outstanding: 0n,
        dues: 0n,
        left: 0,
      })
      expect([
        state.allowed.nextEmi,
        state.allowed.foreclosure,
        state.allowed.overdue.amountPaise,
        state.allowed.partPayment.maxPaise,
      ]).toEqual([null, null, 0n, 0n])
    })
  })

  it('the parts of an offer add up to it', () => {
    everyLoan((_loan, { allowed }) => {
      for (const option of [allowed.overdue, allowed.nextEmi, allowed.foreclosure]) {
        if (option === null) continue
        const { principalPaise, interestPaise, chargesPaise, taxPaise } = option.parts
        expect(principalPaise + interestPaise + chargesPaise + taxPaise).toBe(option.amountPaise)
      }
    })
  })

  it('a charge moves no interest and no principal', () => {
    everyLoan(({ facts, last }) => {
      const day = addDays(last, 1)
      const state = loanStateAtEndOf(facts, day)
      const charged = loanStateAtEndOf({ ...facts, charges: [...facts.charges, chargeOf('extra', day, 999, { penal: true })] }, day)
      const billed = ({ rows }: LoanState): unknown[] => rows.map(({ interestPaise, principalPaise }) => [interestPaise, principalPaise])
      expect(billed(charged)).toEqual(billed(state))
    })
  })

  it('a charge that is waived before anything is paid for it might never have been', () => {
    everyLoan(({ facts, last }, state) => {
      if (state.creditPaise > 0n) return
      const waived = loanStateAtEndOf({ ...facts, charges: [...facts.charges, chargeOf('extra', last, 999, { waivedOn: last })] }, last)
      expect({ dues: waived.duesPaise, rows: waived.rows, status: waived.status }).toEqual({
        dues: state.duesPaise,
        rows: state.rows,
        status: state.status,
      })
    })
  })

  it('storing the charges that the facts make changes nothing', () => {
    everyLoan(({ facts, last }, state) => {
      const stored = loanStateAtEndOf({ ...facts, charges: [...facts.charges, ...state.derivedCharges] }, last)
      expect({ ...stored, derivedCharges: [] }).toEqual({ ...state, derivedCharges: [] })
      expect(stored.derivedCharges).toEqual([])
    })
  })

  it('time alone rewrites nothing of what has been settled', () => {
    everyLoan(({ facts, last }, state) => {
      const later = loanStateAtEndOf({ ...facts, charges: facts.charges.filter(({ date }) => date <= last) }, addDays(last, 75))
      expect(later.allocations).toEqual(state.allocations)
      expect(later.adjustments.slice(0, state.adjustments.length)).toEqual(state.adjustments)
      const settled = state.rows
        .filter(({ status }) => status === 'Paid')
        .map(({ number, interestPaise, principalPaise }) => [number, interestPaise, principalPaise])
      const then = later.rows
        .slice(0, settled.length)
        .map(({ number, interestPaise, principalPaise }) => [number, interestPaise, principalPaise])
      expect(then).toEqual(settled)
    })
  })

  it('no day makes it fail', () => {
    everyLoan(({ facts, last }) => {
      const first = facts.disbursals[0]?.date ?? last
      for (let day = addDays(first, -40); day <= addDays(last, 400); day = addDays(day, 37)) {
        expect(['ACTIVE', 'OVERDUE', 'CLOSED', 'UNKNOWN']).toContain(loanStateDuring(facts, day).status)
        expect(loanStateAtEndOf(facts, day).dpd).toBeGreaterThanOrEqual(0)
      }
    })
  })

  it('money from before the loan makes it UNKNOWN', () => {
    everyLoan(({ facts, last }) => {
      const first = facts.disbursals[0]?.date ?? last
      const state = loanStateAtEndOf(withPayment(facts, addDays(first, -1), 100n, null), last)
      expect(state.status).toBe('UNKNOWN')
      expect(state.rows.every(({ status }) => status === 'Unknown')).toBe(true)
      expect(refusePayment(state.allowed, 'FORECLOSURE', paise(1n))).toBe('not_offered')
    })
  })
})

describe(`paying what is offered (seed ${seed})`, () => {
  it('the overdue amount clears everything overdue', () => {
    everyLoan(({ facts, last }) => {
      const { overdue } = loanStateDuring(facts, last).allowed
      if (overdue.amountPaise === 0n) return
      const after = loanStateDuring(withPayment(facts, last, overdue.amountPaise, 'OVERDUE'), last)
      expect({ dpd: after.dpd, overdue: after.allowed.overdue.amountPaise, isOverdue: after.status === 'OVERDUE' }).toEqual({
        dpd: 0,
        overdue: 0n,
        isOverdue: false,
      })
    })
  })

  it('the next instalment pays exactly its row', () => {
    everyLoan(({ facts, last }) => {
      const before = loanStateDuring(facts, last)
      const offer = before.allowed.nextEmi
      if (offer === null) return
      const after = loanStateDuring(withPayment(facts, last, offer.amountPaise, 'PAY_EMI'), last)
      const row = after.rows.find(({ dueDate }) => dueDate === offer.dueDate)
      expect(row?.status).toBe('Paid')
      // The last row paid early under actual_365 gives back the interest of days that never run.
      if (after.instalmentsDue > 0) expect(after.creditPaise).toBe(before.creditPaise)
      expect(after.rows.slice(0, row?.number).map(({ repaymentAmountPaise }) => repaymentAmountPaise)).toEqual(
        before.rows.slice(0, row?.number).map(({ repaymentAmountPaise }) => repaymentAmountPaise),
      )
      expect(after.principalOutstandingPaise).toBe(before.principalOutstandingPaise - offer.parts.principalPaise)
    })
  })

  it('the payoff closes the loan and leaves nothing over', () => {
    everyLoan(({ facts, last }) => {
      const offer = loanStateDuring(facts, last).allowed.foreclosure
      if (offer === null) return
      const after = loanStateDuring(withPayment(facts, last, offer.amountPaise, 'FORECLOSURE'), last)
      expect({ status: after.status, credit: after.creditPaise, dues: after.duesPaise }).toEqual({ status: 'CLOSED', credit: 0n, dues: 0n })
      expect(after.rows.every(({ status }) => status === 'Paid')).toBe(true)
      expect(loanStateAtEndOf(withPayment(facts, last, offer.amountPaise, 'FORECLOSURE'), addDays(last, 400)).status).toBe('CLOSED')
    })
  })

  it('a payoff short by a day’s interest still closes; short by more it does not', () => {
    everyLoan(({ facts, last }) => {
      const today = loanStateDuring(facts, last).allowed.foreclosure
      const noCharge = facts.terms.prepaymentCharge === null
      if (today === null || !noCharge || today.parts.interestPaise === 0n) return
      const far = withPayment(facts, last, today.amountPaise / 2n, 'FORECLOSURE')
      expect(loanStateDuring(far, last).status).not.toBe('CLOSED')
    })
  })

  it('a part payment yields exactly what was shown, both ways', () => {
    everyLoan(({ facts, last }) => {
      const before = loanStateDuring(facts, last)
      const { minPaise, maxPaise } = before.allowed.partPayment
      if (maxPaise === 0n) return
      for (const amount of [minPaise, maxPaise, paise((minPaise + maxPaise) / 2n)]) {
        const preview = partPaymentPreview(facts, last, last, amount)
        const emi = loanStateDuring(withPayment(facts, last, amount, 'PART_PAYMENT__REDUCE_EMI'), last)
        const tenor = loanStateDuring(withPayment(facts, last, amount, 'PART_PAYMENT__REDUCE_TENOR'), last)
        expect([emi.nextInstalmentPaise, emi.rows.at(-1)?.dueDate]).toEqual([
          preview.reduceEmi.instalmentPaise,
          preview.reduceEmi.lastDueDate,
        ])
        expect([tenor.nextInstalmentPaise, tenor.rows.at(-1)?.dueDate]).toEqual([
          preview.reduceTenor.instalmentPaise,
          preview.reduceTenor.lastDueDate,
        ])
        expect(tenor.creditPaise - before.creditPaise <= zeroPaise).toBe(true)
      }
    })
  })

  it('a part payment within the limits leaves a loan to repay', () => {
    everyLoan(({ facts, last }) => {
      const { minPaise, maxPaise } = loanStateDuring(facts, last).allowed.partPayment
      if (maxPaise === 0n) return
      const after = loanStateDuring(withPayment(facts, last, maxPaise, 'PART_PAYMENT__REDUCE_TENOR'), last)
      expect(minPaise <= maxPaise && after.instalmentsDue >= 1 && after.principalOutstandingPaise > 0n).toBe(true)
    })
  })

  it('reducing the tenor saves at least the interest that reducing the instalment saves', () => {
    everyLoan(({ facts, last }) => {
      const { minPaise, maxPaise } = loanStateDuring(facts, last).allowed.partPayment
      const { fixedInstalmentPaise, moratorium, principalGraceInstalments } = facts.terms
      if (maxPaise === 0n || moratorium !== null || principalGraceInstalments > 0) return
      const preview = partPaymentPreview(facts, last, last, paise((minPaise + maxPaise) / 2n))
      // A fixed instalment can leave a rest to the last row, which a new tenor spreads.
      if (fixedInstalmentPaise === null)
        expect(preview.reduceTenor.interestSavedPaise >= preview.reduceEmi.interestSavedPaise - 200n).toBe(true)
      expect(preview.reduceEmi.totalInterestPaise <= preview.unchanged.totalInterestPaise + 200n).toBe(true)
      expect((preview.reduceEmi.lastDueDate ?? '') <= (preview.unchanged.lastDueDate ?? '')).toBe(true)
    })
  })

  it('only what is offered is accepted', () => {
    everyLoan(({ facts, last }) => {
      const { allowed } = loanStateDuring(facts, last)
      const unlimited = { ...allowed, linkMaximumPaise: paise(10n ** 15n) }
      const next = allowed.nextEmi?.amountPaise
      const answers = next === undefined ? [] : [next, next + 1n].map((amount) => refusePayment(unlimited, 'PAY_EMI', paise(amount)))
      expect(answers).toEqual(next === undefined ? [] : [null, 'wrong_amount'])
      const { minPaise, maxPaise } = allowed.partPayment
      const amounts = maxPaise === 0n ? [] : [minPaise - 1n, minPaise, maxPaise, maxPaise + 1n]
      expect(amounts.map((amount) => refusePayment(unlimited, 'PART_PAYMENT__REDUCE_EMI', paise(amount)))).toEqual(
        maxPaise === 0n ? [] : ['below_minimum', null, null, 'above_maximum'],
      )
    })
  })

  it('a payoff beyond what one link may carry is refused as a link', () => {
    everyLoan(({ facts, last }) => {
      const { allowed } = loanStateDuring(facts, last)
      const payoff = allowed.foreclosure
      if (payoff === null) return
      expect(refusePayment(allowed, 'FORECLOSURE', payoff.amountPaise)).toBe(payoff.isLimited ? 'above_link_limit' : null)
    })
  })

  it('a loan paid to the day under actual_365 bears the agreed interest', () => {
    fc.assert(
      fc.property(anyLoan, (loan) => {
        const plain = { ...withoutMoney(loan), terms: { ...loan.facts.terms, moratorium: null, interest: 'actual_365' as const } }
        const first = plain.disbursals[0]?.date ?? loan.last
        const agreed = loanStateAtEndOf(plain, first)
        const payments = agreed.rows
          .map((row) => ({
            paymentId: `row${row.number}`,
            date: row.dueDate,
            amountPaise: row.repaymentAmountPaise,
            purpose: 'PAY_EMI' as const,
          }))
          .filter(({ amountPaise }) => amountPaise > 0n)
        const paid = loanStateAtEndOf({ ...plain, payments }, agreed.rows.at(-1)?.dueDate ?? first)
        expect(paid.rows.map(({ interestPaise }) => interestPaise)).toEqual(agreed.rows.map(({ interestPaise }) => interestPaise))
        expect(paid.status).toBe('CLOSED')
      }),
      { seed, numRuns },
    )
  })

  it('dates are compared as days, not as numbers that overflow', () => {
    expect(dayNumber(factsOf({ ...randomLoan(1).facts.terms }, [['2199-12-31', 1]]).disbursals[0]?.date ?? ('1970-01-01' as Day))).toBe(
      84_005,
    )
  })
})
