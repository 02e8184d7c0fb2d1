import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { type UseQueryResult } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, type ComponentType } from 'react'
import type { Loan } from '#contract/loans.ts'
import { Loaded, UpdateFailure } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { usePageTitle } from '#web/app/page-title.ts'
import { getLoanTabPath, loanTabs, paths, type LoanTab } from '#web/app/paths.ts'
import type { AutopayCardProps, RateResetsProps } from '#web/loan/autopay.ts'
import { loansQuery } from '#web/loan/loan-queries.ts'
import { Card } from '#web/ui/card.tsx'
import { Later } from '#web/ui/later.tsx'
import { createLazyPart } from '#web/ui/lazy-part.tsx'
import { LinkTabs } from '#web/ui/links.tsx'
import { LoanSelector } from './loan-selector.tsx'
import { CardSkeleton, LoanSkeleton, TallSkeleton } from './loan-skeleton.tsx'
import { useShownLoan } from './shown-loan.ts'
import { ClosedLoan, SummaryCard } from './summary-card.tsx'

/** Few people have no loan, few loans are checked or have a moratorium. */
const NoFigures = createLazyPart(async () => (await import('./no-figures.tsx')).NoFigures)
const EmiStart = createLazyPart(async () => (await import('./emi-start.tsx')).EmiStart)

/** Parts of the page that the routes hand in, because features do not import each other. */
export type LoanParts = {
  RateResets: ComponentType<RateResetsProps>
  RenewMandate: RateResetsProps['RenewMandate']
  NextPayment: ComponentType<{ loan: Loan }>
  PendingNotice: ComponentType<{ loan: Loan }>
  PaymentsTab: ComponentType<{ loan: Loan; AutopayCard: ComponentType<AutopayCardProps> }>
  AutopayCard: ComponentType<AutopayCardProps>
  TrancheCard: ComponentType<{ loan: Loan }>
  DocumentsTab: ComponentType<{ loan: Loan }>
}

/** The borrower's loans (spec §2 'Loan page'). */
export function LoanPage({ tab, ...parts }: LoanParts & { tab: LoanTab }) {
  const { PendingNotice, PaymentsTab, AutopayCard, DocumentsTab } = parts
  const { t } = useLingui()
  const navigate = useNavigate()
  const loans = useLoad(loansQuery)
  const [loan, choose] = useShownLoan(loans.data ?? [])
  usePageTitle(t`Your loans`)

  useFocusOnTab(tab)

  const select = (lan: string): void => {
    choose(lan)
    // Also without `?loan=`, so that a notice of the loan that was left can lead back to it.
    void navigate({ to: paths.activeLoans, replace: tab === 'loan-details' })
  }

  return (
    <>
      <div className="mb-2 lg:flex lg:items-center lg:justify-between lg:gap-6">
        <h1>{t`Your loans`}</h1>
        {(loan || loans.isPending) && (
          <div className="mt-2 min-h-15.5 lg:mt-0">{loan && <LoanSelector loans={loans.data ?? []} shown={loan} onSelect={select} />}</div>
        )}
      </div>
      {(loan || loans.isPending) && <Tabs current={tab} />}
      <UpdateFailure query={loans} />
      {loan ? (
        // Dialogs, choices and countdowns belong to one loan.
        <div key={loan.lan}>
          {loan.loan_status === 'UNKNOWN' && (
            <Suspense>
              {tab === 'loan-details' && <PendingNotice loan={loan} />}
              <NoFigures isChecked />
            </Suspense>
          )}
          {tab === 'loan-details' && <LoanDetails loan={loan} {...parts} />}
          {tab === 'payments' && (
            <>
              {loan.loan_status === 'CLOSED' && (
                <Card label={t`Closed loan`} className="mb-4 md:mb-5">
                  <ClosedLoan loan={loan} />
                </Card>
              )}
              <Suspense fallback={<TallSkeleton />}>
                <PaymentsTab loan={loan} AutopayCard={AutopayCard} />
              </Suspense>
            </>
          )}
          {tab === 'documents' && (
            // The footer stays below the screen, where the skeleton left it.
            <div className="min-h-[calc(100dvh-17rem)]">
              <Suspense fallback={<TallSkeleton />}>
                <PendingNotice loan={loan} />
                <DocumentsTab loan={loan} />
              </Suspense>
            </div>
          )}
        </div>
      ) : (
        <NoLoan loans={loans} tab={tab} />
      )}
    </>
  )
}

/** The loan's summary and disbursals; of a floating loan its new rates come first. */
function LoanDetails({ loan, RateResets, RenewMandate, NextPayment, TrancheCard }: LoanParts & { loan: Loan }) {
  const details = (
    <div className="space-y-4 md:space-y-5">
      {loan.loan_status !== 'UNKNOWN' && <SummaryCard loan={loan} NextPayment={NextPayment} />}
      {loan.emi_start && (
        <Suspense fallback={<CardSkeleton />}>
          <EmiStart start={loan.emi_start} />
        </Suspense>
      )}
      <Later loading={<CardSkeleton />}>
        <TrancheCard loan={loan} />
      </Later>
    </div>
  )
  if (loan.rate_type !== 'floating' || loan.loan_status === 'CLOSED') return details
  const skeleton = <LoanSkeleton tab="loan-details" />
  return (
    <Suspense fallback={skeleton}>
      <RateResets loan={loan} RenewMandate={RenewMandate} loading={skeleton}>
        {details}
      </RateResets>
    </Suspense>
  )
}

/** A link that leads to another tab is gone after that: the tab's link takes the focus. */
function useFocusOnTab(tab: LoanTab): void {
  const before = useRef(tab)
  useEffect(() => {
    if (before.current === tab) return
    before.current = tab
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('main nav [aria-current]')?.focus()
  }, [tab])
}

const tabText: Record<LoanTab, MessageDescriptor> = {
  'loan-details': msg`Loan details`,
  payments: msg`Payments`,
  documents: msg`Documents`,
}

function Tabs({ current }: { current: LoanTab }) {
  const { t, i18n } = useLingui()
  const tabs = loanTabs.map((tab) => ({ to: getLoanTabPath(tab), label: i18n._(tabText[tab]), current: tab === current }))
  return <LinkTabs label={t`Loan sections`} tabs={tabs} />
}

/** Shown without a loan: loading, failed, or no loans. */
function NoLoan({ loans, tab }: { loans: UseQueryResult<Loan[]>; tab: LoanTab }) {
  const { t } = useLingui()
  return (
    <Loaded
      query={loans}
      failed={t`Failed to load loans`}
      loading={<LoanSkeleton tab={tab} />}
      isEmpty={(list) => list.length === 0}
      empty={
        <Suspense>
          <NoFigures />
        </Suspense>
      }
    >
      {() => null}
    </Loaded>
  )
}
