import { findDrawnPage, isDrawnFor, type DrawnPage, isLoanPath, paths } from '#web/app/paths.ts'
import { applyStoredTheme, readStored, storageKeys } from '#web/storage.ts'
import { askEarly } from './early-reads.ts'
import { pickReaderLanguage, preload } from './prepare-page.ts'
import { readStoredPerson } from './stored-person.ts'

// The build writes this script into the head of the portal's page; it runs before the body is
// there (tools/web-pages.ts).

applyStoredTheme()
// What is drawn is hidden until drawn.ts has put the reader's language into it.
const state = document.documentElement.dataset
state['drawn'] = 'never'

const { pathname } = window.location
// No session: go straight to login.html, which loads faster than the portal.
if ((pathname === paths.index || isLoanPath(pathname)) && readStored(storageKeys.token) === null) window.location.replace(paths.login)
else {
  const page = findDrawnPage(pathname)
  const person = readStoredPerson()
  // An assumed session has a bar with names above the page; its page is not drawn.
  const isDrawn = page !== null && person !== null && !person.isAssumed && isDrawnFor(page, person.isStaffAlone)
  const leadsElsewhere = pathname === paths.index && person?.user?.metadata.is_ongoing_application === true
  if (isDrawn && !leadsElsewhere) state['drawn'] = 'hidden'
  if (page !== null && person !== null && (isDrawn || person.isAssumed)) {
    askEarly(page, person)
    preload(...listChunks(page))
  }
}

/** The chunks that a page needs besides those that every page names. */
function listChunks(page: DrawnPage): string[] {
  const language = pickReaderLanguage()
  const chunks = [`words-${language}`]
  const chunksOfLoan = [...chunks, `words-loans-${language}`, 'loans']
  if (page === 'payments') return [...chunksOfLoan, 'loan-parts', 'payment-parts', 'payments-tab']
  if (page === 'documents') return [...chunksOfLoan, `words-documents-${language}`, 'documents-tab']
  return page === 'loan-details' ? chunksOfLoan : chunks
}
