/**
 * Requests that the page sent before its code was loaded (web/entry/inline/early-reads.ts and
 * phone-step.ts): the pending responses by the name of the request, and the token they were sent
 * with. Each is used once, and only while it is fresh.
 */
export type EarlyAnswers = { token: string | null; freshUntilMs: number; answers: Map<string, Promise<Response>> }

export const earlyAnswersName = 'kistEarlyAnswers'

/**
 * API paths that are requested early. Written here because the contract would add its schemas to
 * the inline script.
 */
export const earlyPaths = {
  login: '/auth/login',
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

/** The name of a request: its method, its URL, and its body if it has one. */
export const nameRequest = (method: string, url: string, body: string | null = null): string =>
  [method, url, ...(body === null ? [] : [body])].join(' ')

/** The pending response of a request; null if there is none or it is too old. */
export function takeEarlyAnswer(request: string, token: string | null): Promise<Response> | null {
  const early = Reflect.get(globalThis, earlyAnswersName) as EarlyAnswers | undefined
  const answer = early?.answers.get(request)
  if (early === undefined || answer === undefined) return null
  early.answers.delete(request)
  return early.token === token && Date.now() < early.freshUntilMs ? answer : null
}
