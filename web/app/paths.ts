/** Every URL of the portal, once. The routes are built from these, and so is every link. */
export const paths = {
  index: '/',
  login: '/login',
  adminLogin: '/admin/login',
  users: '/users',
  activeLoans: '/active-loans',
  activeLoansTab: '/active-loans/$tab',
  waitingForPayment: '/payments/waiting-for-payment',
  userProfile: '/user-profile',
  faqs: '/faqs',
  customerSupport: '/customer-support',
  ongoingApplication: '/ongoing-application',
} as const

/** All components in all states; part of development builds only. */
export const designPath = '/design'

export const loanTabs = ['loan-details', 'payments', 'documents'] as const
export type LoanTab = (typeof loanTabs)[number]

export const isLoanTab = (value: string): value is LoanTab => (loanTabs as readonly string[]).includes(value)

/** The address of a tab of the loan page; the default tab has the short one. */
export const loanTabPath = (tab: LoanTab): string => (tab === 'loan-details' ? paths.activeLoans : `${paths.activeLoans}/${tab}`)

/** Whether a path is the loan page, with any tab or none. */
export const isLoanPath = (pathname: string): boolean => /^\/active-loans(\/[^/]*)?$/.test(pathname)

/** The section of the navigation that a path belongs to, by its prefix; any other path belongs to active-loans (spec §2). */
export function sectionOf(path: string): string {
  const sections = [paths.activeLoans, paths.userProfile, paths.ongoingApplication, paths.faqs, paths.customerSupport]
  const section = sections.find((prefix) => path === prefix || path.startsWith(`${prefix}/`)) ?? paths.activeLoans
  return section.slice(1)
}

/** Where the provider sends the borrower back to; the server accepts exactly this below its own origins. */
export const paymentCallbackUrl = (): string => window.location.origin + paths.waitingForPayment
