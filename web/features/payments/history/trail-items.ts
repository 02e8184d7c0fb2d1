import type { PaymentLink, TrailStep } from '#contract/payments.ts'

/** The next expected step of a pending payment. */
export type AwaitedStep = 'payment' | 'posting'

/** Whether the step's successor has not happened yet. */
export const isInProgress = ({ step, payment_id }: TrailStep, steps: readonly TrailStep[]): boolean =>
  step === 'in_review' ||
  step === 'refund_failed' ||
  (step === 'refund_asked' && !steps.some((other) => other.payment_id === payment_id && isRefundEnd(other)))

const isRefundEnd = ({ step }: TrailStep): boolean => step === 'refunded' || step === 'refund_failed'

export function findAwaitedStep({ status }: PaymentLink, steps: readonly TrailStep[]): AwaitedStep | null {
  const count = (wanted: TrailStep['step']) => steps.filter(({ step }) => step === wanted).length
  if (count('paid') > count('applied') || (status === 'paid' && count('applied') === 0)) return 'posting'
  return status === 'created' || status === 'partially_paid' ? 'payment' : null
}
