import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { createFeaturePart, loadScreen } from '#web/app/feature.tsx'
import { redirectStaffToUsers, signedInRoute } from '#web/app/layout-routes.tsx'
import { getLoanTabPath, paths } from '#web/app/paths.ts'
import { createLazyPart } from '#web/ui/lazy-part.tsx'

/** What to do next, for the loan details. */
export const NextPayment = createLazyPart(async () => (await import('./next/next-payment.tsx')).NextPayment)

/** The pending payment, for tabs that are not about payments. */
export const PendingNotice = createLazyPart(async () => (await import('./next/pending-notice.tsx')).PendingNotice)

export const PaymentsTab = createLazyPart(async () => {
  // The tab reads autopay at once, by a contract that no other page of a borrower needs.
  const [tab] = await Promise.all([import('./payments-tab.tsx'), import('#contract/autopay.ts')])
  return tab.PaymentsTab
})

/** The steps of a payment whose trail is loaded, for pages of staff. */
export const TrailSteps = createFeaturePart('payments', async () => (await import('./history/payment-trail.tsx')).TrailSteps)

const WaitingPage = lazyRouteComponent(() => import('./waiting/waiting-page.tsx'), 'WaitingPage')

const waitingRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: paths.waitingForPayment,
  validateSearch: (search): { razorpay_payment_link_id?: string } => {
    const id = search.razorpay_payment_link_id
    return id ? { razorpay_payment_link_id: String(id) } : {}
  },
  beforeLoad: ({ search }) => {
    redirectStaffToUsers()
    if (!search.razorpay_payment_link_id) throw redirect({ href: getLoanTabPath('payments'), replace: true })
  },
  loader: loadScreen(WaitingPage, 'payments'),
  component: function Waiting() {
    const { razorpay_payment_link_id: id } = waitingRoute.useSearch()
    return <WaitingPage paymentLinkId={id ?? ''} />
  },
})

export const waitingRoutes = [waitingRoute] as const
