import { createRoute, createRouter, lazyRouteComponent, parseSearchWith, redirect, stringifySearchWith } from '@tanstack/react-router'
import { applicationMenu, applicationRoutes } from '#web/features/application/feature.tsx'
import { authRoutes } from '#web/features/auth/feature.tsx'
import { AutopayCard, RenewMandate } from '#web/features/autopay/feature.tsx'
import { DocumentsTab } from '#web/features/documents/feature.tsx'
import { helpMenu, helpRoutes } from '#web/features/help/feature.tsx'
import { loanMenu, loanRoutes } from '#web/features/loans/feature.tsx'
import { Bell, NoticePreferences, NoticeText } from '#web/features/notices/feature.tsx'
import { operationsRoutes, WaitingCount } from '#web/features/operations/feature.tsx'
import { NextPayment, PaymentsTab, PendingNotice, TrailSteps, waitingRoutes } from '#web/features/payments/feature.tsx'
import { profileMenu, profileRoutes, StaffAccessList, StaffActText } from '#web/features/profile/feature.tsx'
import { RateResets } from '#web/features/resets/feature.tsx'
import { AssumeDialog, staffMenu, staffRoutes } from '#web/features/staff/feature.tsx'
import { TrancheCard } from '#web/features/tranches/feature.tsx'
import { getSession } from '#web/session/session.ts'
import { loadScreen } from './feature.tsx'
import { redirectStaffToUsers, rootRoute, shellRoute, signedInRoute, staffRoute, staffShellRoute } from './layout-routes.tsx'
import { designPath, paths } from './paths.ts'
import { ErrorScreen, PendingScreen } from './route-states.tsx'

const indexRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: paths.index,
  beforeLoad: () => {
    redirectStaffToUsers()
    const { user } = getSession()
    throw redirect({ to: user?.metadata.is_ongoing_application ? paths.ongoingApplication : paths.activeLoans, replace: true })
  },
})

/** All components in all states. A production build removes it: the condition is constant there. */
function designRoute() {
  const DesignPage = lazyRouteComponent(() => import('#web/design/design-page.tsx'), 'DesignPage')
  return createRoute({ getParentRoute: () => rootRoute, path: designPath, loader: loadScreen(DesignPage, 'ui'), component: DesignPage })
}

const routeTree = rootRoute.addChildren([
  ...(import.meta.env.MODE === 'development' ? [designRoute()] : []),
  ...authRoutes,
  staffRoute.addChildren([
    staffShellRoute.addChildren([
      ...staffRoutes,
      // Features do not import each other: parts of other features are handed to a page here.
      ...operationsRoutes({ AssumeDialog, TrailSteps, StaffAccessList, NoticeText, StaffActText }),
    ]),
  ]),
  signedInRoute.addChildren([
    indexRoute,
    ...waitingRoutes,
    shellRoute.addChildren([
      ...loanRoutes({ RateResets, RenewMandate, NextPayment, PendingNotice, PaymentsTab, AutopayCard, TrancheCard, DocumentsTab }),
      ...profileRoutes({ NoticePreferences }),
      ...helpRoutes,
      ...applicationRoutes,
    ]),
  ]),
])

const savesData = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true

/** The entries of all features, in the order of the menu. */
export const menu = [...loanMenu, ...profileMenu, ...staffMenu, ...applicationMenu, ...helpMenu]

export const router = createRouter({
  routeTree,
  context: { menu, Bell, WaitingCount },
  defaultPreload: savesData ? false : 'intent',
  defaultPendingComponent: PendingScreen,
  defaultErrorComponent: ErrorScreen,
  scrollRestoration: true,
  // All our parameters are text. The router would parse '007' as text and 7 as a number, and quote
  // text that looks like a number.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
