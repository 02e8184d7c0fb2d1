import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { PaymentLink, TrailStep } from '#contract/payments.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import type { ListedStep } from '#web/loan/autopay.ts'
import { InstantText } from '#web/loan/days.tsx'
import { formatMoney, formatCode } from '#web/ui/format.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Trail } from '#web/ui/trail.tsx'
import { PaymentParts } from '../payment-parts.tsx'
import { trailQuery } from '../payment-queries.ts'
import { findAwaitedStep, type AwaitedStep, isInProgress } from './trail-items.ts'

/** The steps of a payment; loaded when it is first shown. */
export function PaymentTrail({ loan, link, label }: { loan: Loan; link: PaymentLink; label: string }) {
  const { t } = useLingui()
  return (
    <Loaded query={useLoad(trailQuery(loan, link))} failed={t`Failed to load what happened`} loading={<Skeleton className="h-48" />}>
      {({ steps, payment_link }) => <TrailSteps link={payment_link} steps={steps} label={label} />}
    </Loaded>
  )
}

/** The steps of a payment whose trail is loaded. */
export function TrailSteps({ link, steps, label }: { link: PaymentLink; steps: readonly TrailStep[]; label: string }) {
  const { i18n } = useLingui()
  const awaited = findAwaitedStep(link, steps)
  return <StepList label={label} steps={steps} next={awaited && i18n._(awaitedText[awaited])} />
}

type StepListProps = {
  label: string
  steps: readonly ListedStep[]
  /** What is expected next; nothing if everything has happened. */
  next?: ReactNode
}

/** The steps of money, among others that are in words already. */
export function StepList({ label, steps, next }: StepListProps) {
  const ofMoney = steps.filter((step) => 'step' in step)
  const shown = steps.map((step) => {
    if (!('step' in step)) return step
    const isCurrent = isInProgress(step, ofMoney)
    const state = isCurrent ? ('now' as const) : ('done' as const)
    return { state, title: <StepTitle step={step} now={isCurrent} />, detail: <StepDetail step={step} /> }
  })
  return <Trail label={label} steps={next ? [...shown, { state: 'now' as const, title: next }] : shown} />
}

const awaitedText: Record<AwaitedStep, MessageDescriptor> = {
  payment: msg`Waiting for your payment`,
  posting: msg`Being applied to your loan`,
}

function StepTitle({ step: { step, amount: value, method, receipt_number: number, allocation }, now }: { step: TrailStep; now: boolean }) {
  const { t, i18n } = useLingui()
  const amount = value === undefined ? '' : formatMoney(value)
  const name = method === undefined ? undefined : getMethodText(i18n, method)
  const titles: Record<TrailStep['step'], string> = {
    asked: t`You started a payment of ${amount}`,
    link_ready: t`Payment link ready`,
    paid: name === undefined ? t`${amount} paid` : t`${amount} paid by ${name}`,
    received: t`Confirmed by the payment provider`,
    applied: allocation?.every(({ component }) => component === 'refund')
      ? t`Nothing was due, so this payment is being refunded`
      : t`Applied to your loan`,
    receipt: t`Receipt ${number}`,
    foreclosure_short: t`This did not close your loan: it was ${amount} short. It settled what was due, and the rest repaid principal.`,
    late_charge_waived: t`Late charge of ${amount} waived, because you started this payment in time`,
    reallocated: t`Applied again after an earlier entry was recorded`,
    reversed: t`Payment reversed`,
    expired: t`Payment link expired`,
    cancelled: t`Payment link cancelled`,
    in_review: t`We are looking into this payment`,
    refund_asked: now ? t`Refund of ${amount} is on its way` : t`Refund of ${amount} started`,
    refunded: t`${amount} refunded`,
    refund_failed: t`The refund of ${amount} could not be sent yet; we are looking into it`,
  }
  return titles[step]
}

function StepDetail({ step: { at, bank_reference: reference, allocation } }: { step: TrailStep }) {
  const { t } = useLingui()
  return (
    <>
      <InstantText instant={at} />
      {reference && <span className="block">{t`Bank reference ${reference}`}</span>}
      {allocation && <PaymentParts parts={allocation} label={t`Where the money went`} />}
    </>
  )
}

/** The provider's payment methods, as words within a sentence. */
const methods: Record<string, MessageDescriptor> = {
  upi: msg`UPI`,
  card: msg`card`,
  netbanking: msg`netbanking`,
  wallet: msg`wallet`,
  emi: msg`EMI on a card`,
  cardless_emi: msg`Cardless EMI`,
  paylater: msg`pay later`,
  bank_transfer: msg`bank transfer`,
  emandate: msg`bank mandate`,
  nach: msg`bank mandate`,
}

/** The payment method in words; an unknown method is shown as its code in words. */
function getMethodText(i18n: I18n, method: string): string {
  const known = methods[method]
  return known === undefined ? formatCode(method) : i18n._(known)
}
