import { expect, it } from 'vitest'
import type { OperationKind } from './operations.ts'
import { reviewKinds, reviewRemedies } from './reviews.ts'

const reviewsSettledBy = (kind: OperationKind) => reviewKinds.filter((review) => reviewRemedies[review].includes(kind))

it('each operation is offered for the reviews that it can settle, and for no others', () => {
  expect(reviewsSettledBy('credit_refund')).toEqual(['amount_over', 'late_for_purpose', 'credit_on_closed_loan', 'debit_amount'])
  expect(reviewsSettledBy('credit_return')).toEqual(['amount_over', 'late_for_purpose', 'credit_on_closed_loan', 'refund_failed'])
  expect(reviewsSettledBy('payment_reverse')).toEqual([
    'refund_failed',
    'dispute',
    'duplicate_bank_reference',
    'debit_amount',
    'debit_return',
  ])
  expect(reviewsSettledBy('payment_record')).toEqual(['refund_short', 'unknown_payment'])
  expect(reviewsSettledBy('foreclosure_waive')).toEqual(['foreclosure_short'])
  expect(reviewsSettledBy('charge_waive')).toEqual(['foreclosure_short'])
  const settling = ['credit_refund', 'credit_return', 'payment_reverse', 'payment_record', 'foreclosure_waive', 'charge_waive']
  expect(
    Object.values(reviewRemedies)
      .flat()
      .filter((kind) => !settling.includes(kind)),
  ).toEqual([])
})
