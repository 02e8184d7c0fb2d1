import type { Paise } from '#domain/money.ts'
import type { LoanFacts } from '#domain/loans.ts'

/**
 * Names the review of a closed loan's credit by its amount and the newest payment: the same amount
 * of another payment is other money, also if a person has resolved the first.
 */
export function nameCreditReview(loanId: string, creditPaise: Paise, { payments }: LoanFacts): string {
  // The ids of payments are UUIDs of version 7, which sort by time.
  const newest = payments
    .map(({ paymentId }) => paymentId)
    .toSorted()
    .at(-1)
  return `${loanId}:${creditPaise}:${newest ?? ''}`
}
