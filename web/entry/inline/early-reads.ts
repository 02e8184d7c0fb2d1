import { apiPrefix } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import { earlyAnswersName, earlyPaths, type EarlyAnswers } from '#web/api/early-answers.ts'
import type { DrawnPage } from '#web/app/paths.ts'
import { selectShownLoan } from '#web/loan/select-loan.ts'
import { readShownLead } from '#web/storage.ts'
import type { StoredPerson } from './stored-person.ts'

/** What a loan's page reads besides the loans: of the loan, by its `lead_id` or its `lan`. */
const readsOfLoan: Partial<Record<DrawnPage, readonly (readonly [path: string, name: 'lead_id' | 'application_id' | 'lan'])[]>> = {
  'loan-details': [
    [earlyPaths.schedule, 'lead_id'],
    [earlyPaths.ongoing, 'application_id'],
    [earlyPaths.tranches, 'lan'],
  ],
  payments: [
    [earlyPaths.schedule, 'lead_id'],
    [earlyPaths.ongoing, 'application_id'],
    [earlyPaths.completed, 'application_id'],
  ],
  documents: [
    [earlyPaths.schedule, 'lead_id'],
    [earlyPaths.ongoing, 'application_id'],
    [earlyPaths.documents, 'lead_id'],
  ],
}

/** What other pages read. A profile reads the whole PAN too, which is logged, so once and later. */
const readsOfPage: Partial<Record<DrawnPage, readonly string[]>> = {
  profile: [earlyPaths.staffAccess, earlyPaths.sessions, earlyPaths.noticePreferences],
  application: [earlyPaths.application],
}

/** The first page of the list of borrowers, as web/features/staff/users.ts asks for it. */
const firstUsers = { page: '1', page_size: '10' }

/** What staff who act for a borrower may not read. */
const ownReads: readonly string[] = [earlyPaths.sessions, earlyPaths.noticePreferences]

/**
 * Requests the data of a page while its code is still loading. The schedule of the loan that was
 * shown last is requested with the loans, everything else of a loan after them.
 */
export function askEarly(page: DrawnPage, { token, isStaffAlone, isAssumed }: StoredPerson): void {
  const early: EarlyAnswers = { token, askedAtMs: Date.now(), answers: new Map() }
  Reflect.set(window, earlyAnswersName, early)
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  const ask = (path: string, query: Record<string, string> = {}, onText?: (text: string) => void): void => {
    const search = new URLSearchParams(query).toString()
    const url = apiPrefix + path + (search && `?${search}`)
    if (early.answers.has(url)) return
    const answer = fetch(url, { headers, signal: AbortSignal.timeout(30_000) }).then((response) => readToTheEnd(response, onText))
    // Whoever uses the response handles the rejection.
    answer.catch(() => {})
    early.answers.set(url, answer)
  }

  ask(earlyPaths.permissions)
  const reads = readsOfLoan[page]
  if (reads) {
    const lead = readShownLead(token)
    // Before whoever takes the answer can ask for the same.
    ask(earlyPaths.loans, {}, (text) => {
      for (const [path, query] of listReadsOfLoan(text, reads, lead)) ask(path, query)
    })
    if (lead !== null) ask(earlyPaths.schedule, { lead_id: lead })
  }
  for (const path of readsOfPage[page] ?? []) if (!isAssumed || !ownReads.includes(path)) ask(path)
  // A search is typed by hand: only the screen's code reads it.
  if (page === 'users' && window.location.search === '') ask(earlyPaths.users, firstUsers)
  if (!isStaffAlone && page !== 'waiting') ask(earlyPaths.notices)
}

type ReadOfLoan = [path: string, query: Record<string, string>]

/** The reads of the shown loan; the schedule is left out if it was requested with the loans. */
function listReadsOfLoan(text: string, reads: NonNullable<(typeof readsOfLoan)[DrawnPage]>, askedLead: string | null): ReadOfLoan[] {
  const { loans } = JSON.parse(text) as { loans: Pick<Loan, 'lan' | 'lead_id' | 'loan_status'>[] }
  const loan = selectShownLoan(loans, new URLSearchParams(window.location.search).get('loan'))
  if (loan === undefined) return []
  const leadId = loan.lead_id ?? loan.lan
  return reads
    .filter(([path]) => path !== earlyPaths.schedule || leadId !== askedLead)
    .map(([path, name]) => [path, { [name]: name === 'lead_id' ? leadId : loan.lan }])
}

/** A response that is not read would keep its connection. */
async function readToTheEnd(answer: Response, onText?: (text: string) => void): Promise<Response> {
  const text = await answer.text()
  try {
    if (answer.ok) onText?.(text)
  } catch {
    // The page reports an answer that is none.
  }
  return new Response(text, { status: answer.status, headers: answer.headers })
}
