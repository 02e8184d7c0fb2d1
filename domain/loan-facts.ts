import type { Day } from './calendar.ts'
import { daysBetween, parseDay } from './calendar.ts'
import type { Charge, LoanFacts, LoanTerms } from './loans.ts'
import { maximumInstalments } from './loans.ts'
import { maximumPaise, sumPaise, zeroPaise } from './money.ts'
import { maximumRatePpb, wholePpb } from './rates.ts'

const isWholeBetween = (value: number, from: number, to: number): boolean => Number.isInteger(value) && value >= from && value <= to

/** Why terms cannot make a schedule, for an operator. Null if they can. */
export function termsFault(terms: LoanTerms): string | null {
  if (!isWholeBetween(terms.instalments, 1, maximumInstalments)) return `instalments must be a whole number from 1 to ${maximumInstalments}`
  if (!isWholeBetween(terms.annualRatePpb, 0, maximumRatePpb)) return 'the yearly rate must be between 0 and 1000 percent'
  if (!isWholeBetween(terms.dueDay, 1, 31)) return 'the due day must be from 1 to 31'
  if (parseDay(terms.firstDueDate) === null) return 'the first due date is no date'
  if (!isWholeBetween(terms.principalGraceInstalments, 0, terms.instalments - 1))
    return 'principal grace must leave at least one instalment'
  if (terms.fixedInstalmentPaise !== null && terms.fixedInstalmentPaise <= 0n) return 'a fixed instalment must be more than 0'
  if (terms.moratorium !== null && parseDay(terms.moratorium.until) === null) return "the moratorium's end is no date"
  return null
}

/** Nothing is left of it, whatever is paid. */
const isWhollyWaived = ({ amountPaise, waivedOn, waivedPaise = amountPaise }: Charge): boolean =>
  waivedOn !== null && waivedPaise >= amountPaise

/**
 * True if the loan with the most interest it can bear stays within the exact range of the engine,
 * and what was lent and charged, or received, within the amounts of the contract.
 */
function isWithinExactRange({ terms, rateChanges, charges, payments }: LoanFacts, first: Day, disbursed: bigint): boolean {
  const ratePpb = rateChanges.reduce((highest, change) => Math.max(highest, change.annualRatePpb), terms.annualRatePpb)
  const years = daysBetween(first, terms.firstDueDate) / 365 + terms.instalments / 12 + 1
  const charged = sumPaise(charges.filter((charge) => !isWhollyWaived(charge)).map(({ amountPaise }) => amountPaise))
  const received = sumPaise(payments.map(({ amountPaise }) => amountPaise))
  if (disbursed + charged > maximumPaise || received > maximumPaise) return false
  return Number(disbursed) * (1 + (ratePpb / wholePpb) * years) + Number(charged + received) < Number.MAX_SAFE_INTEGER
}

function disbursalsFault(facts: LoanFacts, first: Day): string | null {
  let sum = 0n
  for (const { date, amountPaise } of facts.disbursals) {
    if (amountPaise <= 0n) return 'a disbursal must be more than 0'
    if (parseDay(date) === null) return 'a disbursal has no date'
    sum += amountPaise
  }
  if (sum > facts.sanctionedPaise) return 'more was disbursed than sanctioned'
  if (facts.terms.firstDueDate <= first) return 'the first due date must be after the first disbursal'
  if (daysBetween(first, facts.terms.firstDueDate) > maximumInstalments * 31)
    return 'the first due date is too far from the first disbursal'
  if (!isWithinExactRange(facts, first, sum)) return 'the amounts are too large to be computed exactly'
  const until = facts.terms.moratorium?.until
  return until !== undefined && daysBetween(first, until) > maximumInstalments * 31 ? 'the moratorium is too long' : null
}

/**
 * The first inconsistency in a loan's facts up to a day; the loan is then UNKNOWN (decision 35).
 * Null if there is none.
 */
export function factsFault(facts: LoanFacts, day: Day): string | null {
  const fault = termsFault(facts.terms)
  if (fault !== null) return fault
  const known = facts.disbursals.every(({ date }) => date <= day)
    ? facts
    : { ...facts, disbursals: facts.disbursals.filter(({ date }) => date <= day) }
  const earliest = known.disbursals.reduce<Day | null>((first, { date }) => (first === null || date < first ? date : first), null)
  for (const { date, amountPaise, heldPaise = zeroPaise } of facts.payments) {
    if (date > day) continue
    if (amountPaise <= 0n || amountPaise > maximumPaise) return 'a payment must be more than 0'
    if (earliest === null || date < earliest) return 'a payment was received before the first disbursal'
    if (heldPaise < 0n || heldPaise > amountPaise) return 'more of a payment is refunded than was received'
  }
  for (const { amountPaise } of facts.refunds) if (amountPaise <= 0n || amountPaise > maximumPaise) return 'a refund must be more than 0'
  for (const charge of facts.charges) {
    const { date, amountPaise } = charge
    if (amountPaise <= 0n || amountPaise > maximumPaise) return 'a charge must be more than 0'
    if (earliest !== null && date < earliest && !isWhollyWaived(charge))
      return 'a charge that is not waived lies before the first disbursal'
  }
  for (const change of facts.rateChanges) {
    if (!isWholeBetween(change.annualRatePpb, 0, maximumRatePpb)) return 'the yearly rate must be between 0 and 1000 percent'
    if (change.keep === 'both' && (change.instalmentPaise <= 0n || change.instalmentPaise > maximumPaise))
      return 'the instalment of a rate change must be more than 0'
  }
  return earliest === null ? null : disbursalsFault(known, earliest)
}
