import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useRef, useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { PaymentPart } from '#contract/payments.ts'
import { Money } from '#web/loan/money.tsx'
import { purposeText } from '#web/loan/purpose-text.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { formatMoney } from '#web/ui/format.ts'
import { lineText, PayableUntil } from '../payment-parts.tsx'
import type { Countdown } from '../payments-controller.ts'
import { sumQuote } from '../quote-sums.ts'

export type CountdownDialogProps = { loan: Loan; running: Countdown; onRedirectNow: () => void; onCancel: () => void }

/**
 * The countdown before the payment page, with the amount, its parts and the payee. It can be
 * cancelled.
 */
export function CountdownDialog({ loan, running, onRedirectNow, onCancel }: CountdownDialogProps) {
  const { t, i18n } = useLingui()
  const permission = usePermission('payment_link:create')
  const go = useRef<HTMLButtonElement>(null)
  const isOpen = running.phase !== 'off'
  // Keeps its content while the dialog fades out.
  const [shown, setShown] = useState(running)
  if (isOpen && shown !== running) setShown(running)
  if (shown.phase === 'off') return null

  const { secondsLeft, payment } = shown
  const [purpose, amount] = [i18n._(purposeText[payment.purpose]), formatMoney(payment.amount)]
  const isRedirecting = shown.phase === 'redirecting'
  const { lender } = getPortalConfig().brand
  return (
    <Dialog
      open={isOpen}
      onClose={onCancel}
      title={t`Taking you to the payment page`}
      description={
        <div className="sr-only">
          <p>{`${purpose}: ${amount}`}</p>
          <p>
            <OpensIn seconds={getPortalConfig().countdown.seconds} />
          </p>
        </div>
      }
      initialFocus={go}
      actions={
        <>
          <Button variant="secondary" onClick={onCancel}>
            {t`Cancel`}
          </Button>
          <ActionButton
            ref={go}
            permission={permission}
            state={isRedirecting ? 'loading' : 'normal'}
            iconAfter="external"
            className="max-md:w-full"
            onClick={onRedirectNow}
          >
            {isRedirecting ? t`Redirecting` : t`Redirect now`}
          </ActionButton>
        </>
      }
    >
      <div role="timer" aria-label={t`Seconds left: ${secondsLeft}`}>
        <CountdownRing secondsLeft={secondsLeft} />
      </div>
      <p className="mt-3 mb-5 text-center text-balance text-muted">
        {isRedirecting
          ? t`Redirecting to the payment page...`
          : t`${plural(secondsLeft, { one: 'The secure payment page opens in # second.', other: 'The secure payment page opens in # seconds.' })}`}
      </p>
      <Announcement secondsLeft={secondsLeft} />
      <dl className="text-sm">
        <Line label={i18n._(purposeText[payment.purpose])}>
          <Money amount={payment.amount} className="font-semibold" />
        </Line>
        {payment.link.quote && <QuoteLines parts={payment.link.quote.parts} />}
        {lender !== '' && <Line label={t`Paid to`}>{lender}</Line>}
        <Line label={t`Loan`}>{loan.lan}</Line>
      </dl>
      <p className="mt-3 text-xs text-muted">
        <PayableUntil loan={loan} link={payment.link} />
      </p>
    </Dialog>
  )
}

/** The parts of the amount, if there are several. */
function QuoteLines({ parts }: { parts: readonly PaymentPart[] }) {
  const { i18n } = useLingui()
  const sums = sumQuote(parts)
  if (sums.length < 2) return null
  return sums.map(({ line, amount }) => (
    <div key={line} className="flex justify-between gap-4 py-0.5 pl-3 text-muted">
      <dt>{i18n._(lineText[line])}</dt>
      <dd className="text-right tabular-nums">
        <Money amount={amount} />
      </dd>
    </div>
  ))
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 border-t border-line py-1.5 first:border-t-0">
      <dt>{label}</dt>
      <dd className="text-right tabular-nums">{children}</dd>
    </div>
  )
}

/**
 * Announced at five seconds and at zero; every second would be too much for a screen reader. At the
 * start it reads the dialog's description: a status that appears with its text is not read.
 */
function Announcement({ secondsLeft }: { secondsLeft: number }) {
  const { t } = useLingui()
  const isLate = secondsLeft <= 5 && getPortalConfig().countdown.seconds > 5
  return (
    <p role="status" className="sr-only">
      {secondsLeft === 0 ? t`Redirecting to the payment page...` : isLate && <OpensIn seconds={5} />}
    </p>
  )
}

function OpensIn({ seconds }: { seconds: number }) {
  const { t } = useLingui()
  return t`${plural(seconds, { one: 'The payment page opens in # second.', other: 'The payment page opens in # seconds.' })}`
}

/** The seconds left as a ring. Decorative: the dialog announces the seconds to screen readers. */
function CountdownRing({ secondsLeft }: { secondsLeft: number }) {
  const { seconds } = getPortalConfig().countdown
  return (
    <div aria-hidden="true" className="relative mx-auto size-36">
      <svg viewBox="0 0 100 100" className="size-full" fill="none" strokeWidth="6">
        <circle cx="50" cy="50" r="45" className="stroke-chart-left" />
        {secondsLeft > 0 && (
          <circle
            cx="50"
            cy="50"
            r="45"
            className="stroke-chart-paid"
            pathLength={seconds}
            strokeDasharray={`${secondsLeft} ${seconds}`}
            transform="rotate(-90 50 50)"
          />
        )}
      </svg>
      <b className="absolute inset-0 grid place-items-center text-figure-xl leading-none font-[650] tracking-[-0.03em] tabular-nums">
        {secondsLeft}
      </b>
    </div>
  )
}
