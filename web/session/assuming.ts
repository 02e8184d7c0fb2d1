import type { User } from '#contract/auth.ts'
import { assume, endAssume, readUser } from '#contract/staff.ts'
import { actorOf, getSession, readActor, startSession } from './session.ts'
import { isAssuming } from './auth-state.ts'
import { call } from '#web/api/call.ts'
import { forgetStartedPayment } from './started-payment.ts'

/** Staff have waited long enough: back to the list, whatever becomes of the call. */
const socketTimeoutMs = 5000

/** An assumed session is ended this long before it would end by itself, so that staff land on the list and not at a login (decision 48). */
export const endsEarlyMs = 15_000

/** Acts as a borrower from now on: their token, their person, their permissions. Rejects with ApiError, and then nothing has changed. */
export async function startAssuming(borrower: User, reason: string): Promise<void> {
  const { claims, user: own } = getSession()
  const actor = isAssuming(claims) ? readActor() : own && actorOf(own)
  const { token } = await call(assume, { body: { user_id_to_assume: borrower.user_id, reason } })
  // The list's row has the same shape: it stands in where the person cannot be read, for the session has begun.
  const person = await call(readUser, { params: { user_id: borrower.user_id } }, { token, keepSession: true }).then(
    ({ user }) => user,
    () => borrower,
  )
  forgetStartedPayment()
  startSession(token, person, actor)
}

let ending: Promise<void> | null = null

/** Stops acting as a borrower. Never rejects: if the call fails the list shows who is still acted for, and the server ends it in time. */
export function endAssuming(): Promise<void> {
  ending ??= end().finally(() => {
    ending = null
  })
  return ending
}

async function end(): Promise<void> {
  const { token } = getSession()
  forgetStartedPayment()
  try {
    const own = await call(endAssume, {}, { keepSession: true, signal: AbortSignal.timeout(socketTimeoutMs) })
    // Another tab may have ended it meanwhile, or signed out.
    if (getSession().token === token) startSession(own.token, own.user)
  } catch {
    // Said above.
  }
}
