import { useLingui } from '@lingui/react/macro'
import { queryOptions } from '@tanstack/react-query'
import { readOngoingApplication } from '#contract/applications.ts'
import { call } from '#web/api/call.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { usePageTitle } from '#web/app/page-title.ts'
import { paths } from '#web/app/paths.ts'
import { EmptyState, Card } from '#web/ui/card.tsx'
import { ButtonLink } from '#web/ui/links.tsx'
import { LoadingText, Skeleton } from '#web/ui/skeleton.tsx'
import { ApplicationProgress, AwaitedFromBorrower } from './application-progress.tsx'

/** The ongoing application: its stages, and what the lender waits for (decision 13). */
export function ApplicationPage() {
  const { t } = useLingui()
  usePageTitle(t`Ongoing application`)
  return (
    <>
      <h1 className="mb-5">{t`Ongoing application`}</h1>
      <ApplicationArea />
    </>
  )
}

function ApplicationArea() {
  const { t } = useLingui()
  return (
    <Loaded
      query={useLoad(applicationQuery)}
      failed={t`Failed to load your application`}
      loading={
        <Card label={t`Loading your application...`}>
          <LoadingText>{t`Loading your application...`}</LoadingText>
          <Skeleton className="h-64" />
        </Card>
      }
      isEmpty={(application) => application === null}
      empty={
        <EmptyState title={t`No application in progress`} action={<ContactToApply />}>
          {t`When you apply for a loan, you can follow it here.`}
        </EmptyState>
      }
    >
      {(application) =>
        application && (
          <>
            <p className="-mt-3 mb-5 max-w-[60ch]">
              {t`Your lender is working on your application; you can follow each step here. Once the loan is sanctioned, it appears under Active loans.`}
            </p>
            <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-2">
              <AwaitedFromBorrower application={application} />
              <ApplicationProgress application={application} />
            </div>
          </>
        )
      }
    </Loaded>
  )
}

function ContactToApply() {
  const { t } = useLingui()
  return (
    <>
      <p className="mb-3 text-sm">{t`To apply for a loan, contact us.`}</p>
      <ButtonLink to={paths.customerSupport}>{t`Contact support`}</ButtonLink>
    </>
  )
}

const applicationQuery = queryOptions({
  queryKey: ['application'],
  queryFn: async ({ signal }) => (await call(readOngoingApplication, {}, { signal })).application,
})
