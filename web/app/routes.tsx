import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  parseSearchWith,
  redirect,
  stringifySearchWith,
  useParams,
  useRouter,
} from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { isStaff, isStaffAlone } from '#web/session/auth-state.ts'
import { getSession, isSignedIn, loginPath } from '#web/session/session.ts'
import { loadLoansAhead } from '#web/features/loans/shown-loan.ts'
import { readListQuery } from '#web/features/staff/user-search.ts'
import { ErrorScreen, PendingScreen, RouteFocus } from './route-states.tsx'
import { loadAreas } from '#web/i18n/i18n.ts'
import { designPath, isLoanTab, loanTabPath, loanTabs, paths, type LoanTab } from './paths.ts'
import { rememberReturn, takeReturn } from './return-to.ts'

// Each screen is a chunk of its own, and each loader waits for the chunk and its words together: no screen appears in pieces.
const LoginPage = lazyRouteComponent(() => import('#web/features/auth/login-page.tsx'), 'LoginPage')
const AdminLoginPage = lazyRouteComponent(() => import('#web/features/auth/admin-login-page.tsx'), 'AdminLoginPage')
const SignedIn = lazyRouteComponent(() => import('./shell/signed-in.tsx'), 'SignedIn')
const AppShell = lazyRouteComponent(() => import('./shell/app-shell.tsx'), 'AppShell')
const LoanPage = lazyRouteComponent(() => import('#web/features/loans/loan-page.tsx'), 'LoanPage')
const WaitingPage = lazyRouteComponent(() => import('#web/features/payments/waiting/waiting-page.tsx'), 'WaitingPage')
const ProfilePage = lazyRouteComponent(() => import('#web/features/profile/profile-page.tsx'), 'ProfilePage')
const UsersPage = lazyRouteComponent(() => import('#web/features/staff/users-page.tsx'), 'UsersPage')
const FaqsPage = lazyRouteComponent(() => import('#web/features/help/faqs-page.tsx'), 'FaqsPage')
const SupportPage = lazyRouteComponent(() => import('#web/features/help/support-page.tsx'), 'SupportPage')
const ApplicationPage = lazyRouteComponent(() => import('#web/features/application/application-page.tsx'), 'ApplicationPage')

// Parts of the loan page, which has a place ready for each while it comes.
const loadPaymentsTab = () => import('#web/features/payments/payments-tab.tsx')
const PaymentsTab = lazy(async () => ({ default: (await loadPaymentsTab()).PaymentsTab }))
const loadTrancheCard = () => import('#web/features/tranches/tranche-card.tsx')
const TrancheCard = lazy(async () => ({ default: (await loadTrancheCard()).TrancheCard }))
const loadDocumentsTab = () => import('#web/features/documents/documents-tab.tsx')
const DocumentsTab = lazy(async () => ({ default: (await loadDocumentsTab()).DocumentsTab }))
const Bell = lazy(async () => {
  const [bell] = await Promise.all([import('#web/features/notices/bell.tsx'), loadAreas('notices')])
  return { default: bell.Bell }
})
/** What changed for the borrower, in the bar: it comes when the page stands, and holds up nothing. */
const LateBell = (props: { className: string }) => (
  <Suspense>
    <Bell {...props} />
  </Suspense>
)
const NoticePreferences = lazy(async () => {
  const [choices] = await Promise.all([import('#web/features/notices/notice-preferences.tsx'), loadAreas('notices')])
  return { default: choices.NoticePreferences }
})

// No route leads there, so no loader could wait for it: it brings its words along.
const NotFoundPage = lazy(async () => {
  const [page] = await Promise.all([import('./shell/not-found-page.tsx'), loadAreas('shell')])
  return { default: page.NotFoundPage }
})

type Loadable = { preload?: () => Promise<unknown> | undefined }

const ready =
  (screen: Loadable, ...areas: string[]) =>
  async () => {
    await Promise.all([screen.preload?.(), loadAreas(...areas)])
  }

