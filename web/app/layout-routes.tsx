import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { Suspense, type ComponentType } from 'react'
import { loadAreas } from '#web/i18n/i18n.ts'
import { getIdentity, isStaffAlone } from '#web/session/claims.ts'
import { getSession, isSignedIn, getLoginPath } from '#web/session/session.ts'
import { getStaffListHref } from '#web/session/staff-list.ts'
import { createFeaturePart, type MenuEntry } from './feature.tsx'
import { paths } from './paths.ts'
import { rememberStaffPage, rememberWaitingPage } from './return-to.ts'
import { RouteFocus } from './route-states.tsx'
import { AppShell } from './shell/app-shell.tsx'
import { SignedIn } from './shell/signed-in.tsx'

/** What features add to the shell; set in routes.tsx. */
export type ShellContext = {
  menu: readonly MenuEntry[]
  Bell: ComponentType<{ className: string }>
  /** How many proposals wait, in the navigation of staff. */
  WaitingCount: ComponentType
}

const loadShellTexts = () => loadAreas('shell')

// No route leads there, so no loader can load its texts.
const NotFoundPage = createFeaturePart('shell', async () => (await import('./shell/not-found-page.tsx')).NotFoundPage)

export const rootRoute = createRootRouteWithContext<ShellContext>()({
  component: () => (
    <>
      <RouteFocus />
      <Outlet />
    </>
  ),
  notFoundComponent: () => (
    <Suspense>
      <NotFoundPage />
    </Suspense>
  ),
})

/** The context of a page: for whom it is loaded. SignedIn shows it to nobody else. */
const getPageContext = (): { loadedFor: string | null } => ({ loadedFor: getIdentity(getSession().claims) })

/** Spec §2 'Protected pages': no token, no page. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: ({ location }) => {
    if (isSignedIn()) return getPageContext()
    rememberWaitingPage(location.href)
    throw redirect({ href: getLoginPath(), replace: true })
  },
  loader: loadShellTexts,
  component: SignedIn,
})

export const shellRoute = createRoute({
  getParentRoute: () => signedInRoute,
  id: 'shell',
  loader: loadShellTexts,
  component: function Shell() {
    const { Bell, WaitingCount } = shellRoute.useRouteContext()
    return <AppShell Bell={Bell} WaitingCount={WaitingCount} />
  },
})

/** The staff's pages: without a token they lead to the staff login (spec §2 'Admin user list'). */
export const staffRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'staff',
  beforeLoad: ({ location, cause }) => {
    if (isSignedIn()) return getPageContext()
    rememberStaffPage(location.href, { isOpened: cause === 'enter' })
    throw redirect({ to: paths.adminLogin, replace: true })
  },
  loader: loadShellTexts,
  component: SignedIn,
})

export const staffShellRoute = createRoute({
  getParentRoute: () => staffRoute,
  id: 'staff-shell',
  loader: loadShellTexts,
  component: function StaffShell() {
    return <AppShell WaitingCount={staffShellRoute.useRouteContext().WaitingCount} />
  },
})

/**
 * For pages with a borrower's own data: staff without an assumed borrower go to their list, also
 * with the Back button.
 */
export function redirectStaffToUsers(): void {
  if (isStaffAlone(getSession().claims)) throw redirect({ href: getStaffListHref() ?? paths.users, replace: true })
}
