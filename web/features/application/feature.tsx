import { msg } from '@lingui/core/macro'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadScreen, type MenuEntry } from '#web/app/feature.tsx'
import { redirectStaffToUsers, shellRoute } from '#web/app/layout-routes.tsx'
import { paths } from '#web/app/paths.ts'

export const applicationMenu: readonly MenuEntry[] = [
  {
    to: paths.ongoingApplication,
    label: msg`Ongoing application`,
    icon: 'document',
    place: 'account',
    audience: 'borrower',
    isFor: (person) => person.is_ongoing_application,
  },
]

const ApplicationPage = lazyRouteComponent(() => import('./application-page.tsx'), 'ApplicationPage')

export const applicationRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: paths.ongoingApplication,
    beforeLoad: redirectStaffToUsers,
    loader: loadScreen(ApplicationPage, 'application'),
    component: ApplicationPage,
  }),
] as const
