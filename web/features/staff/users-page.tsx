import { useLingui } from '@lingui/react/macro'
import { isStaff } from '#web/session/auth-state.ts'
import { useSession } from '#web/session/session.ts'
import { usePageTitle } from '#web/app/page-title.ts'
import { AccessDenied } from './access-denied.tsx'
import type { ListQuery } from './list-query.ts'
import { UsersList } from './users-list.tsx'

export type UsersPageProps = {
  query: ListQuery
  onSearch: (query: ListQuery) => void
  onPage: (query: ListQuery, replace: boolean) => void
}

/** The borrowers, for staff to find one and act for them (spec §2 'Admin user list'). */
export function UsersPage(props: UsersPageProps) {
  const { t } = useLingui()
  const { claims } = useSession()
  const staff = isStaff(claims)
  usePageTitle(staff ? t`Borrowers` : t`Access denied`)
  if (!staff) return <AccessDenied />
  return <UsersList {...props} />
}
