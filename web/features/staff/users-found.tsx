import { useLingui } from '@lingui/react/macro'
import type { User } from '#contract/auth.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import type { PermissionAnswer } from '#web/ui/action-state.ts'
import { type Column, DataTable } from '#web/ui/data-table.tsx'
import { formatPhone } from '#web/ui/format.ts'
import { Pagination } from '#web/ui/pagination.tsx'
import { type ListQuery, buildPageQuery } from './user-search.ts'
import type { UsersPageProps } from './users-page.tsx'
import { getName, pageSize, type UsersFoundOnPage } from './users.ts'

type UsersFoundProps = {
  found: UsersFoundOnPage
  query: ListQuery
  mayAssume: PermissionAnswer
  onAssume: (borrower: User) => void
  onPage: UsersPageProps['onPage']
}

/** One page of borrowers. */
export function UsersFound({ found, query, mayAssume, onAssume, onPage }: UsersFoundProps) {
  const { t } = useLingui()
  const columns = useUserColumns(mayAssume, onAssume)
  const { users, total_pages: totalPages } = found
  const page = query.page ?? 1
  if (users.length === 0) return <NobodyFound search={query.search} />
  return (
    <>
      <DataTable label={t`Borrowers`} columns={columns} rows={users} rowKey={(user) => user.user_id} empty={null} />
      <Pagination
        currentPage={page}
        totalPages={totalPages}
        itemsPerPage={pageSize}
        shown={users.length}
        totalItems={found.total_items ?? (page >= totalPages ? (page - 1) * pageSize + users.length : totalPages * pageSize)}
        onPage={(next) => onPage(buildPageQuery(query, next), false)}
      />
    </>
  )
}

function NobodyFound({ search }: { search: string | undefined }) {
  const { t } = useLingui()
  return (
    <div className="border-t border-rule pt-6 pb-4 text-center">
      <h2>{t`No data found`}</h2>
      <p className="mt-1 wrap-anywhere text-muted">
        {search ? t`Nobody matches “${search}”. Try a part of the name, or the last digits of the phone.` : t`There are no borrowers yet.`}
      </p>
    </div>
  )
}

function useUserColumns(mayAssume: PermissionAnswer, onAssume: (borrower: User) => void): Column<User>[] {
  const { t } = useLingui()
  const none = <span className="text-muted">{t`Not given`}</span>
  return [
    { key: 'first', header: t`First Name`, phone: 'title', strong: true, cell: (user) => user.metadata.first_name || none },
    { key: 'last', header: t`Last Name`, phone: 'title', cell: (user) => user.metadata.last_name || none },
    {
      key: 'email',
      header: t`Email`,
      cell: (user) => (user.email ? <span className="inline-block wrap-anywhere lg:min-w-44">{user.email}</span> : none),
    },
    {
      key: 'phone',
      header: t`Phone`,
      cell: (user) => (user.phone ? <span className="whitespace-nowrap">{formatPhone(user.phone)}</span> : none),
    },
    { key: 'pan', header: t`PAN`, cell: (user) => user.pan || none },
    {
      key: 'actions',
      header: t`Actions`,
      align: 'end',
      phone: 'aside',
      cell: (user) => (
        // The reason is above the list; the button repeats it for screen readers. The row's own
        // padding leaves space for the button: ten rows of 44 px fit the table's height.
        <span className="inline-block md:-my-2">
          <ActionButton variant="secondary" size="sm" permission={mayAssume} showReason={false} onClick={() => onAssume(user)}>
            {t`Assume`}
            <span className="sr-only"> {getName(user)}</span>
          </ActionButton>
        </span>
      ),
    },
  ]
}
