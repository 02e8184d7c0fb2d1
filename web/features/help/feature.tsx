import { msg } from '@lingui/core/macro'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadScreen, type MenuEntry } from '#web/app/feature.tsx'
import { shellRoute } from '#web/app/layout-routes.tsx'
import { paths } from '#web/app/paths.ts'

export const helpMenu: readonly MenuEntry[] = [
  { to: paths.faqs, label: msg`FAQs`, icon: 'help', place: 'account' },
  { to: paths.customerSupport, label: msg`Customer support`, icon: 'phone', place: 'account' },
]

const FaqsPage = lazyRouteComponent(() => import('./faqs-page.tsx'), 'FaqsPage')
const SupportPage = lazyRouteComponent(() => import('./support-page.tsx'), 'SupportPage')

export const helpRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: paths.faqs, loader: loadScreen(FaqsPage, 'help'), component: FaqsPage }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: paths.customerSupport,
    loader: loadScreen(SupportPage, 'help'),
    component: SupportPage,
  }),
] as const
