import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { usePageTitle } from '#web/page-title.ts'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { FailurePanel } from '#web/ui/failure-panel.tsx'
import { Leaf } from '#web/ui/leaf.tsx'
import { LoadingText, Skeleton } from '#web/ui/skeleton.tsx'
import { applicationQuery } from './application-queries.ts'
import { ApplicationProgress } from './application-progress.tsx'
import { AwaitedFromBorrower } from './awaited-from-borrower.tsx'

/** The application that is still being decided: its stages, and what the lender waits for (decision 13). */
export function ApplicationPage() {
  const { t } = useLingui()
  usePageTitle(t`Ongoing application`)
  return (
    <>
      <h1>{t`Ongoing application`}</h1>
      <p className="mt-2 mb-5 max-w-[60ch]">
        {t`Your lender is working on your application and will tell you by SMS when a decision is made. Once the loan is sanctioned, it appears under Active loans.`}
      </p>
      <ApplicationArea />
    </>
  )
}

function ApplicationArea() {
  const { t } = useLingui()
  const query = useQuery(applicationQuery)
  if (query.data) {
    return (
      <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-2">
        <AwaitedFromBorrower application={query.data} />
        <ApplicationProgress application={query.data} />
      </div>
    )
  }
  if (query.isError) {
    return (
      <FailurePanel
        error={query.error}
        title={t`Failed to load your application`}
        onRetry={() => void query.refetch()}
        isRetrying={query.isFetching}
      />
    )
  }
  if (query.isPending) {
    return (
      <Leaf label={t`Loading your application...`}>
        <LoadingText>{t`Loading your application...`}</LoadingText>
        <Skeleton className="h-64" />
      </Leaf>
    )
  }
  return <EmptyState title={t`No application is on its way`}>{t`When you apply for a loan, you can follow it here.`}</EmptyState>
}
