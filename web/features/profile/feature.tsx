import { msg } from '@lingui/core/macro'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Suspense, type ComponentType } from 'react'
import { loadScreen, type MenuEntry } from '#web/app/feature.tsx'
import { shellRoute } from '#web/app/layout-routes.tsx'
import { paths } from '#web/app/paths.ts'

export const profileMenu: readonly MenuEntry[] = [{ to: paths.userProfile, label: msg`Your profile`, icon: 'user', place: 'sidebar' }]

const ProfilePage = lazyRouteComponent(() => import('./profile-page.tsx'), 'ProfilePage')

export function profileRoutes({ NoticePreferences }: { NoticePreferences: ComponentType }) {
  const profileRoute = createRoute({
    getParentRoute: () => shellRoute,
    path: paths.userProfile,
    loader: loadScreen(ProfilePage, 'profile'),
    component: () => (
      <ProfilePage
        notices={
          <Suspense>
            <NoticePreferences />
          </Suspense>
        }
      />
    ),
  })
  return [profileRoute] as const
}
