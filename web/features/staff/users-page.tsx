import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { User } from '#contract/auth.ts'
import { getFailureKind } from '#web/api/api-error.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { usePageTitle } from '#web/app/page-title.ts'
import { paths } from '#web/app/paths.ts'
import { isStaff } from '#web/session/claims.ts'
import { usePermission } from '#web/session/permissions.ts'
import { useSession } from '#web/session/session.ts'
import { Spinner } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Icon } from '#web/ui/icon.tsx'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { ButtonLink } from '#web/ui/links.tsx'
import { PermissionReason } from '#web/ui/permission-reason.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import { LoadingText, Skeleton } from '#web/ui/skeleton.tsx'
import { type ListQuery, useExistingPage, useSearchText, buildPageQuery, buildSearchQuery } from '#web/ui/list-search.ts'
import { UsersFound } from './users-found.tsx'
import { usersQuery } from './users.ts'

const AssumeDialog = createLazyPart(async () => (await import('./assume-dialog.tsx')).AssumeDialog)

export type UsersPageProps = {
  query: ListQuery
  onSearch: (query: ListQuery) => void
  onPage: (query: ListQuery, replace: boolean) => void
}

/** The list of borrowers for staff (spec §2 'Admin user list'). */
export function UsersPage(props: UsersPageProps) {
  const { t } = useLingui()
  const { claims } = useSession()
  const isStaffMember = isStaff(claims)
  usePageTitle(isStaffMember ? t`Borrowers` : t`Access denied`)
  if (!isStaffMember) return <AccessDenied />
  return <UsersList {...props} />
}

/** The search, its results, and the dialog for assuming a borrower. */
function UsersList({ query, onSearch, onPage }: UsersPageProps) {
  const { t } = useLingui()
  const { search = '', page = 1 } = query
  usePreloadWhenIdle(AssumeDialog)
  const mayAssume = usePermission('user:assume')
  const mayOpen = usePermission('operations:read') === 'allowed'
  const searchBox = useSearchText(search, (text) => onSearch(buildSearchQuery(text)))
  const users = useLoad({ ...usersQuery(search, page), placeholderData: keepPreviousData })
  const [dialog, setDialog] = useState<{ borrower: User; openCount: number } | null>(null)
  const openDialog = (borrower: User) => setDialog((last) => ({ borrower, openCount: (last?.openCount ?? 0) + 1 }))

  useExistingPage(page, users, (last) => onPage(buildPageQuery(query, last), true))

  if (getFailureKind(users.error) === 'forbidden' && users.isError) return <AccessDenied />
  const total = users.data?.total_items
  return (
    <>
      <UsersHead />
      <Card label={t`Search and results`}>
        <div className="mb-4 flex flex-col gap-x-4 gap-y-3 md:flex-row md:items-center md:justify-between">
          <div className="min-w-0 md:w-[26rem]">
            <SearchField
              id="search"
              label={t`Search by name, email, phone, or PAN`}
              value={searchBox.text}
              onChange={searchBox.setText}
              onSubmit={searchBox.commit}
              maxLength={100}
            />
          </div>
          <p role="status" className="flex flex-none items-center gap-2 text-sm tabular-nums text-muted">
            {users.isPlaceholderData && <Spinner />}
            {total !== undefined && !users.isPlaceholderData && t`${plural(total, { one: '# borrower', other: '# borrowers' })}`}
          </p>
        </div>
        {mayAssume === 'denied' && (
          <p className="mb-4 flex items-start gap-2 text-sm text-muted">
            <Icon name="lock" size={18} className="mt-0.5 flex-none" />
            {t`You can view this list, but not sign in as a borrower.`}
          </p>
        )}
        {mayAssume === 'unknown' && <PermissionReason permission="unknown" className="mb-4" />}
        <Loaded query={users} failed={t`Failed to load borrowers`} failure="note" loading={<ListSkeleton />}>
          {(found) => (
            <UsersFound found={found} query={query} mayAssume={mayAssume} mayOpen={mayOpen} onAssume={openDialog} onPage={onPage} />
          )}
        </Loaded>
      </Card>
      {dialog && (
        <Suspense>
          <AssumeDialog key={dialog.openCount} borrower={dialog.borrower} />
        </Suspense>
      )}
    </>
  )
}

function UsersHead() {
  const { t } = useLingui()
  return (
    <>
      <h1>{t`Borrowers`}</h1>
      <p className="mb-5 text-muted">{t`Find a borrower to see exactly what they see.`}</p>
    </>
  )
}

/** The page while its code is loading: without the field, which nobody could use yet. */
export function UsersSkeleton() {
  const { t } = useLingui()
  return (
    <>
      <UsersHead />
      <Card label={t`Search and results`}>
        <Skeleton className="mb-4 h-18 md:h-11 md:w-[26rem]" />
        <ListSkeleton />
      </Card>
    </>
  )
}

function ListSkeleton() {
  const { t } = useLingui()
  return (
    <>
      <LoadingText>{t`Loading borrowers...`}</LoadingText>
      {Array.from({ length: 6 }, (_, row) => (
        <div key={row} className="border-b border-line py-4 last:border-b-0">
          <Skeleton className="h-6 w-full" />
        </div>
      ))}
    </>
  )
}

/** Shown to signed-in people who may not read the list (decision 14). */
function AccessDenied() {
  const { t } = useLingui()
  return (
    <section role="alert" className="rounded-lg border border-line bg-raised px-4 py-10 text-center shadow-1">
      <Icon name="lock" size={56} className="mx-auto mb-5 text-danger" />
      <h1>{t`Access denied`}</h1>
      <p className="mx-auto mt-1 max-w-[32rem] text-muted">
        {t`This page is for the lender’s staff. Sign in with your registered work number.`}
      </p>
      <ButtonLink to={paths.adminLogin} className="mt-5">
        {t`Go to staff sign-in`}
      </ButtonLink>
    </section>
  )
}
