/**
 * What the page asked for before its code was there (web/entry/inline/page.ts): the answers under way, by their address, and whose
 * token asked. Each is taken once, and soon, or it is no longer what the server would say.
 */
export type EarlyAnswers = { token: string; askedAtMs: number; answers: Map<string, Promise<Response>> }

export const earlyAnswersName = 'kistEarlyAnswers'

/** Addresses below the API that are asked for early; the contract's own, which would bring its schemas along. */
export const earlyPaths = { loans: '/portal/loans-summary', schedule: '/portal/repayment-schedule' } as const

const freshMs = 10_000

/** The answer that is under way to this address already; null where none is, or none that still counts. */
export function takeEarlyAnswer(url: string, token: string | null): Promise<Response> | null {
  const early = Reflect.get(globalThis, earlyAnswersName) as EarlyAnswers | undefined
  const answer = early?.answers.get(url)
  if (early === undefined || answer === undefined) return null
  early.answers.delete(url)
  return early.token === token && Date.now() - early.askedAtMs < freshMs ? answer : null
}
