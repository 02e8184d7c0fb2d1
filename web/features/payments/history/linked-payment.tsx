import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import type { readPaymentTrail } from '#contract/payments.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { useTextParameter } from '#web/app/use-text-parameter.ts'
import { Money } from '#web/loan/money.tsx'
import { pastPurposeText } from '#web/loan/purpose-text.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { trailByLinkQuery } from '../payment-queries.ts'
import { TrailSteps } from './payment-trail.tsx'

/** The payment that a notice leads to (`?payment=` in the URL), with what happened to it. */
export function LinkedPayment({ loan }: { loan: Loan }) {
  const id = useTextParameter('payment')
  return id === null ? null : <PaymentCard key={id} loan={loan} paymentLinkId={id} />
}

function PaymentCard({ loan, paymentLinkId }: { loan: Loan; paymentLinkId: string }) {
  const { t } = useLingui()
  const trail = useLoad(trailByLinkQuery(paymentLinkId))
  // The page fell back to another loan: the URL names one that is not the borrower's.
  if (trail.data !== undefined && trail.data.lan !== loan.lan) return null
  return (
    <Card labelledBy="linked-payment">
      <CardHead id="linked-payment" title={t`What happened to your payment`} />
      <Loaded query={trail} failure="note" failed={t`Failed to load what happened`} loading={<Skeleton className="h-48" />}>
        {(loaded) => <LoadedPayment trail={loaded} />}
      </Loaded>
    </Card>
  )
}

/** Takes the focus, so that a screen reader and a small screen begin with it. */
function LoadedPayment({ trail: { payment_link: link, steps } }: { trail: ResponseOf<typeof readPaymentTrail> }) {
  const { t, i18n } = useLingui()
  const summary = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    summary.current?.focus()
  }, [])
  return (
    <>
      <p ref={summary} tabIndex={-1} className="mb-3">
        <Money amount={link.amount} size="sm" /> <span className="text-sm text-muted">{i18n._(pastPurposeText[link.purpose])}</span>
      </p>
      <TrailSteps link={link} steps={steps} label={t`What happened to your payment`} />
    </>
  )
}
