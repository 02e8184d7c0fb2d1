import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import type { ListedUser } from '#contract/staff.ts'
import { getOperationsLoanPath } from '#web/app/paths.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import type { PermissionAnswer } from '#web/ui/action-state.ts'
import { type Column, DataTable, type RowDetail, useIsNarrow } from '#web/ui/data-table.tsx'
import { formatPhone } from '#web/ui/format.ts'
import { ButtonLink } from '#web/ui/links.tsx'
import { Pagination } from '#web/ui/pagination.tsx'
import { getPlaceId, restorePosition } from './list-position.ts'
import { LateBadge, LoanLine } from './loan-line.tsx'
import { type ListQuery, buildPageQuery } from '#web/ui/list-search.ts'
import type { UsersPageProps } from './users-page.tsx'
import { getName, pageSize, type UsersFoundOnPage } from './users.ts'

type UsersFoundProps = {
  found: UsersFoundOnPage
  query: ListQuery
  mayAssume: PermissionAnswer
  onAssume: (borrower: ListedUser) => void
  onPage: UsersPageProps['onPage']
  /** Whether a borrower's loan can be opened without acting. */
  mayOpen: boolean
}

/** One page of borrowers. */
export function UsersFound({ found, query, mayAssume, mayOpen, onAssume, onPage }: UsersFoundProps) {
  const { t } = useLingui()
  const columns = useUserColumns({ mayAssume, mayOpen, onAssume })
  const detail = useUserDetail({ mayAssume, mayOpen, onAssume })
  const { users } = found
  useEffect(restorePosition, [users])
  if (users.length === 0) return <NobodyFound search={query.search} />
  return (
    // A row has two lines: the values are on the first, the button beside both.
    <div className="[&_td]:align-top [&_td:last-child]:align-middle">
      <DataTable
        label={t`Borrowers`}
        columns={columns}
        rows={users}
        rowKey={(user) => user.user_id}
        {...(detail && { detail })}
        empty={null}
      />
      <Pagination
        currentPage={query.page ?? 1}
        totalPages={found.total_pages}
        itemsPerPage={pageSize}
        shown={users.length}
        totalItems={found.total_items}
        onPage={(next) => onPage(buildPageQuery(query, next), false)}
      />
    </div>
  )
}

function NobodyFound({ search }: { search: string | undefined }) {
  const { t } = useLingui()
  return (
    <div className="border-t border-rule pt-6 pb-4 text-center">
      <h2>{t`No data found`}</h2>
      <p className="mt-1 wrap-anywhere text-muted">
        {search
          ? t`No borrower matches “${search}”. Try a part of the name, or the last digits of the phone.`
          : t`There are no borrowers yet.`}
      </p>
    </div>
  )
}

/** The rest of a row on phones, opened under its two lines; null where the table has it all. */
function useUserDetail(props: UserButtonsProps): RowDetail<ListedUser> | null {
  const { t } = useLingui()
  if (!useIsNarrow()) return null
  return { summary: t`More about`, rowName: getName, content: (user) => <UserButtons {...props} user={user} /> }
}

type UserButtonsProps = Pick<UsersFoundProps, 'mayAssume' | 'mayOpen' | 'onAssume'>

/** Opens a borrower's loan, or acts as the borrower. */
function UserButtons({ user, mayAssume, mayOpen, onAssume }: UserButtonsProps & { user: ListedUser }) {
  const { t } = useLingui()
  const isNarrow = useIsNarrow()
  const size = isNarrow ? 'md' : 'sm'
  return (
    // The reason is above the list; the button repeats it for screen readers.
    <span className="flex flex-wrap gap-2 whitespace-nowrap md:flex-nowrap md:justify-end md:max-[80rem]:flex-wrap md:max-[80rem]:whitespace-normal">
      {mayOpen && user.worst_loan && (
        <ButtonLink to={getOperationsLoanPath(user.worst_loan.lan)} variant="secondary" size={size}>
          {t`Open loan`}
          <span className="sr-only"> {getName(user)}</span>
        </ButtonLink>
      )}
      <ActionButton
        {...(!isNarrow && { id: getPlaceId(user.user_id) })}
        variant="secondary"
        size={size}
        permission={mayAssume}
        showReason={false}
        onClick={() => onAssume(user)}
      >
        {t`Assume`}
        <span className="sr-only"> {getName(user)}</span>
      </ActionButton>
    </span>
  )
}

/** So that the buttons are within the table from 768 px on. */
const compact = 'md:max-[80rem]:text-xs'

function useUserColumns(props: UserButtonsProps): Column<ListedUser>[] {
  const { t } = useLingui()
  const isNarrow = useIsNarrow()
  const none = <span className="text-muted">{t`Not provided`}</span>
  return [
    {
      key: 'first',
      header: t`First Name`,
      phone: 'title',
      strong: true,
      cell: (user) => (
        <>
          {isNarrow ? (
            <span id={getPlaceId(user.user_id)} tabIndex={-1}>
              {user.metadata.first_name || none}
            </span>
          ) : (
            user.metadata.first_name || none
          )}
          {/* The second line needs no width of this column: it continues below the next ones. */}
          {!isNarrow && <LoanLine user={user} className="mt-0.5 w-0" />}
        </>
      ),
    },
    { key: 'last', header: t`Last Name`, phone: 'title', cell: (user) => user.metadata.last_name || none },
    {
      key: 'email',
      header: t`Email`,
      cell: (user) =>
        user.email ? (
          <span title={user.email} className={`block wrap-anywhere md:max-w-32 md:truncate lg:max-w-24 min-[80rem]:max-w-60 ${compact}`}>
            {user.email}
          </span>
        ) : (
          none
        ),
    },
    {
      key: 'phone',
      header: t`Phone`,
      cell: (user) => (user.phone ? <span className={`whitespace-nowrap ${compact}`}>{formatPhone(user.phone)}</span> : none),
    },
    { key: 'pan', header: t`PAN`, cell: (user) => (user.pan ? <span className={compact}>{user.pan}</span> : none) },
    ...(isNarrow
      ? [
          { key: 'late', header: t`Loan`, phone: 'aside' as const, cell: (user: ListedUser) => <LateBadge user={user} /> },
          { key: 'loan', header: t`Loan`, phone: 'figure' as const, cell: (user: ListedUser) => <LoanLine user={user} /> },
        ]
      : []),
    {
      key: 'actions',
      header: t`Actions`,
      align: 'end',
      phone: 'hidden',
      cell: (user) => <UserButtons {...props} user={user} />,
    },
  ]
}
