import { useLingui } from '@lingui/react/macro'
import { Suspense, useState, type ComponentType } from 'react'
import type { User } from '#contract/auth.ts'
import type { PaymentLink, TrailStep } from '#contract/payments.ts'
import type { OperationKind } from '#domain/operations.ts'
import { UpdateFailure } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { usePageTitle } from '#web/app/page-title.ts'
import { paths } from '#web/app/paths.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Card } from '#web/ui/card.tsx'
import { formatPhone } from '#web/ui/format.ts'
import { TextLink } from '#web/ui/links.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { LoadedRecord } from './loaded-record.tsx'
import { LoanActions } from './loan-actions.tsx'
import { LoanFacts } from './loan-facts.tsx'
import { LoanLedger } from './loan-ledger.tsx'
import { LoanLinks } from './loan-links.tsx'
import { LoanSummary } from './loan-summary.tsx'
import { type LoanRecord, loanRecordQuery } from './operations-queries.ts'
import { ProposalTable } from './proposal-table.tsx'
import { useSearchKey } from './use-search-key.ts'

/** Components of other features, which the routes pass in. */
export type LoanParts = {
  AssumeDialog: ComponentType<{ borrower: User }>
  TrailSteps: ComponentType<{ link: PaymentLink; steps: readonly TrailStep[]; label: string }>
  StaffAccessList: ComponentType<{ list: LoanRecord['staff_actions'] }>
}

type LoanPageProps = LoanParts & {
  lan: string
  /** The dialog to open with. */
  task: OperationKind | undefined
}

/** One loan for staff: what its borrower sees, its record, and what can be proposed. */
export function LoanPage({ lan, task, ...parts }: LoanPageProps) {
  const { t } = useLingui()
  const record = useLoad(loanRecordQuery(lan))
  usePageTitle(t`Loan ${lan}`)
  useSearchKey()
  return (
    <>
      <UpdateFailure query={record} />
      <LoadedRecord query={record}>{(loaded) => <LoanView record={loaded} task={task} {...parts} />}</LoadedRecord>
    </>
  )
}

function LoanView({
  record,
  task,
  AssumeDialog,
  TrailSteps,
  StaffAccessList,
}: LoanParts & { record: LoanRecord; task: OperationKind | undefined }) {
  const { t } = useLingui()
  return (
    <>
      <LoanHead record={record} AssumeDialog={AssumeDialog} />
      <div className="space-y-4">
        <LoanSummary record={record} />
        <LoanActions record={record} task={task} />
        <Card labelledBy="proposals">
          <h2 id="proposals" className="mb-2">{t`Proposals`}</h2>
          <ProposalTable
            label={t`Proposals of this loan`}
            proposals={record.proposals}
            empty={t`Nothing has been proposed for this loan yet.`}
            ofOneLoan
          />
        </Card>
        <LoanFacts record={record} />
        <LoanLedger ledger={record.ledger} />
        <LoanLinks links={record.links} TrailSteps={TrailSteps} />
        <Card labelledBy="staff-actions">
          <h2 id="staff-actions">{t`Staff actions`}</h2>
          <p className="mb-3 text-sm text-muted">{t`As the borrower reads them in their profile.`}</p>
          {record.staff_actions.length === 0 ? (
            <p className="border-t border-rule pt-4 text-muted">{t`No staff member has opened this account.`}</p>
          ) : (
            <Suspense fallback={<Skeleton className="h-20" />}>
              <StaffAccessList list={record.staff_actions} />
            </Suspense>
          )}
        </Card>
      </div>
    </>
  )
}

function LoanHead({ record: { borrower, loan }, AssumeDialog }: { record: LoanRecord; AssumeDialog: LoanParts['AssumeDialog'] }) {
  const { t } = useLingui()
  const mayAssume = usePermission('user:assume')
  // Each opening mounts a new dialog.
  const [openCount, setOpenCount] = useState(0)
  const { first_name: first, last_name: last } = borrower.metadata
  return (
    <>
      <p className="mb-2 flex flex-wrap gap-x-4 text-sm">
        <TextLink to={paths.operations}>{t`Operations`}</TextLink>
        <TextLink
          to={paths.operationsLoans}
          search={{ search: borrower.phone ?? `${first} ${last}` }}
        >{t`All loans of this borrower`}</TextLink>
      </p>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <h1 className="wrap-anywhere">
            {first} {last}
          </h1>
          <p className="text-sm wrap-anywhere text-muted tabular-nums">
            {loan.lan} · {loan.title}
            {borrower.phone && (
              <>
                {' '}
                · <span className="whitespace-nowrap">{formatPhone(borrower.phone)}</span>
              </>
            )}
            {borrower.email && <> · {borrower.email}</>}
          </p>
        </div>
        <ActionButton variant="secondary" icon="user" permission={mayAssume} endsRight onClick={() => setOpenCount(openCount + 1)}>
          {t`Act as borrower`}
        </ActionButton>
      </div>
      {openCount > 0 && (
        <Suspense>
          <AssumeDialog key={openCount} borrower={borrower} />
        </Suspense>
      )}
    </>
  )
}
