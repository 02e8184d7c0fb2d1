import { mandateMethods, type AutopayRules, type MandateMethod } from './autopay.ts'
import { addDays, type Day } from './calendar.ts'
import { loanPlanAtEndOf } from './loan-state.ts'
import type { LoanFacts, LoanState } from './loans.ts'
import { paise, type Paise } from './money.ts'
import { withDisbursal } from './tranches.ts'

/** The cap on offer is this share of the instalment, and a multiple of {@link capStepPaise}. */
const capPercent = 125n
const capStepPaise = 50_000n

/** NPCI's limit of a UPI debit without a PIN, and the largest eMandate (RBI, NPCI). */
const upiWithoutPinPaise = paise(1_500_000n)
const emandateMaximumPaise = paise(1_000_000_000n)

/** A method on offer. `maximumPaise` is the cap on offer, which may be raised to `limitPaise`. */
export type MethodOffer = { method: MandateMethod; maximumPaise: Paise; limitPaise: Paise; needsPinEachTime: boolean }

type AutopayOffer = { methods: readonly MethodOffer[]; debitDay: number; firstDebitOn: Day }

/** A first debit leaves time for its announcement. */
const firstDebitAfterDays = 3

/** The agreed schedule if the rest of the sanctioned amount is disbursed on a day. */
function planWhollyDisbursed(facts: LoanFacts, state: LoanState, day: Day, today: Day): LoanState {
  const restPaise = paise(facts.sanctionedPaise - state.disbursedPaise)
  if (restPaise <= 0n) return state
  // Bills that stay follow from payments, see `planAgreedSchedule`.
  const disbursals = facts.disbursals.map(({ date, amountPaise }) => ({ date, amountPaise }))
  const agreed: LoanFacts = { ...facts, disbursals, charges: [], payments: [], refunds: [], foreclosureWaivers: [] }
  return loanPlanAtEndOf(withDisbursal(agreed, { date: day, amountPaise: restPaise }), today)
}

/**
 * The equated instalment if the whole sanctioned amount is disbursed: after a grace, and on
 * interest that is capitalised. The rest is disbursed today. If EMIs have begun, it is counted as
 * disbursed with the first amount: over the few EMIs that are left it would make a large instalment
 * of money that may never be disbursed.
 */
export function expectInstalment(facts: LoanFacts, state: LoanState, today: Day): Paise {
  const firstDay = facts.disbursals.reduce((first, { date }) => (date < first ? date : first), today)
  const plans = [today, firstDay].map((day) => planWhollyDisbursed(facts, state, day, today).nextInstalmentPaise)
  const wholePaise = plans.reduce((least, amount) => (amount < least ? amount : least))
  return wholePaise > state.nextInstalmentPaise ? wholePaise : state.nextInstalmentPaise
}

/** The loan's last due date if the whole sanctioned amount is disbursed, the rest of it today. */
export function expectLastDueDate(facts: LoanFacts, state: LoanState, today: Day): Day {
  const schedules = [state, planWhollyDisbursed(facts, state, today, today)]
  return schedules.flatMap(({ rows }) => rows.at(-1)?.dueDate ?? []).reduce((last, day) => (day > last ? day : last), today)
}

/** 1.25 × the instalment, up to the next ₹500. */
export function capFor(instalmentPaise: Paise, limitPaise: Paise): Paise {
  const wanted = (instalmentPaise * capPercent + 99n) / 100n
  const cap = ((wanted + capStepPaise - 1n) / capStepPaise) * capStepPaise
  return cap > limitPaise ? limitPaise : paise(cap)
}

/** The day of the first debit of a mandate that is active on a day. Null if nothing is left. */
export function firstDueFrom(state: LoanState, activeOn: Day): Day | null {
  const from = addDays(activeOn, firstDebitAfterDays)
  return state.rows.find(({ dueDate, status }) => dueDate >= from && status !== 'Paid' && status !== 'Unknown')?.dueDate ?? null
}

/**
 * The methods on offer. UPI is offered only where the expected debit needs no more than its limit;
 * a mandate with a larger one would fail each time. Null if autopay is not offered.
 */
export function autopayOffer(facts: LoanFacts, state: LoanState, rules: AutopayRules, today: Day): AutopayOffer | null {
  if (state.status !== 'ACTIVE' && state.status !== 'OVERDUE') return null
  const firstDebitOn = firstDueFrom(state, today)
  if (firstDebitOn === null) return null
  const instalment = expectInstalment(facts, state, today)
  const limits: Readonly<Record<MandateMethod, Paise>> = { upi: rules.upiMandateMaximumPaise, emandate: emandateMaximumPaise }
  const methods = mandateMethods
    .filter((method) => rules.methods.includes(method))
    .filter((method) => instalment <= (method === 'upi' ? rules.upiDebitMaximumPaise : limits.emandate))
    .map((method) => ({
      method,
      maximumPaise: capFor(instalment, limits[method]),
      limitPaise: limits[method],
      needsPinEachTime: method === 'upi' && instalment > upiWithoutPinPaise,
    }))
  return methods.length === 0 ? null : { methods, debitDay: facts.terms.dueDay, firstDebitOn }
}

/** Why a cap that the borrower chose is refused. Null if it is possible. */
export function refuseCap(chosenPaise: Paise, { maximumPaise: offered, limitPaise }: MethodOffer): 'below_offer' | 'above_limit' | null {
  if (chosenPaise > limitPaise) return 'above_limit'
  return chosenPaise < offered ? 'below_offer' : null
}
