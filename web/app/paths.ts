import { verificationPath } from '#contract/verification-path.ts'

/** Every URL of the portal. Routes and links are built from these. */
export const paths = {
  index: '/',
  login: '/login',
  adminLogin: '/admin/login',
  users: '/users',
  operations: '/operations',
  operationsLoans: '/operations/loans',
  operationsLoan: '/operations/loans/$lan',
  operationsProposal: '/operations/proposals/$id',
  operationsReviews: '/operations/reviews',
  activeLoans: '/active-loans',
  activeLoansTab: '/active-loans/$tab',
  waitingForPayment: '/payments/waiting-for-payment',
  userProfile: '/user-profile',
  faqs: '/faqs',
  customerSupport: '/customer-support',
  ongoingApplication: '/ongoing-application',
  verifyDocument: verificationPath,
} as const

/** Shows all components in all states; in development builds only. */
export const designPath = '/design'

export const loanTabs = ['loan-details', 'payments', 'documents'] as const
export type LoanTab = (typeof loanTabs)[number]

export const isLoanTab = (value: string): value is LoanTab => (loanTabs as readonly string[]).includes(value)

/** The address of a tab of the loan page; the default tab has the address of the page. */
export const getLoanTabPath = (tab: LoanTab): string => (tab === 'loan-details' ? paths.activeLoans : `${paths.activeLoans}/${tab}`)

/** The page of one loan, for staff. */
export const getOperationsLoanPath = (lan: string): string => paths.operationsLoan.replace('$lan', encodeURIComponent(lan))

export const getProposalPath = (id: string): string => paths.operationsProposal.replace('$id', encodeURIComponent(id))

/** Opens the dialog of a part payment on the payments tab, where one is possible. */
export const partPaymentSearch = { option: 'part_payment' } as const

/** Whether a path is the loan page, with any tab or none. */
export const isLoanPath = (pathname: string): boolean => /^\/active-loans(\/[^/]*)?$/.test(pathname)

/** The pages for signed-in people that the server draws (web/entry/prerender.tsx). */
export type DrawnPage = LoanTab | 'profile' | 'faqs' | 'support' | 'application' | 'waiting' | StaffPage

/** The drawn pages of staff. A loan and a proposal look alike before they are loaded. */
type StaffPage = 'users' | 'operations' | 'operations-loans' | 'operations-reviews' | 'operations-record'

const drawnPages: ReadonlyMap<string, DrawnPage> = new Map<string, DrawnPage>([
  ...loanTabs.map((tab) => [`${paths.activeLoans}/${tab}`, tab] as const),
  ...loanTabs.map((tab) => [getLoanTabPath(tab), tab] as const),
  // The start page leads to the loans, or to the application of somebody who has one.
  [paths.index, 'loan-details'],
  [paths.userProfile, 'profile'],
  [paths.faqs, 'faqs'],
  [paths.customerSupport, 'support'],
  [paths.ongoingApplication, 'application'],
  [paths.users, 'users'],
  [paths.operations, 'operations'],
  [paths.operationsLoans, 'operations-loans'],
  [paths.operationsReviews, 'operations-reviews'],
  [paths.waitingForPayment, 'waiting'],
])

/** The drawn page at an address; null if the address has none. */
export const findDrawnPage = (pathname: string): DrawnPage | null =>
  drawnPages.get(pathname) ?? (/^\/operations\/(loans|proposals)\/[^/]+$/.test(pathname) ? 'operations-record' : null)

export const isStaffPage = (page: DrawnPage): page is StaffPage => page === 'users' || page.startsWith('operations')

/** Whether a drawn page has the navigation of this person: staff have their own. */
export const isDrawnFor = (page: DrawnPage, isStaffAlone: boolean): boolean => isStaffPage(page) === isStaffAlone

/**
 * The navigation's section of a path, by its prefix; any other path belongs to active-loans (spec
 * §2).
 */
export function getSection(path: string): string {
  const sections = [paths.activeLoans, paths.userProfile, paths.ongoingApplication, paths.faqs, paths.customerSupport]
  const section = sections.find((prefix) => path === prefix || path.startsWith(`${prefix}/`)) ?? paths.activeLoans
  return section.slice(1)
}

/** The section that the navigation marks. Null on the pages of staff, which are in none of it. */
export function findMarkedSection(path: string): string | null {
  const page = findDrawnPage(path)
  return page !== null && isStaffPage(page) ? null : getSection(path)
}

/**
 * The provider redirects the borrower to this address. The server accepts only this path on its own
 * origins.
 */
export const getPaymentCallbackUrl = (): string => window.location.origin + paths.waitingForPayment
