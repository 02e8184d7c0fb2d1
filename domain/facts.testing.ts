import type { Day } from './calendar.ts'
import { toDay } from './calendar.ts'
import type { Charge, LoanFacts, LoanTerms, ReceivedPayment } from './loans.ts'
import type { Paise } from './money.ts'
import { paise, rupeesToPaise } from './money.ts'
import type { PaymentPurpose } from './payments.ts'

/** A plain product for tests. Options that are not given are off. */
export function termsOf(
  given: { annualRatePercent: number; instalments: number; firstDueDate: string } & Partial<
    Omit<LoanTerms, 'firstDueDate' | 'instalments' | 'annualRatePpb'>
  >,
): LoanTerms {
  const { annualRatePercent, firstDueDate, ...rest } = given
  return {
    annualRatePpb: Math.round(annualRatePercent * 10_000_000),
    firstDueDate: toDay(firstDueDate),
    dueDay: Number(firstDueDate.slice(8)),
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
    foreclosureWaiveMaximumPaise: rupeesToPaise(1_000),
    ...rest,
  }
}

/** Facts from rupees and text dates. Payments get the ids p1, p2 … in their order. */
export function factsOf(
  terms: LoanTerms,
  disbursals: readonly (readonly [date: string, rupees: number])[],
  payments: readonly (readonly [date: string, rupees: number | Paise, purpose?: PaymentPurpose | null])[] = [],
  more: Partial<LoanFacts> = {},
): LoanFacts {
  const given = disbursals.map(([date, rupees]) => ({ date: toDay(date), amountPaise: rupeesToPaise(rupees) }))
  return {
    sanctionedPaise: paise(given.reduce((sum, { amountPaise }) => sum + amountPaise, 0n)),
    terms,
    disbursals: given,
    rateChanges: [],
    charges: [],
    payments: payments.map(([date, amount, purpose], index) => receivedOf(index, toDay(date), amount, purpose ?? null)),
    refunds: [],
    foreclosureWaivers: [],
    ...more,
  }
}

const receivedOf = (index: number, date: Day, amount: number | Paise, purpose: PaymentPurpose | null): ReceivedPayment => ({
  paymentId: `p${index + 1}`,
  date,
  amountPaise: typeof amount === 'number' ? rupeesToPaise(amount) : amount,
  purpose,
})

export const chargeOf = (chargeId: string, date: string, rupees: number, more: Partial<Charge> = {}): Charge => ({
  chargeId,
  date: toDay(date),
  chargeType: 'BOUNCE_CHARGE',
  amountPaise: rupeesToPaise(rupees),
  penal: false,
  waivedOn: null,
  ...more,
})
