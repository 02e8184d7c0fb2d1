/**
 * Requests that the page sent before its code was loaded (web/entry/inline/early-reads.ts): the
 * pending responses by URL, and the token they were sent with. Each is used once, and only while
 * it is fresh.
 */
export type EarlyAnswers = { token: string; askedAtMs: number; answers: Map<string, Promise<Response>> }

export const earlyAnswersName = 'kistEarlyAnswers'

/**
 * API paths that are requested early. Written here because the contract would add its schemas to
 * the inline script.
 */
export const earlyPaths = {
  permissions: '/auth/permissions',
  loans: '/portal/loans-summary',
  schedule: '/portal/repayment-schedule',
  ongoing: '/portal/ongoing-payment',
  completed: '/portal/completed-payments',
  tranches: '/portal/tranche-details',
  documents: '/portal/documents',
  notices: '/portal/notices',
  application: '/portal/ongoing-application',
  users: '/auth/users/all',
  operationsCounts: '/operations/counts',
  operationsQueue: '/operations/queue',
  operationsLoans: '/operations/loans',
  operationsReviews: '/operations/reviews',
  staffAccess: '/portal/staff-access',
  sessions: '/auth/sessions',
  noticePreferences: '/portal/notice-preferences',
} as const

/** As long as a query stays fresh: on a slow connection the code takes that long. */
const freshMs = 30_000

/** The pending response for this URL; null if there is none or it is too old. */
export function takeEarlyAnswer(url: string, token: string | null): Promise<Response> | null {
  const early = Reflect.get(globalThis, earlyAnswersName) as EarlyAnswers | undefined
  const answer = early?.answers.get(url)
  if (early === undefined || answer === undefined) return null
  early.answers.delete(url)
  return early.token === token && Date.now() - early.askedAtMs < freshMs ? answer : null
}
