import type { PaymentLink, TrailStep } from '#contract/payments.ts'

/** The next expected step of a pending payment. */
export type AwaitedStep = 'payment' | 'posting'

/** Whether the step's successor has not happened yet. */
export const isInProgress = (step: TrailStep, steps: readonly TrailStep[]): boolean =>
  step.step === 'in_review' || step.step === 'refund_failed' || (step.step === 'refund_asked' && isRefundAwaited(step, steps))

/**
 * Nothing joins the end of a refund to its request: it is taken for the first request of its
 * amount, or for the first one of the payment.
 */
function isRefundAwaited(asked: TrailStep, steps: readonly TrailStep[]): boolean {
  const ofPayment = steps.filter(({ payment_id }) => payment_id === asked.payment_id)
  const open = ofPayment.filter(({ step }) => step === 'refund_asked')
  for (const end of ofPayment.filter(isRefundEnd)) {
    const ended = open.find(({ amount }) => amount === end.amount) ?? open[0]
    if (ended) open.splice(open.indexOf(ended), 1)
  }
  return open.includes(asked)
}

const isRefundEnd = ({ step }: TrailStep): boolean => step === 'refunded' || step === 'refund_failed'

export function findAwaitedStep({ status }: PaymentLink, steps: readonly TrailStep[]): AwaitedStep | null {
  const count = (wanted: TrailStep['step']) => steps.filter(({ step }) => step === wanted).length
  if (count('paid') > count('applied') || (status === 'paid' && count('applied') === 0)) return 'posting'
  return status === 'created' || status === 'partially_paid' ? 'payment' : null
}
