import type { Day } from '#domain/calendar.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { isTax, isWaiver, sumPaidByCharge, type Charge, type LoanAdjustment, type LoanFacts, type LoanState } from '#domain/loans.ts'
import type { TransactionKind } from './accounts.ts'
import { line, netLines, toLedgerLine, sumLines, type Line } from './lines.ts'

/**
 * An expected ledger transaction of a loan. The domain computes all of them from the facts, except
 * disbursals, refunds and settlements, so they do not depend on the order of recording. `key` is
 * unique within the loan. The lines of a repayment do not contain the money account.
 */
export type Posting = {
  key: string
  kind: Extract<TransactionKind, 'repayment' | 'charge' | 'waiver' | 'adjustment' | 'capitalisation'>
  valueDate: Day
  lines: readonly Line[]
}

/** The last day of the ledger: today in India, or the latest value date of a payment if later. */
export function ledgerDay(facts: LoanFacts, now: Date): Day {
  const today = dayInIndia(now)
  return facts.payments.reduce((last, { date }) => (date > last ? date : last), today)
}

export const paymentKey = (paymentId: string): string => `payment:${paymentId}`
export const chargeKey = (chargeId: string): string => `charge:${chargeId}`
export const waiverKey = (chargeId: string): string => `waiver:${chargeId}`

/** All postings of a loan on a day. Charges come before the payments that settle them. */
export function computePostings(facts: LoanFacts, state: LoanState, asOf: Day): Posting[] {
  const paidByCharge = sumPaidByCharge(state)
  const charges = [
    ...facts.charges.filter((charge) => charge.date <= asOf),
    ...state.derivedCharges.filter((charge) => paidByCharge.has(charge.chargeId)),
  ]
  const settled = [
    ...charges.map(chargePosting),
    ...paymentPostings(facts, state),
    ...adjustmentPostings(state.adjustments, taxCharges(facts, state)),
    ...waiverPostings(facts, state, paidByCharge, asOf),
  ]
  return state.capitalised === null || state.capitalised.date > asOf ? settled : [capitalisationPosting(state.capitalised), ...settled]
}

function chargePosting(charge: Charge): Posting {
  const { chargeId, amountPaise } = charge
  return {
    key: chargeKey(chargeId),
    kind: 'charge',
    valueDate: charge.date,
    lines: [line('charges', -amountPaise, { chargeId }), line(isTax(charge) ? 'tax' : 'charges_income', amountPaise, { chargeId })],
  }
}

/**
 * A waiver covers what was decided of the unpaid part of a charge, and all of a charge without a
 * cause. Tax that is not collected is not payable either.
 */
function waiverPostings({ charges }: LoanFacts, { voidCharges }: LoanState, paid: ReadonlyMap<string, bigint>, asOf: Day): Posting[] {
  return charges.flatMap((charge) => {
    const { chargeId, waivedOn, waivedPaise } = charge
    if (waivedOn === null || waivedOn > asOf) return []
    const unpaid = charge.amountPaise - (paid.get(chargeId) ?? 0n)
    const isPart = waivedPaise !== undefined && waivedPaise < unpaid && !voidCharges.includes(chargeId)
    const waived = isPart ? waivedPaise : unpaid
    if (waived <= 0n) return []
    const lines = [line('charges', waived, { chargeId }), line(isTax(charge) ? 'tax' : 'waivers', -waived, { chargeId })]
    return [{ key: waiverKey(chargeId), kind: 'waiver' as const, valueDate: waivedOn > charge.date ? waivedOn : charge.date, lines }]
  })
}

function paymentPostings({ payments }: LoanFacts, { allocations }: LoanState): Posting[] {
  const allocated = new Map(allocations.map(({ paymentId, lines }) => [paymentId, lines]))
  return payments.map(({ paymentId, date, amountPaise }) => {
    const lines = netLines((allocated.get(paymentId) ?? []).map(toLedgerLine))
    if (sumLines(lines) !== amountPaise) throw new Error(`The allocation of payment ${paymentId} does not add up to it`)
    return { key: paymentKey(paymentId), kind: 'repayment' as const, valueDate: date, lines }
  })
}

/** The ids of the charges that are the tax on another charge. */
const taxCharges = ({ charges }: LoanFacts, { derivedCharges }: LoanState): ReadonlySet<string> =>
  new Set([...charges, ...derivedCharges].filter(isTax).map(({ chargeId }) => chargeId))

/** The debit of a waiver: an expense, or the tax account for uncollected tax. */
const waiverLines = (moved: readonly Line[], taxes: ReadonlySet<string>): Line[] =>
  moved.map(({ chargeId, amountPaise }) =>
    chargeId !== null && taxes.has(chargeId) ? line('tax', -amountPaise, { chargeId }) : line('waivers', -amountPaise),
  )

function adjustmentPostings(adjustments: readonly LoanAdjustment[], taxes: ReadonlySet<string>): Posting[] {
  const seen = new Map<string, number>()
  return adjustments.flatMap(({ date, reason, paymentId, lines }) => {
    // The date of a rebate changes with the day of the computation; its payment does not.
    const name = `${reason}:${paymentId ?? date}`
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    const moved = netLines(lines.map(toLedgerLine))
    if (moved.length === 0) return []
    const balanced = isWaiver(reason) ? [...moved, ...netLines(waiverLines(moved, taxes))] : moved
    return [{ key: count === 1 ? name : `${name}:${count}`, kind: 'adjustment' as const, valueDate: date, lines: balanced }]
  })
}

const capitalisationPosting = ({ date, amountPaise }: NonNullable<LoanState['capitalised']>): Posting => ({
  key: 'capitalised',
  kind: 'capitalisation',
  valueDate: date,
  lines: [line('principal', -amountPaise), line('interest', amountPaise)],
})
