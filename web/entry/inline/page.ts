import { apiPrefix } from '#contract/endpoint.ts'
import { earlyAnswersName, earlyPaths, type EarlyAnswers } from '#web/api/early-answers.ts'
import { isLoanPath, paths } from '#web/app/paths.ts'
import { applyStoredTheme, readStored, shownLeadOf, storageKeys } from '#web/storage.ts'

// Written into the portal's page and run before its first paint; see tools/web-pages.ts.

applyStoredTheme()

const { pathname } = window.location
if (pathname === paths.index || isLoanPath(pathname)) {
  const token = readStored(storageKeys.token)
  // No session: go straight to login.html, which loads faster than the portal.
  if (token === null) window.location.replace(paths.login)
  else if (pathname !== paths.index) askEarly(token)
}

/** Asks for what the loan page shows first, while its code is still on its way: the loans, and the schedule of the one shown last. */
function askEarly(token: string): void {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  const ask = (path: string): [url: string, answer: Promise<Response>] => {
    const url = apiPrefix + path
    const answer = fetch(url, { headers, signal: AbortSignal.timeout(30_000) }).then(readToTheEnd)
    // Whoever takes it hears of it.
    answer.catch(() => {})
    return [url, answer]
  }
  const lead = shownLeadOf(token)
  const asked = [earlyPaths.loans, ...(lead === null ? [] : [`${earlyPaths.schedule}?${new URLSearchParams({ lead_id: lead })}`])]
  const early: EarlyAnswers = { token, askedAtMs: Date.now(), answers: new Map(asked.map(ask)) }
  Reflect.set(window, earlyAnswersName, early)
}

/** An answer that nobody takes would hold its connection as long as it is not read. */
async function readToTheEnd(answer: Response): Promise<Response> {
  return new Response(await answer.text(), { status: answer.status, headers: answer.headers })
}
