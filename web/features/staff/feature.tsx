import { msg } from '@lingui/core/macro'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { createFeaturePart, loadScreen, type MenuEntry } from '#web/app/feature.tsx'
import { staffShellRoute } from '#web/app/layout-routes.tsx'
import { paths } from '#web/app/paths.ts'
import { readListQuery } from '#web/ui/list-search.ts'

export const staffMenu: readonly MenuEntry[] = [
  { to: paths.users, label: msg`Borrowers`, icon: 'search', place: 'account', audience: 'staff' },
]

const UsersPage = lazyRouteComponent(() => import('./users-page.tsx'), 'UsersPage')

const usersRoute = createRoute({
  getParentRoute: () => staffShellRoute,
  path: paths.users,
  validateSearch: readListQuery,
  loader: loadScreen(UsersPage, 'staff'),
  component: function Users() {
    const navigate = usersRoute.useNavigate()
    return (
      <UsersPage
        query={usersRoute.useSearch()}
        // Back returns to each page of the list, but not to each keystroke of a search.
        onSearch={(search) => void navigate({ search, replace: true, resetScroll: false })}
        onPage={(search, replace) => void navigate({ search, replace })}
      />
    )
  },
})

/** Asks for the reason and acts as a borrower, from any page of staff. */
export const AssumeDialog = createFeaturePart('staff', async () => (await import('./assume-dialog.tsx')).AssumeDialog)

export const staffRoutes = [usersRoute] as const
