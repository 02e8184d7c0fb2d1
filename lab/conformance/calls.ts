import { checkerCalls, loanPaperCalls, makerCalls, rateResetCalls } from './agreed-terms-calls.ts'
import { autopayCalls } from './autopay-calls.ts'
import type { Call } from './call.ts'
import { documentCalls } from './document-calls.ts'
import { paymentCalls } from './payment-calls.ts'
import { requestCode, refusedSignIns, signOut, verify } from './sign-in-calls.ts'
import { staffCalls } from './staff-calls.ts'
import { trancheCalls } from './tranche-calls.ts'
import type { Visit } from './visit.ts'

/**
 * In this order: a borrower signs in, pays, sets up autopay and cancels it, requests a tranche,
 * uploads and downloads documents, and signs out; then staff assume a borrower. Last, a borrower
 * with a floating loan chooses, and opens a paper that two people of operations have published.
 */
export const calls: readonly Call[] = [
  ...refusedSignIns,
  verify('the right code'),
  ...paymentCalls,
  ...autopayCalls,
  ...trancheCalls,
  ...documentCalls,
  ...signOut,
  requestCode('staff', (visit) => visit.staffPhone),
  verify('staff'),
  ...staffCalls,
  ...signOut,
  ...signedIn('with a floating loan', (visit) => visit.floatingPhone, rateResetCalls),
  ...signedIn('the maker', (visit) => visit.makerPhone, makerCalls),
  ...signedIn('the checker', (visit) => visit.checkerPhone, checkerCalls),
  ...signedIn('with a floating loan, again', (visit) => visit.floatingPhone, loanPaperCalls),
]

/** Calls of one person, between their sign-in and sign-out. */
function signedIn(who: string, phone: (visit: Visit) => string, own: readonly Call[]): Call[] {
  return [requestCode(who, phone), verify(who), ...own, ...signOut]
}
