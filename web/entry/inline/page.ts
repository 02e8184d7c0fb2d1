import { apiPrefix } from '#contract/endpoint.ts'
import { earlyAnswersName, earlyPaths, type EarlyAnswers } from '#web/api/early-answers.ts'
import { isLoanPath, paths } from '#web/app/paths.ts'
import { applyStoredTheme, readStored, readShownLead, storageKeys } from '#web/storage.ts'

// The build writes this script into the portal's page; it runs before the first paint
// (tools/web-pages.ts).

applyStoredTheme()

const { pathname } = window.location
if (pathname === paths.index || isLoanPath(pathname)) {
  const token = readStored(storageKeys.token)
  // No session: go straight to login.html, which loads faster than the portal.
  if (token === null) window.location.replace(paths.login)
  else if (pathname !== paths.index) requestEarly(token)
}

/**
 * Requests the first data of the loan page while its code is still loading: the loans, and the
 * schedule of the loan that was shown last.
 */
function requestEarly(token: string): void {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  const ask = (path: string): [url: string, answer: Promise<Response>] => {
    const url = apiPrefix + path
    const answer = fetch(url, { headers, signal: AbortSignal.timeout(30_000) }).then(readToTheEnd)
    // Whoever uses the response handles the rejection.
    answer.catch(() => {})
    return [url, answer]
  }
  const lead = readShownLead(token)
  const asked = [earlyPaths.loans, ...(lead === null ? [] : [`${earlyPaths.schedule}?${new URLSearchParams({ lead_id: lead })}`])]
  const early: EarlyAnswers = { token, askedAtMs: Date.now(), answers: new Map(asked.map(ask)) }
  Reflect.set(window, earlyAnswersName, early)
}

/** A response that is not read would keep its connection. */
async function readToTheEnd(answer: Response): Promise<Response> {
  return new Response(await answer.text(), { status: answer.status, headers: answer.headers })
}
