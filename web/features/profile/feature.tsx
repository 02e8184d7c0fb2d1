import { msg } from '@lingui/core/macro'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Suspense, type ComponentType } from 'react'
import { loadScreen, type MenuEntry } from '#web/app/feature.tsx'
import { shellRoute } from '#web/app/layout-routes.tsx'
import { paths } from '#web/app/paths.ts'
import { loadAreas } from '#web/i18n/i18n.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { createLazyPart } from '#web/ui/lazy-part.tsx'

export const profileMenu: readonly MenuEntry[] = [{ to: paths.userProfile, label: msg`Your profile`, icon: 'user', place: 'sidebar' }]

const loadStaffAccess = async () => (await Promise.all([import('./staff-access.tsx'), loadAreas('profile')]))[0]

/** Staff access to a borrower's account, and one of its actions, for pages of staff. */
export const StaffAccessList = createLazyPart(async () => (await loadStaffAccess()).AccessList)
export const StaffActText = createLazyPart(async () => (await loadStaffAccess()).StaffActText)

const ProfilePage = lazyRouteComponent(() => import('./profile-page.tsx'), 'ProfilePage')

export function profileRoutes({ NoticePreferences }: { NoticePreferences: ComponentType }) {
  const profileRoute = createRoute({
    getParentRoute: () => shellRoute,
    path: paths.userProfile,
    loader: loadScreen(ProfilePage, 'profile'),
    component: () => (
      <ProfilePage
        notices={
          // As high as the choices, so that nothing below them moves.
          <Suspense fallback={<Skeleton className="h-91.25 rounded-lg" />}>
            <NoticePreferences />
          </Suspense>
        }
      />
    ),
  })
  return [profileRoute] as const
}
