import { msg } from '@lingui/core/macro'
import { createRoute, lazyRouteComponent, redirect, useParams } from '@tanstack/react-router'
import { loadScreen, type MenuEntry } from '#web/app/feature.tsx'
import { redirectStaffToUsers, shellRoute } from '#web/app/layout-routes.tsx'
import { isLoanTab, loanTabs, paths, type LoanTab } from '#web/app/paths.ts'
import { loadAhead } from '#web/ui/background-loads.ts'
import { usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import type { LoanParts } from './loan-page.tsx'
import { preloadLoans } from './shown-loan.ts'

export const loanMenu: readonly MenuEntry[] = [{ to: paths.activeLoans, label: msg`Active loans`, icon: 'loans', place: 'sidebar' }]

/** As long as the browser takes to hand over an answer that is there. */
const arrivingMs = 50

const LoanPage = lazyRouteComponent(() => import('./loan-page.tsx'), 'LoanPage')
const loadLoanPage = loadScreen(LoanPage, 'loans', 'payments')

type PreloadedPart = 'NextPayment' | 'PendingNotice' | 'PaymentsTab' | 'AutopayCard' | 'DocumentsTab'
type Preloadable = { preload: () => Promise<unknown> }

/** The loan page with the parts that other features show on it. */
export function loanRoutes(parts: LoanParts & Record<PreloadedPart, Preloadable>) {
  const loanRoute = createRoute({
    getParentRoute: () => shellRoute,
    path: paths.activeLoans,
    beforeLoad: redirectStaffToUsers,
    loader: async () => {
      const loans = preloadLoans()
      await Promise.all([loadLoanPage(), parts.NextPayment.preload()])
      // Loans that have just arrived are shown at once, without a skeleton before them.
      await Promise.race([loans, new Promise((resolve) => setTimeout(resolve, arrivingMs))])
    },
    component: function ActiveLoans() {
      // A change of the tab waits for nothing then.
      usePreloadWhenIdle(parts.PaymentsTab)
      usePreloadWhenIdle(parts.AutopayCard)
      usePreloadWhenIdle(parts.DocumentsTab)
      usePreloadWhenIdle(parts.PendingNotice)
      return <LoanPage tab={useTab()} {...parts} />
    },
  })
  // The tab is a child of the loan page: changing the tab keeps the page and what it has loaded.
  const tabRoute = createRoute({
    getParentRoute: () => loanRoute,
    path: '$tab',
    beforeLoad: ({ params }) => {
      if (!isLoanTab(params.tab)) throw redirect({ to: paths.activeLoans, replace: true })
    },
    loader: async ({ params }) => {
      if (params.tab === 'payments') {
        void loadAhead(parts.AutopayCard.preload)
        await parts.PaymentsTab.preload()
      }
      if (params.tab === 'documents') await Promise.all([parts.DocumentsTab.preload(), parts.PendingNotice.preload()])
    },
  })
  return [loanRoute.addChildren([tabRoute])] as const
}

function useTab(): LoanTab {
  const tab: string | undefined = useParams({ strict: false, select: ({ tab: param }) => param })
  return tab !== undefined && isLoanTab(tab) ? tab : loanTabs[0]
}
