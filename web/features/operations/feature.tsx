import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'
import { createFeaturePart, loadScreen } from '#web/app/feature.tsx'
import { staffShellRoute } from '#web/app/layout-routes.tsx'
import { paths } from '#web/app/paths.ts'
import { readListQuery } from '#web/ui/list-search.ts'
import type { LoanParts } from './loan-page.tsx'
import type { ProposalParts } from './proposal-page.tsx'
import { readLoanTask, readQueueQuery } from './queue-state.ts'

const LoadedCount = createFeaturePart('operations', async () => (await import('./waiting-count.tsx')).WaitingCount)

/** How many proposals wait, in the navigation of staff. It loads after the page is shown. */
export const WaitingCount = () => (
  <Suspense>
    <LoadedCount />
  </Suspense>
)

const QueuePage = lazyRouteComponent(() => import('./queue-page.tsx'), 'QueuePage')
const LoansPage = lazyRouteComponent(() => import('./loans-page.tsx'), 'LoansPage')
const LoanPage = lazyRouteComponent(() => import('./loan-page.tsx'), 'LoanPage')
const ProposalPage = lazyRouteComponent(() => import('./proposal-page.tsx'), 'ProposalPage')
const ReviewsPage = lazyRouteComponent(() => import('./reviews-page.tsx'), 'ReviewsPage')

/** The pages of Operations, with the parts that other features show on them. */
export function operationsRoutes(parts: LoanParts & ProposalParts) {
  const queueRoute = createRoute({
    getParentRoute: () => staffShellRoute,
    path: paths.operations,
    validateSearch: readQueueQuery,
    loader: loadScreen(QueuePage, 'operations'),
    component: function Queue() {
      const navigate = queueRoute.useNavigate()
      return <QueuePage query={queueRoute.useSearch()} onQuery={(search, replace = false) => void navigate({ search, replace })} />
    },
  })
  const loansRoute = createRoute({
    getParentRoute: () => staffShellRoute,
    path: paths.operationsLoans,
    validateSearch: readListQuery,
    loader: loadScreen(LoansPage, 'operations'),
    component: function Loans() {
      const navigate = loansRoute.useNavigate()
      return (
        <LoansPage
          query={loansRoute.useSearch()}
          // Back returns to each page of the list, but not to each keystroke of a search.
          onSearch={(search) => void navigate({ search, replace: true, resetScroll: false })}
          onPage={(search, replace = false) => void navigate({ search, replace })}
        />
      )
    },
  })
  const loanRoute = createRoute({
    getParentRoute: () => staffShellRoute,
    path: paths.operationsLoan,
    validateSearch: readLoanTask,
    loader: loadScreen(LoanPage, 'operations'),
    component: function Loan() {
      const { lan } = loanRoute.useParams()
      return <LoanPage key={lan} lan={lan} task={loanRoute.useSearch().do} {...parts} />
    },
  })
  const proposalRoute = createRoute({
    getParentRoute: () => staffShellRoute,
    path: paths.operationsProposal,
    loader: loadScreen(ProposalPage, 'operations'),
    component: function Proposal() {
      const { id } = proposalRoute.useParams()
      return <ProposalPage key={id} id={id} {...parts} />
    },
  })
  const reviewsRoute = createRoute({
    getParentRoute: () => staffShellRoute,
    path: paths.operationsReviews,
    validateSearch: readQueueQuery,
    loader: loadScreen(ReviewsPage, 'operations'),
    component: function Reviews() {
      const navigate = reviewsRoute.useNavigate()
      return <ReviewsPage query={reviewsRoute.useSearch()} onQuery={(search, replace = false) => void navigate({ search, replace })} />
    },
  })
  return [queueRoute, loansRoute, loanRoute, proposalRoute, reviewsRoute] as const
}
