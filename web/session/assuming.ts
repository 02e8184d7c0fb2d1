import type { User } from '#contract/auth.ts'
import { assume, endAssume, readUser } from '#contract/users.ts'
import { call } from '#web/api/call.ts'
import { readTokenReceivedAtMs } from '#web/storage.ts'
import { isAssuming } from './claims.ts'
import { changeSession } from './change-session.ts'
import { toActor, getSession, readActor, startSession } from './session.ts'
import { forgetStartedPayment } from './started-payment.ts'

/** After this the list is shown, whatever the call's result is. */
const endTimeoutMs = 5000

/**
 * An assumed session is ended this long before it expires, so that staff return to the list and not
 * to a login (decision 48).
 */
export const endsEarlyMs = 15_000

/**
 * Starts acting as a borrower, with their token, person and permissions. Rejects with ApiError;
 * nothing has changed then.
 */
export const startAssuming = (borrower: User, reason: string): Promise<void> =>
  changeSession(async () => {
    const { claims, user: own } = getSession()
    const actor = isAssuming(claims) ? readActor() : own && { ...toActor(own), received_at_ms: readTokenReceivedAtMs() }
    const { token } = await call(assume, { body: { user_id_to_assume: borrower.user_id, reason } }, { changesSession: true })
    // The row of the list has the same shape: it is used if the person cannot be read, because the
    // session has started already.
    const person = await call(readUser, { params: { user_id: borrower.user_id } }, { token, changesSession: true }).then(
      ({ user }) => user,
      () => borrower,
    )
    forgetStartedPayment()
    startSession(token, person, actor)
  })

let ending: Promise<void> | null = null

/**
 * Stops acting as a borrower; a second press waits for the first. Never rejects because of the
 * call: if it fails, the list shows who is still assumed, and the server ends the session in time.
 */
export function endAssuming(): Promise<void> {
  ending ??= changeSession(end).finally(() => {
    ending = null
  })
  return ending
}

async function end(): Promise<void> {
  const { token } = getSession()
  const receivedAtMs = readActor()?.received_at_ms ?? undefined
  forgetStartedPayment()
  const own = await call(endAssume, {}, { changesSession: true, signal: AbortSignal.timeout(endTimeoutMs) }).catch(() => null)
  // Another tab may have ended the session or signed out meanwhile.
  if (own !== null && getSession().token === token) startSession(own.token, own.user, null, receivedAtMs)
}
