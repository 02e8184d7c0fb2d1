import { useLingui } from '@lingui/react/macro'
import { useState, type Dispatch, type HTMLAttributes } from 'react'
import type { PaymentLink } from '#contract/payments.ts'
import { paise } from '#domain/money.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { readStartedPayment } from '#web/session/started-payment.ts'
import { Banner } from '#web/ui/banner.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { PaidStamp } from '#web/ui/stamp.tsx'
import { getPaidDay } from '../paid-day.ts'
import { trailByLinkQuery } from '../payment-queries.ts'
import { RedirectBar } from './redirect-bar.tsx'
import { UnsettledMark } from './waiting-picture.tsx'
import { ReferenceBox, WaitingScreen, waitingText, waitingTitle } from './waiting-screen.tsx'
import type { WaitingEvent, WaitingState } from './waiting-state.ts'
import { WhatChanged } from './what-changed.tsx'

type WaitingResultViewProps = {
  result: Extract<WaitingState, { phase: 'resolved' }>
  paymentLinkId: string
  handlers: HTMLAttributes<HTMLElement>
  dispatch: Dispatch<WaitingEvent>
}

/** The result: after a payment with its receipt and what it changed, else with what to do. */
export function WaitingResultView({ result, paymentLinkId, handlers, dispatch }: WaitingResultViewProps) {
  const { t, i18n } = useLingui()
  const { status, isPart, isReturned } = result
  const isPaid = status === 'success' || status === 'success_no_rps'
  const trail = useLoad({ ...trailByLinkQuery(paymentLinkId), enabled: isPaid })
  return (
    <WaitingScreen
      title={useTitle(result, paymentLinkId)}
      text={i18n._(waitingText[status])}
      picture={
        status === 'success' ? (
          <Stamp link={trail.data?.payment_link} word={isPart ? t`PART PAID` : t`PAID`} />
        ) : (
          <UnsettledMark kind={isPaid || status === 'timeout' ? 'clock' : 'cross'} />
        )
      }
      handlers={handlers}
      footer={<RedirectBar result={result} dispatch={dispatch} />}
    >
      {isPaid && (
        <Loaded query={trail} failure="note" failed={t`Failed to load what changed`} loading={<Skeleton className="h-44" />}>
          {(data) => <WhatChanged trail={data} isSettled={status === 'success'} />}
        </Loaded>
      )}
      {isReturned && <Banner tone="info">{t`Your money came after this link had ended. It is refunded to you.`}</Banner>}
      {status !== 'success' && !isReturned && <DoNotPayAgain isReceived={isPaid} />}
      <ReferenceBox reference={paymentLinkId} />
    </WaitingScreen>
  )
}

/** With the amount if this device has started the payment. */
function useTitle({ status, isPart }: WaitingResultViewProps['result'], paymentLinkId: string): string {
  const { t, i18n } = useLingui()
  const [payment] = useState(readStartedPayment)
  if (status !== 'success') return i18n._(waitingTitle[status])
  if (isPart) return t`Part of the payment received`
  if (payment?.paymentLinkId !== paymentLinkId) return i18n._(waitingTitle.success)
  const amount = formatMoney(paise(BigInt(payment.amount)))
  return t`${amount} paid`
}

/** With the day of the payment in India, also when the page is opened again on a later day. */
function Stamp({ link, word }: { link: PaymentLink | undefined; word: string }) {
  const language = useLanguage()
  return <PaidStamp word={word} day={link ? formatDay(getPaidDay(link), language) : ''} />
}

function DoNotPayAgain({ isReceived }: { isReceived: boolean }) {
  const { t } = useLingui()
  const { phone } = getPortalConfig().support
  return (
    <Banner tone="caution" icon="alert">
      <b className="font-semibold">{isReceived ? t`Do not pay again.` : t`If money has already left your account, do not pay again.`}</b>{' '}
      {phone === ''
        ? t`If the balance has not changed by tomorrow, contact support and give this reference.`
        : t`If the balance has not changed by tomorrow, call ${phone} and give this reference.`}
    </Banner>
  )
}