const root = createRootRoute({
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

const login = createRoute({
  getParentRoute: () => root,
  path: paths.login,
  beforeLoad: () => {
    if (isSignedIn()) throw redirect({ href: takeReturn() ?? paths.index, replace: true })
  },
  loader: ready(LoginPage, 'auth'),
  component: function Login() {
    const { history } = useRouter()
    return <LoginPage host={window.location.host} onSuccess={() => history.replace(takeReturn() ?? paths.index)} />
  },
})

const adminLogin = createRoute({
  getParentRoute: () => root,
  path: paths.adminLogin,
  beforeLoad: () => {
    if (isSignedIn() && isStaff(getSession().claims)) throw redirect({ to: paths.users, replace: true })
  },
  loader: ready(AdminLoginPage, 'auth'),
  component: AdminLoginPage,
})

/** Spec §2 'Protected pages': no token, no page. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: ({ location }) => {
    if (isSignedIn()) return
    rememberReturn(location.href)
    throw redirect({ href: loginPath(), replace: true })
  },
  loader: ready(SignedIn, 'shell'),
  component: SignedIn,
})

const index = createRoute({
  getParentRoute: () => signedIn,
  path: paths.index,
  beforeLoad: () => {
    leadStaffToTheirList()
    const { user } = getSession()
    throw redirect({ to: user?.metadata.is_ongoing_application ? paths.ongoingApplication : paths.activeLoans, replace: true })
  },
})

/** For pages about a borrower's own things: staff who act for nobody have none and go to their list, also by the Back button. */
function leadStaffToTheirList(): void {
  if (isStaffAlone(getSession().claims)) throw redirect({ to: paths.users, replace: true })
}

const waiting = createRoute({
  getParentRoute: () => signedIn,
  path: paths.waitingForPayment,
  validateSearch: (search): { razorpay_payment_link_id?: string } => {
    const id = search.razorpay_payment_link_id
    return id ? { razorpay_payment_link_id: String(id) } : {}
  },
  beforeLoad: ({ search }) => {
    leadStaffToTheirList()
    if (!search.razorpay_payment_link_id) throw redirect({ href: loanTabPath('payments'), replace: true })
  },
  loader: ready(WaitingPage, 'payments'),
  component: function Waiting() {
    const { razorpay_payment_link_id: id } = waiting.useSearch()
    return <WaitingPage paymentLinkId={id ?? ''} />
  },
})

const shell = createRoute({
  getParentRoute: () => signedIn,
  id: 'shell',
  loader: ready(AppShell, 'shell'),
  component: () => <AppShell Bell={LateBell} />,
})

const readyLoans = ready(LoanPage, 'loans', 'payments', 'tranches', 'documents')

const activeLoans = createRoute({
  getParentRoute: () => shell,
  path: paths.activeLoans,
  beforeLoad: leadStaffToTheirList,
  loader: () => {
    void loadLoansAhead()
    return readyLoans()
  },
  component: function ActiveLoans() {
    // Put together here: features do not import each other.
    return <LoanPage tab={useTab()} PaymentsTab={PaymentsTab} TrancheCard={TrancheCard} DocumentsTab={DocumentsTab} />
  },
})

// The tab is a child of the loan page, so that changing it keeps the page and what it has loaded.
const activeLoansTab = createRoute({
  getParentRoute: () => activeLoans,
  path: '$tab',
  beforeLoad: ({ params }) => {
    if (!isLoanTab(params.tab)) throw redirect({ to: paths.activeLoans, replace: true })
  },
  loader: async ({ params }) => {
    if (params.tab === 'payments') await loadPaymentsTab()
    if (params.tab === 'documents') await loadDocumentsTab()
  },
})

function useTab(): LoanTab {
  const tab: string | undefined = useParams({ strict: false, select: ({ tab: param }) => param })
  return tab !== undefined && isLoanTab(tab) ? tab : loanTabs[0]
}

const userProfile = createRoute({
  getParentRoute: () => shell,
  path: paths.userProfile,
  loader: ready(ProfilePage, 'profile'),
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

const faqs = createRoute({ getParentRoute: () => shell, path: paths.faqs, loader: ready(FaqsPage, 'help'), component: FaqsPage })

const customerSupport = createRoute({
  getParentRoute: () => shell,
  path: paths.customerSupport,
  loader: ready(SupportPage, 'help'),
  component: SupportPage,
})

const ongoingApplication = createRoute({
  getParentRoute: () => shell,
  path: paths.ongoingApplication,
  beforeLoad: leadStaffToTheirList,
  loader: ready(ApplicationPage, 'application'),
  component: ApplicationPage,
})

/** The staff's pages: without a token the staff login, whoever was here last (spec §2 'Admin user list'). */
const staffArea = createRoute({
  getParentRoute: () => root,
  id: 'staff',
  beforeLoad: () => {
    if (!isSignedIn()) throw redirect({ to: paths.adminLogin, replace: true })
  },
  loader: ready(SignedIn, 'shell'),
  component: SignedIn,
})

const staffShell = createRoute({
  getParentRoute: () => staffArea,
  id: 'staff-shell',
  loader: ready(AppShell, 'shell'),
  component: AppShell,
})

const users = createRoute({
  getParentRoute: () => staffShell,
  path: paths.users,
  validateSearch: readListQuery,
  loader: ready(UsersPage, 'staff'),
  component: function Users() {
    const navigate = users.useNavigate()
    return (
      <UsersPage
        query={users.useSearch()}
        // Each page of the list is a step Back can take; a search that is still being typed is not.
        onSearch={(search) => void navigate({ search, replace: true, resetScroll: false })}
        onPage={(search, replace) => void navigate({ search, replace })}
      />
    )
  },
})

/** For who builds screens. A production build drops it: the condition is settled there. */
function designRoute() {
  const DesignPage = lazyRouteComponent(() => import('#web/design/design-page.tsx'), 'DesignPage')
  return createRoute({ getParentRoute: () => root, path: designPath, loader: ready(DesignPage, 'ui'), component: DesignPage })
}

const routeTree = root.addChildren([
  ...(import.meta.env.MODE === 'development' ? [designRoute()] : []),
  login,
  adminLogin,
  staffArea.addChildren([staffShell.addChildren([users])]),
  signedIn.addChildren([
    index,
    waiting,
    shell.addChildren([activeLoans.addChildren([activeLoansTab]), userProfile, faqs, customerSupport, ongoingApplication]),
  ]),
])

const savesData = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true

export const router = createRouter({
  routeTree,
  defaultPreload: savesData ? false : 'intent',
  defaultPendingComponent: PendingScreen,
  defaultErrorComponent: ErrorScreen,
  scrollRestoration: true,
  // Every parameter of ours is text; the router would take '007' for text and 7 for a number, and quote what looks like one.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
