import { autopayCalls } from './autopay-calls.ts'
import type { Call } from './call.ts'
import { documentCalls } from './document-calls.ts'
import { paymentCalls } from './payment-calls.ts'
import { requestCode, refusedSignIns, signOut, verify } from './sign-in-calls.ts'
import { staffCalls } from './staff-calls.ts'
import { trancheCalls } from './tranche-calls.ts'

/**
 * In this order: a borrower signs in, pays, sets up autopay and cancels it, requests a tranche,
 * uploads and downloads documents, and signs out; then staff assume a borrower.
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
]
