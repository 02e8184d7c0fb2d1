import type { Day, DayNumber } from './calendar.ts'
import { byDate, dayNumber, dueDayFrom } from './calendar.ts'
import type { Disbursal, LoanTerms, RatePpb } from './loans.ts'
import type { Paise } from './money.ts'
import { paise, paiseFromWhole, sumPaise } from './money.ts'
import { planAgreedSchedule } from './replay.ts'
import { isWholeMonth } from './schedule.ts'
import { wholePpb } from './rates.ts'

/** Money at a time in months from the first disbursal. Positive amounts go to the borrower. */
type CashFlow = { months: number; amountPaise: Paise }

type AnnualPercentageRate = {
  /** Parts per billion a year: 17.07 % is 170_700_000. */
  aprPpb: RatePpb
  netDisbursedPaise: Paise
  feesPaise: Paise
  flows: readonly CashFlow[]
}

/** The present value of flows at a monthly rate, and by how much it grows with the rate. */
function presentValue(flows: readonly CashFlow[], monthlyRate: number): { value: number; slope: number } {
  let [value, slope] = [0, 0]
  for (const { months, amountPaise } of flows) {
    const discounted = Number(amountPaise) * (1 + monthlyRate) ** -months
    value += discounted
    // Stryker disable next-line all: a wrong slope takes more steps to the same rate
    slope -= (discounted * months) / (1 + monthlyRate)
  }
  return { value, slope }
}

/**
 * The monthly rate at which the payments are worth what was disbursed, by Newton's method. A step
 * out of the interval that contains the rate goes to the middle of the interval instead. Double
 * precision suffices for a rate.
 */
export function monthlyInternalRate(flows: readonly CashFlow[]): number {
  let [low, high] = [-0.99, 1]
  // Stryker disable all: the first interval and the choice of a step decide only how many it takes
  while (presentValue(flows, high).value < 0 && high < 1e6) high *= 2
  let rate = 0
  for (let step = 0; step < 200 && high - low > 1e-15; step += 1) {
    const { value, slope } = presentValue(flows, rate)
    // Stryker restore all
    // A higher rate reduces the present value of later payments.
    if (value < 0) low = rate
    else high = rate
    // Stryker disable all: as above
    const newton = rate - value / slope
    const next = newton > low && newton < high ? newton : (low + high) / 2
    if (Math.abs(next - rate) < 1e-15) return next
    rate = next
  }
  // Stryker restore all
  return rate
}

/**
 * Counts months from the first disbursal. Due day to due day is one month; a part of it counts by
 * its days. A first period that is not a whole month counts by its days in a year of 365.
 */
function monthCounter(terms: LoanTerms, first: Day): (day: DayNumber) => number {
  const dueAt = (offset: number): DayNumber => dueDayFrom(terms.firstDueDate, offset, terms.dueDay)
  const start = dayNumber(first)
  let firstOffset = 0
  while (dueAt(firstOffset - 1) > start) firstOffset -= 1
  const firstDue = dueAt(firstOffset)
  const isWhole = dueAt(firstOffset - 1) === start || (firstOffset === 0 && isWholeMonth(first, terms.firstDueDate, terms.dueDay))
  const firstMonths = isWhole ? 1 : ((firstDue - start) * 12) / 365
  return (day) => {
    if (day <= firstDue) return (firstMonths * (day - start)) / (firstDue - start)
    let offset = firstOffset + 1 + Math.floor((day - firstDue - 1) / 31)
    while (dueAt(offset) < day) offset += 1
    const monthStart = dueAt(offset - 1)
    return firstMonths + (offset - 1 - firstOffset) + (day - monthStart) / (dueAt(offset) - monthStart)
  }
}

/**
 * The annual percentage rate of a loan as sanctioned, fees included: 12 × the monthly internal rate
 * of return on the net disbursed amount (decision 51, from the central bank's key facts statement).
 *
 * @param disbursals all tranches on their planned dates, or the whole amount on the first day.
 * @param feesPaise fees deducted from the first disbursal or paid on that day.
 */
export function annualPercentageRate(terms: LoanTerms, disbursals: readonly Disbursal[], feesPaise: Paise): AnnualPercentageRate {
  const loan = planAgreedSchedule(terms, disbursals)
  const sorted = disbursals.toSorted(byDate)
  const first = sorted[0]
  if (first === undefined) throw new RangeError('An annual percentage rate needs a disbursal')
  const time = monthCounter(terms, first.date)
  const flows: CashFlow[] = sorted.map(({ date, amountPaise }) => ({ months: time(dayNumber(date)), amountPaise }))
  flows.push({ months: 0, amountPaise: paise(-feesPaise) })
  for (const row of loan.rows) flows.push({ months: time(row.due), amountPaise: paiseFromWhole(-(row.interest + row.principal)) })
  return {
    aprPpb: Math.round(monthlyInternalRate(flows) * 12 * wholePpb),
    netDisbursedPaise: paise(sumPaise(disbursals.map(({ amountPaise }) => amountPaise)) - feesPaise),
    feesPaise,
    flows,
  }
}
