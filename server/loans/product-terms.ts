import * as z from 'zod/mini'
import { benchmarkCode, chargeType } from '#contract/codes.ts'
import { day } from '#contract/day.ts'
import { toDay, type Day } from '#domain/calendar.ts'
import { prepaymentChargeType, prepaymentTaxType } from '#domain/foreclosure.ts'
import { lateChargeType, maximumInstalments } from '#domain/loans.ts'
import { paiseToRupees, rupeesToPaise } from '#domain/money.ts'
import { linkMinimumPaise } from '#domain/payments.ts'
import { calculationTerms } from './loan-terms.ts'

/** How a floating rate follows its benchmark. */
const floatingRate = z.object({
  type: z.literal('floating'),
  benchmark: benchmarkCode,
  /** Added to the benchmark, in parts per billion; can be negative. */
  spread_ppb: z.int().check(z.gte(-1_000_000_000), z.lte(1_000_000_000)),
  /** A loan's rate is reset at most once in this many months. */
  reset_months: z.int().check(z.gte(1), z.lte(120)),
  /** The most instalments that a reset may give a loan without the borrower's choice. */
  instalments_max: z.int().check(z.gte(1), z.lte(maximumInstalments)),
})
export type FloatingRate = z.output<typeof floatingRate>

/**
 * The terms of a product version for all its loans (decision 50), as stored in
 * `loan_products.terms`.
 */
export const productTerms = z.extend(calculationTerms, {
  name: z.string(),
  /** Earlier products have this instead of `rate`. */
  rate_type: z.optional(z.enum(['fixed', 'floating'])),
  rate: z.optional(z.discriminatedUnion('type', [z.object({ type: z.literal('fixed') }), floatingRate])),
  /** The last day on which a loan can be sanctioned under this version; absent: any day. */
  sanctioned_until: z.optional(day),
  /** The types of charges that the key facts statement lists; absent: not known. */
  disclosed_charges: z.optional(z.array(chargeType)),
  /** What the loans are for; absent: education. Interest certificates depend on it. */
  purpose: z.optional(z.enum(['education', 'other'])),
})
export type ProductTerms = z.output<typeof productTerms>

/** The kind of rate; null if neither field says it. */
const rateTypeOf = ({ rate, rate_type }: ProductTerms): 'fixed' | 'floating' | null => rate?.type ?? rate_type ?? null

const taxSuffix = '_TAX'

/** Floating loans to individuals sanctioned later bear no prepayment charge (india.md R4). */
const lastPrepaymentChargeDay = toDay('2025-12-31')

/**
 * Why no loan may be sanctioned under these terms, as a message for an operator; null if one may. A
 * floating-rate loan to an individual, sanctioned from 1 January 2026, must not have a prepayment
 * charge (decision 24).
 */
function findProductFault(terms: ProductTerms): string | null {
  const type = rateTypeOf(terms)
  if (type === null) return 'rate is missing: {"type":"fixed"}, or "floating" with benchmark, spread_ppb, reset_months and instalments_max'
  if (terms.rate_type !== undefined && terms.rate_type !== type) return 'rate and rate_type differ: leave rate_type out'
  const { prepayment_charge, sanctioned_until } = terms
  if (type === 'floating' && prepayment_charge !== null && (sanctioned_until === undefined || sanctioned_until > lastPrepaymentChargeDay))
    return `a floating-rate loan to an individual must not have a prepayment charge: set prepayment_charge to null, or sanctioned_until to ${lastPrepaymentChargeDay} or earlier`
  return null
}

const graceDaysMax = 365
const lateChargeMaxPaise = rupeesToPaise(100_000)

/**
 * A value that no product can mean: a version that is loaded never changes. The schema allows it,
 * so that earlier terms stay readable.
 */
function findValueFault({ name, late_charge, link_maximum }: ProductTerms): string | null {
  if (name.trim() === '') return 'name is empty'
  if (late_charge !== null && (late_charge.grace_days < 0 || late_charge.grace_days > graceDaysMax))
    return `late_charge.grace_days must be from 0 to ${graceDaysMax}`
  if (late_charge !== null && (late_charge.amount <= 0n || late_charge.amount > lateChargeMaxPaise))
    return `late_charge.amount must be above 0 and at most ${paiseToRupees(lateChargeMaxPaise)}`
  return link_maximum < linkMinimumPaise ? `link_maximum must be at least ${paiseToRupees(linkMinimumPaise)}` : null
}

/** As {@link findProductFault}, for a product to be loaded, which must be complete. */
export function findNewProductFault(terms: ProductTerms): string | null {
  const fault = findProductFault(terms) ?? findValueFault(terms)
  if (fault !== null) return fault
  const raised = [
    ...(terms.late_charge === null ? [] : [lateChargeType]),
    ...(terms.prepayment_charge === null ? [] : [prepaymentChargeType]),
  ]
  const unlisted = raised.filter((type) => isDisclosedCharge(terms, type) === false)
  if (unlisted.length > 0) return `disclosed_charges must list what the product raises: ${unlisted.join(', ')}`
  return rateTypeOf(terms) === 'floating' && terms.rate === undefined
    ? 'a floating rate needs rate with type, benchmark, spread_ppb, reset_months and instalments_max'
    : null
}

/** Why no loan of this product that was sanctioned on a day may have a charge; null if one may. */
export function findChargeFault(terms: ProductTerms, type: string, sanctionedOn: Day): string | null {
  const isPrepaymentCharge = type === prepaymentChargeType || type === prepaymentTaxType
  if (isPrepaymentCharge && rateTypeOf(terms) === 'floating' && sanctionedOn > lastPrepaymentChargeDay)
    return 'a floating-rate loan to an individual has no prepayment charge'
  return type === `${lateChargeType}${taxSuffix}` ? 'a penal charge has no GST' : null
}

/** Why a loan may not be sanctioned under these terms on a day; null if it may. */
export function findSanctionFault(terms: ProductTerms, sanctionedOn: Day): string | null {
  const { sanctioned_until } = terms
  if (sanctioned_until !== undefined && sanctionedOn > sanctioned_until)
    return `loans sanctioned after ${sanctioned_until} need a newer version of the product`
  return findProductFault(terms)
}

/** Whether the loans are for education. Products of earlier versions have no other purpose. */
export const isForEducation = ({ purpose = 'education' }: ProductTerms): boolean => purpose === 'education'

/**
 * Whether the key facts statement lists a charge. The tax of a listed charge counts as listed. Null
 * if the product has no list.
 */
export function isDisclosedCharge({ disclosed_charges }: ProductTerms, type: string): boolean | null {
  if (disclosed_charges === undefined) return null
  const taxed = type.endsWith(taxSuffix) ? type.slice(0, -taxSuffix.length) : type
  return disclosed_charges.includes(type) || disclosed_charges.includes(taxed)
}
