import * as z from 'zod/mini'
import type { PaymentPart as PartOnWire, Quote } from '#contract/payments.ts'
import { quoteValidUntilMs, toDay, type Day } from '#domain/calendar.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { paise, type Paise } from '#domain/money.ts'
import { paymentComponents, quoteParts, type PaymentPart } from '#domain/payment-parts.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import type { LinkRow } from '../ledger/open-links-store.ts'

/** A quote as stored with its link. Amounts are paise as text: JSON has no bigint. */
const storedQuote = z.object({
  day: z.string(),
  amount_paise: z.string(),
  parts: z.array(
    z.object({
      component: z.enum(paymentComponents),
      instalment_number: z.nullable(z.int()),
      due_date: z.nullable(z.string()),
      charge_type: z.nullable(z.string()),
      amount_paise: z.string(),
    }),
  ),
})
export type StoredQuote = z.output<typeof storedQuote>

/**
 * The quote of an amount that is offered on `madeOn` for `day`. The caller holds the loan's row
 * lock.
 */
export function buildQuote(
  facts: LoanFacts,
  day: Day,
  madeOn: Day,
  { amount, purpose }: { amount: Paise; purpose: PaymentPurpose },
): StoredQuote {
  const parts = quoteParts(facts, day, madeOn, purpose, amount)
  return {
    day,
    amount_paise: String(amount),
    parts: parts.map(({ component, instalmentNumber, dueDate, chargeType, amountPaise }) => ({
      component,
      instalment_number: instalmentNumber,
      due_date: dueDate,
      charge_type: chargeType,
      amount_paise: String(amountPaise),
    })),
  }
}

/** A link's quote in the API's form; null if only its amount is stored. */
export function quoteOnWire(link: Pick<LinkRow, 'quote' | 'quoted_for'>): Quote | null {
  const { data: stored } = storedQuote.safeParse(link.quote)
  if (!stored) return null
  const parts = stored.parts.map((part) =>
    partOnWire({
      component: part.component,
      instalmentNumber: part.instalment_number,
      dueDate: part.due_date === null ? null : toDay(part.due_date),
      chargeType: part.charge_type,
      amountPaise: paise(BigInt(part.amount_paise)),
    }),
  )
  return { parts, valid_until: new Date(quoteValidUntilMs(link.quoted_for)) }
}

/** A part of a payment in the API's form, without the fields that do not apply to it. */
export const partOnWire = ({ component, instalmentNumber, dueDate, chargeType, amountPaise }: PaymentPart): PartOnWire => ({
  component,
  amount: amountPaise,
  ...(instalmentNumber !== null && { instalment_number: instalmentNumber }),
  ...(dueDate !== null && { due_date: dueDate }),
  ...(chargeType !== null && { charge_type: chargeType }),
})
