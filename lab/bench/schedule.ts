import { addMonths, toDay } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanFacts, LoanTerms, ReceivedPayment } from '#domain/loans.ts'
import { paise, rupeesToPaise, zeroPaise } from '#domain/money.ts'
import { planAgreedSchedule } from '#domain/replay.ts'
import LoanSchedule from 'loan-schedule.js'
import { perSecond, ratio, rounded, type Benchmark } from './measure.ts'

const rows = 120
const disbursedOn = toDay('2020-04-05')
const principalPaise = rupeesToPaise(1_200_000)
const terms: LoanTerms = {
  annualRatePpb: 112_500_000,
  instalments: rows,
  firstDueDate: toDay('2020-05-05'),
  dueDay: 5,
  interest: 'monthly',
  instalmentRounding: 'rupee_up',
  principalGraceInstalments: 0,
  fixedInstalmentPaise: null,
  moratorium: null,
  allocation: 'instalments_first',
  lateCharge: null,
  prepaymentCharge: null,
  partPaymentMinimumPaise: null,
  linkMaximumPaise: rupeesToPaise(500_000),
  foreclosureWaiveMaximumPaise: zeroPaise,
}
const disbursals = [{ date: disbursedOn, amountPaise: principalPaise }]
const facts: LoanFacts = {
  sanctionedPaise: principalPaise,
  terms,
  disbursals,
  rateChanges: [],
  charges: [],
  payments: [],
  refunds: [],
  foreclosureWaivers: [],
}
const { instalmentPaise } = loanStateDuring(facts, disbursedOn)

/** The floor: the same loop in floats. */
function rowsInFloats(
  principal: number,
  monthlyRate: number,
  instalment: number,
): { interest: number; principal: number; balance: number }[] {
  const made = []
  let balance = principal
  for (let left = rows; left > 0 && balance > 0; left--) {
    const interest = Math.round(balance * monthlyRate)
    const part = left === 1 ? balance : Math.min(balance, instalment - interest)
    balance -= part
    made.push({ interest, principal: part, balance })
  }
  return made
}

/**
 * Due days, instalment, interest, principal and balance of 120 rows by the engine, in whole paise.
 */
export const scheduleBenchmark: Benchmark = {
  name: 'schedule',
  run: ({ quick }) => {
    const [ours = 0, floor = 0] = perSecond(
      [
        () => void planAgreedSchedule(terms, disbursals),
        () => void rowsInFloats(Number(principalPaise), 0.1125 / 12, Number(instalmentPaise)),
      ],
      { rounds: 5, roundMs: quick ? 400 : 2_000 },
    )
    return `schedule: ratio ${ratio(ours, floor)} (ours ${rounded(ours * rows)} rows/s, floor ${rounded(floor * rows)} rows/s)`
  },
}

/**
 * The state of the loan on the day of its disbursal: dates as text, amounts as money, allowed
 * payments.
 */
export const wholeScheduleBenchmark: Benchmark = {
  name: 'schedule-whole',
  run: ({ quick }) => {
    const [ours = 0] = perSecond([() => void loanStateDuring(facts, disbursedOn)], { rounds: 5, roundMs: quick ? 400 : 2_000 })
    return `schedule-whole: ${rounded(ours)}/s`
  },
}

/** A loan of 120 rows with 60 payments: schedule, allocation, days past due, what may be paid. */
export const loanStateBenchmark: Benchmark = {
  name: 'loan-state',
  run: ({ quick }) => {
    const payments = Array.from({ length: 60 }, (_, index): ReceivedPayment => ({
      paymentId: `payment-${index}`,
      date: addMonths(terms.firstDueDate, index),
      amountPaise: instalmentPaise,
      purpose: 'PAY_EMI',
    }))
    const paid = { ...facts, payments }
    const today = toDay('2025-04-20')
    const state = loanStateDuring(paid, today)
    if (state.instalmentsPaid !== 60 || state.duesPaise !== zeroPaise || state.principalOutstandingPaise <= paise(0n))
      throw new Error('The measured loan is not what it should be')
    const [ours = 0] = perSecond([() => void loanStateDuring(paid, today)], { rounds: 5, roundMs: quick ? 600 : 2_000 })
    return `loan-state: ${rounded(ours)}/s`
  },
}

/** The same loan by the npm package loan-schedule.js, with its dates. */
export const peerScheduleBenchmark: Benchmark = {
  name: 'schedule-peer',
  run: ({ quick }) => {
    const peer = new LoanSchedule({})
    const order = {
      amount: 1_200_000,
      rate: 11.25,
      term: rows,
      issueDate: '05.04.2020',
      paymentOnDay: 5,
      scheduleType: LoanSchedule.ANNUITY_SCHEDULE,
    }
    const [ours = 0, theirs = 0] = perSecond([() => void loanStateDuring(facts, disbursedOn), () => void peer.calculateSchedule(order)], {
      rounds: 2,
      roundMs: quick ? 2_000 : 6_000,
    })
    return `schedule-peer: ratio ${Math.round(ours / theirs)} (ours ${rounded(ours)}/s, loan-schedule.js ${theirs.toFixed(1)}/s)`
  },
}
