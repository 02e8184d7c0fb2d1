import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { OngoingPayment, Quote } from '#contract/payments.ts'
import { dayInIndia } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { Money, SumTable } from '#web/loan/money.tsx'
import { purposeText } from '#web/loan/purpose-text.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Disclosure, LazyDisclosure } from '#web/ui/disclosure.tsx'
import { formatInstant, formatMoney, formatTime } from '#web/ui/format.ts'
import { Icon } from '#web/ui/icon.tsx'
import { Reference } from '#web/ui/reference.tsx'
import { PaymentTrail } from '../history/payment-trail.tsx'
import { lineText, PayableUntil } from '../payment-parts.tsx'
import { isBeingApplied } from '../payments-controller.ts'
import { sumQuote } from '../quote-sums.ts'
import { findLinkObstacle, type Payments } from '../use-payments.ts'
import { CancelPaymentDialog } from './cancel-payment-dialog.tsx'
import { PendingAdvice, PendingBadge } from './pending-status.tsx'

/** The open payment link, which blocks new payments: resume or cancel it. At the top of the tab. */
export function PendingPayment({ loan, link, payments }: { loan: Loan; link: OngoingPayment; payments: Payments }) {
  const { t, i18n } = useLingui()
  const [isAsking, setIsAsking] = useState(false)
  const isApplying = isBeingApplied(link)
  const purpose = i18n._(purposeText[link.purpose])
  return (
    <Card labelledBy="pending-payment" className="border-caution!">
      <CardHead id="pending-payment" title={t`A payment is pending`} subtitle={<Since loan={loan} link={link} />}>
        <PendingBadge link={link} />
      </CardHead>
      <div className="flex flex-col gap-4 md:flex-row md:items-center md:justify-between">
        <div className="min-w-0">
          <p className="text-sm text-muted">{purpose}</p>
          <p>
            <Money amount={link.amount} size="md" />
          </p>
          <Reference label={t`Payment reference`} text={link.payment_link_id} />
        </div>
        <Actions link={link} isApplying={isApplying} payments={payments} onCancel={() => setIsAsking(true)} />
      </div>
      <p className="mt-3 flex items-start gap-1.5 text-xs text-muted">
        <Icon name="info" size={16} className="mt-0.5 flex-none" />
        <PendingAdvice link={link} />
      </p>
      {link.quote && <QuoteCovers quote={link.quote} total={link.amount} title={purpose} />}
      <LazyDisclosure summary={t`Progress of this payment`} subject={purpose}>
        {() => <PaymentTrail loan={loan} link={link} label={`${t`Progress of this payment`} ${purpose}`} />}
      </LazyDisclosure>
      <CancelPaymentDialog open={isAsking && !isApplying} link={link} cancel={payments.cancel} onClose={() => setIsAsking(false)} />
    </Card>
  )
}

type ActionsProps = { link: OngoingPayment; isApplying: boolean; payments: Payments; onCancel: () => void }

function Actions({ link, isApplying, payments, onCancel }: ActionsProps) {
  const { t, i18n } = useLingui()
  const permission = usePermission('payment_link:update')
  const obstacle = findLinkObstacle(link)
  const reason = obstacle && i18n._(obstacle)
  return (
    <div className="flex flex-col-reverse gap-3 md:flex-row md:flex-wrap md:justify-end">
      <ActionButton
        variant="danger"
        permission={permission}
        disabledReason={isApplying ? reason : null}
        showReason={!isApplying}
        className="max-md:w-full"
        onClick={onCancel}
      >
        {t`Cancel payment`}
      </ActionButton>
      <ActionButton
        permission={permission}
        disabledReason={reason}
        showReason={!isApplying}
        iconAfter="arrowRight"
        className="max-md:w-full"
        onClick={() => payments.resume(link)}
      >
        {t`Resume payment`}
      </ActionButton>
    </div>
  )
}

/** When the link was created, and until when it can be paid. */
function Since({ loan, link }: { loan: Loan; link: OngoingPayment }) {
  const { t } = useLingui()
  const language = useLanguage()
  const time = formatTime(link.created_at, language)
  const moment = formatInstant(link.created_at, language)
  const started = dayInIndia(link.created_at) === loan.as_of ? t`Started today, ${time}.` : t`Started ${moment}.`
  if (isBeingApplied(link)) return started
  return (
    <>
      {started} <PayableUntil loan={loan} link={link} />
    </>
  )
}

/** The parts of the amount as a checkable addition. */
function QuoteCovers({ quote, total, title }: { quote: Quote; total: Paise; title: string }) {
  const { t, i18n } = useLingui()
  const sums = sumQuote(quote.parts)
  const amount = formatMoney(total)
  return (
    <Disclosure summary={t`What ${amount} covers`}>
      <div className="max-w-md">
        <SumTable
          caption={title}
          lines={sums.map((sum) => ({ label: i18n._(lineText[sum.line]), amount: sum.amount }))}
          total={{ label: title, amount: total }}
        />
      </div>
    </Disclosure>
  )
}
