import { apiPrefix } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import { earlyAnswersName, earlyPaths, nameRequest, type EarlyAnswers } from '#web/api/early-answers.ts'
import type { DrawnPage } from '#web/app/paths.ts'
import { afterPaint } from '#web/ui/after-paint.ts'
import { selectShownLoan } from '#web/loan/select-loan.ts'
import { readShownLead } from '#web/storage.ts'
import { sendEarly } from './send-early.ts'
import type { StoredPerson } from './stored-person.ts'

/**
 * What each page of a loan reads besides the list of loans, and the parameter that names the loan.
 */
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

/** What other pages read. The profile page itself reads the whole PAN: each read is logged. */
const readsOfPage: Partial<Record<DrawnPage, readonly string[]>> = {
  profile: [earlyPaths.staffAccess, earlyPaths.sessions, earlyPaths.noticePreferences],
  application: [earlyPaths.application],
}

/**
 * The first page of each list of staff, with the parameters of its feature. A loan or a proposal is
 * an entry in the borrower's access log: it is read once and later.
 */
const firstPages: Partial<Record<DrawnPage, readonly [path: string, query: Record<string, string>]>> = {
  users: [earlyPaths.users, { page: '1', page_size: '10' }],
  operations: [earlyPaths.operationsQueue, { state: 'proposed', page: '1' }],
  'operations-loans': [earlyPaths.operationsLoans, { page: '1' }],
  'operations-reviews': [earlyPaths.operationsReviews, { state: 'open', page: '1' }],
}

/** What staff who act for a borrower may not read. */
const ownReads: readonly string[] = [earlyPaths.sessions, earlyPaths.noticePreferences]

/** As long as a query stays fresh: on a slow connection the code takes that long. */
const freshMs = 30_000

/**
 * Requests the data of a page while its code is still loading. The schedule of the loan that was
 * shown last is requested with the loans, everything else of a loan after them.
 */
export function askEarly(page: DrawnPage, { token, isStaffAlone, isAssumed }: StoredPerson): void {
  const early: EarlyAnswers = { token, freshUntilMs: Date.now() + freshMs, answers: new Map() }
  Reflect.set(window, earlyAnswersName, early)
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  const ask = (path: string, query: Record<string, string> = {}, onText?: (text: string) => void): void => {
    const search = new URLSearchParams(query).toString()
    const url = apiPrefix + path + (search && `?${search}`)
    const name = nameRequest('GET', url)
    if (early.answers.has(name)) return
    early.answers.set(name, sendEarly(url, { headers }, onText))
  }

  ask(earlyPaths.permissions)
  const reads = readsOfLoan[page]
  if (reads) {
    const lead = readShownLead(token)
    // Called before the page receives the loans, so that it finds these answers and asks no more.
    ask(earlyPaths.loans, {}, (text) => {
      for (const [path, query] of listReadsOfLoan(text, reads, lead)) ask(path, query)
    })
    if (lead !== null) ask(earlyPaths.schedule, { lead_id: lead })
  }
  for (const path of readsOfPage[page] ?? []) if (!isAssumed || !ownReads.includes(path)) ask(path)
  // The search of an address may be invalid; the page's code checks it.
  const first = firstPages[page]
  if (first && window.location.search === '') ask(...first)
  if (page.startsWith('operations')) ask(earlyPaths.operationsCounts)
  // Nothing on the first screen waits for notices. The page's code asks itself if it was faster.
  const isTakenOver = (): boolean => document.documentElement.dataset['drawn'] === undefined
  const askForNotices = (): void => {
    if (!isTakenOver()) ask(earlyPaths.notices)
  }
  if (!isStaffAlone && page !== 'waiting') afterPaint(askForNotices)
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
