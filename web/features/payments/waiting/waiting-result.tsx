import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { paise } from '#domain/money.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { loansQuery } from '#web/loan/loan-queries.ts'
import { Money } from '#web/loan/money.tsx'
import { getPortalConfig } from '#web/portal-config.ts'
import { readStartedPayment, type StartedPayment } from '#web/session/started-payment.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { PaidStamp } from '#web/ui/stamp.tsx'
import { purposeText } from '../purpose-text.ts'
import { UnsettledMark } from './waiting-picture.tsx'
import { ReferenceBox, WaitingScreen, waitingText, waitingTitle } from './waiting-screen.tsx'
import type { WaitingResult } from './waiting-state.ts'

type WaitingResultViewProps = { status: WaitingResult; secondsLeft: number; paymentLinkId: string; onLeave: () => void }

/** The result, with figures if this device knows the payment. */
export function WaitingResultView({ status, secondsLeft, paymentLinkId, onLeave }: WaitingResultViewProps) {
  const { t, i18n } = useLingui()
  const [payment] = useState(readStartedPayment)
  const known = payment?.paymentLinkId === paymentLinkId ? payment : null
  const amount = known && formatMoney(paise(BigInt(known.amount)))
  const isPaid = status === 'success' || status === 'success_no_rps'
  return (
    <WaitingScreen
      title={status === 'success' && amount ? t`${amount} paid` : i18n._(waitingTitle[status])}
      text={i18n._(waitingText[status])}
      picture={
        status === 'success' ? (
          <Stamp lan={known?.lan ?? null} />
        ) : (
          <UnsettledMark kind={isPaid || status === 'timeout' ? 'clock' : 'cross'} />
        )
      }
    >
      {isPaid && known && <PaidAmounts payment={known} isSettled={status === 'success'} />}
      {(status === 'success_no_rps' || status === 'timeout') && <DoNotPayAgain />}
      <ReferenceBox reference={paymentLinkId} />
      <p className="text-center text-sm text-muted tabular-nums">
        <Trans>
          Back to your payments in <b className="font-semibold text-ink">{secondsLeft}s</b>
        </Trans>
      </p>
      <p className="text-center">
        <Button onClick={onLeave}>{t`Go to payments`}</Button>
      </p>
    </WaitingScreen>
  )
}

/** The date is the server's, not the device's. */
function Stamp({ lan }: { lan: string | null }) {
  const { t } = useLingui()
  const language = useLanguage()
  const { data } = useQuery(loansQuery)
  const day = (data?.find((loan) => loan.lan === lan) ?? data?.[0])?.as_of
  return <PaidStamp word={t`PAID`} day={day ? formatDay(day, language) : ''} />
}

function PaidAmounts({ payment, isSettled }: { payment: StartedPayment; isSettled: boolean }) {
  const { t, i18n } = useLingui()
  const loans = useQuery(loansQuery)
  const loan = loans.isFetching ? undefined : loans.data?.find(({ lan }) => lan === payment.lan)
  const { lender } = getPortalConfig().brand
  const line = 'flex justify-between gap-4 border-t border-line py-1.5 first:border-t-0'
  return (
    <dl className="text-sm tabular-nums">
      <div className={line}>
        <dt>{i18n._(purposeText[payment.purpose])}</dt>
        <dd className="font-medium">
          <Money amount={paise(BigInt(payment.amount))} />
        </dd>
      </div>
      {isSettled ? (
        <>
          <div className={line}>
            <dt>{t`Outstanding before`}</dt>
            <dd className="font-medium">
              <Money amount={paise(BigInt(payment.outstandingBefore))} />
            </dd>
          </div>
          <div className="flex justify-between gap-4 border-t border-rule py-1.5 font-semibold [border-bottom:3px_double_var(--rule)]">
            <dt>{t`Outstanding now`}</dt>
            <dd>{loan ? <Money amount={loan.principal_outstanding} /> : <Skeleton className="h-5 w-28" />}</dd>
          </div>
        </>
      ) : (
        lender !== '' && (
          <div className={line}>
            <dt>{t`Paid to`}</dt>
            <dd>{lender}</dd>
          </div>
        )
      )}
    </dl>
  )
}

function DoNotPayAgain() {
  const { t } = useLingui()
  const { phone } = getPortalConfig().support
  return (
    <Banner tone="caution" icon="alert">
      <b className="font-semibold">{t`Do not pay again.`}</b>{' '}
      {phone === ''
        ? t`If the balance has not changed by tomorrow, contact support and give this reference.`
        : t`If the balance has not changed by tomorrow, call ${phone} and give this reference.`}
    </Banner>
  )
}
