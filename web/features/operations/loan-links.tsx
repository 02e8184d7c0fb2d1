import { useLingui } from '@lingui/react/macro'
import { Suspense } from 'react'
import { operationsLinksMax } from '#contract/operations.ts'
import { InstantText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { pastPurposeText } from '#web/loan/purpose-text.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Card } from '#web/ui/card.tsx'
import { LazyDisclosure } from '#web/ui/disclosure.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import type { LoanParts } from './loan-page.tsx'
import type { LoanRecord } from './operations-queries.ts'
import { linkStatusText } from './payment-texts.ts'

type LoanLinksProps = { links: LoanRecord['links']; TrailSteps: LoanParts['TrailSteps'] }

/** The payment links, the newest first, each with its trail as the borrower reads it. */
export function LoanLinks({ links, TrailSteps }: LoanLinksProps) {
  const { t, i18n } = useLingui()
  return (
    <Card labelledBy="links">
      <h2 id="links">{t`Payment links`}</h2>
      <p className="mb-3 text-sm text-muted">{t`What happened is shown in the words that the borrower reads.`}</p>
      {links.length === operationsLinksMax && <p className="mb-3 text-sm text-muted">{t`The latest ${operationsLinksMax}`}</p>}
      {links.length === 0 && <p className="border-t border-rule pt-4 text-muted">{t`No payment links have been created for this loan.`}</p>}
      <ol className="border-t border-rule empty:hidden">
        {links.map(({ payment_link: link, is_open: isOpen, steps }) => (
          <li key={link.payment_link_id} className="border-b border-line py-2 last:border-b-0">
            <div className="flex flex-wrap items-center justify-between gap-x-3">
              <span className="text-sm">
                <Money amount={link.amount} className="font-semibold" />, {i18n._(pastPurposeText[link.purpose])}
              </span>
              <span className="flex items-center gap-2 text-sm text-muted">
                {isOpen && <Badge tone="caution">{t`Open`}</Badge>}
                {i18n._(linkStatusText[link.status])} · <InstantText instant={link.created_at} />
              </span>
            </div>
            <LazyDisclosure summary={t`What happened`} subject={link.payment_link_id}>
              {() => (
                <Suspense fallback={<Skeleton className="h-24" />}>
                  <TrailSteps link={link} steps={steps} label={t`What happened`} />
                </Suspense>
              )}
            </LazyDisclosure>
          </li>
        ))}
      </ol>
    </Card>
  )
}
