import { useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import type { PaymentLink } from '#contract/payments.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { DayText, InstantText } from '#web/ui/dates.tsx'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { FailurePanel } from '#web/ui/failure-panel.tsx'
import { indiaDay } from '#web/ui/format.ts'
import { Leaf, LeafHead } from '#web/ui/leaf.tsx'
import { Money } from '#web/ui/money.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { useNarrow } from '#web/ui/use-narrow.ts'
import { pastPurposeText } from './purpose-text.ts'
import { Trail, type TrailStep } from '#web/ui/trail.tsx'

/** What was paid through this portal, newest first. Stands by itself: it stays when everything above it failed to load. */
export function CompletedPayments({ completed }: { completed: UseQueryResult<PaymentLink[]> }) {
  const { t } = useLingui()
  if (completed.isError && completed.data === undefined) {
    return (
      <FailurePanel
        error={completed.error}
        title={t`Failed to load completed payments`}
        onRetry={() => void completed.refetch()}
        isRetrying={completed.isFetching}
      />
    )
  }
  return (
    <Leaf labelledBy="completed-payments">
      <LeafHead id="completed-payments" title={t`Completed payments`} />
      {completed.data === undefined && <Skeleton className="h-32" />}
      {completed.data?.length === 0 && <p className="border-t border-rule pt-4 text-muted">{t`No data found`}</p>}
      {completed.data && completed.data.length > 0 && <PaymentList links={completed.data} />}
    </Leaf>
  )
}

/** How many payments a phone shows before it is asked for all. */
const phonePayments = 3

function PaymentList({ links }: { links: readonly PaymentLink[] }) {
  const { t } = useLingui()
  const narrow = useNarrow()
  const [showAll, setShowAll] = useState(false)
  const total = links.length
  const shown = narrow && !showAll ? links.slice(0, phonePayments) : links
  return (
    <>
      <div
        role="region"
        aria-label={t`List of completed payments`}
        tabIndex={0}
        className="border-t border-rule md:max-h-[400px] md:overflow-auto print:max-h-none print:overflow-visible"
      >
        <ul>
          {shown.map((link) => (
            <CompletedPayment key={link.payment_link_id} link={link} />
          ))}
        </ul>
      </div>
      {shown.length < total && (
        <Button variant="secondary" block className="mt-4" onClick={() => setShowAll(true)}>
          {t`Show all ${total} payments`}
        </Button>
      )}
    </>
  )
}

function CompletedPayment({ link }: { link: PaymentLink }) {
  const { t, i18n } = useLingui()
  return (
    <li className="border-t border-line py-4 first:border-t-0 last:pb-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <Money amount={link.amount} size="sm" />
          <p className="text-sm text-muted">
            {i18n._(pastPurposeText[link.purpose])} · <DayText day={indiaDay(link.paid_at ?? link.created_at)} />
          </p>
        </div>
        {link.status === 'partially_paid' ? <Badge tone="caution">{t`Partly paid`}</Badge> : <Badge tone="positive">{t`Paid`}</Badge>}
      </div>
      <div className="print:hidden">
        <Disclosure summary={t`What happened`}>
          <WhatHappened link={link} />
        </Disclosure>
      </div>
    </li>
  )
}

function WhatHappened({ link }: { link: PaymentLink }) {
  const { t } = useLingui()
  const method = link.method === null ? null : (methodNames[link.method] ?? link.method)
  const reference = link.bank_reference
  const steps: TrailStep[] = [
    { state: 'done', title: t`Payment link created`, detail: <InstantText instant={link.created_at} /> },
    {
      state: 'done',
      title: method === null ? t`Paid` : t`Paid by ${method}`,
      detail: (
        <>
          {link.paid_at && <InstantText instant={link.paid_at} />}
          {reference && <span className="block">{t`Bank reference ${reference}`}</span>}
        </>
      ),
    },
    link.rps_updated ? { state: 'done', title: t`Loan balance updated` } : { state: 'now', title: t`Updating your loan balance` },
  ]
  return (
    <>
      <Trail label={t`What happened`} steps={steps} />
      <p className="mt-2 text-xs break-all text-muted">{link.payment_link_id}</p>
    </>
  )
}

/** The provider's names for how money came; names everyone knows stay as they are in both languages. */
const methodNames: Record<string, string> = { upi: 'UPI', card: 'card', netbanking: 'netbanking', wallet: 'wallet', emi: 'EMI' }
