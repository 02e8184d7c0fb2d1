import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Origin } from '../http/caller.ts'
import { hashCode, hashSessionToken, newCode, newSessionToken } from './one-time-code.ts'
import { spendSend } from './send-limits.ts'
import { codeLifetimeMs, refuseSend, resendDelaySeconds, sendsKeptMs, signInLimits, type PhoneHistory } from './sign-in-limits.ts'
import { insertCode, saveSends, supersedeCodes } from './sign-in-store.ts'

export type CodeRequest = {
  userId: string
  phone: string
  /** Wrong tries to begin with: an expired code's successor carries them over. */
  wrongTries: number
  /** Who asks. */
  origin: Origin
}

export type SentCode = { sessionToken: string; resendAfterSeconds: number; expiresAt: Date }

/**
 * Sends a new code, ending the previous one, within the caller's transaction and under its lock of the phone: the code
 * and its message are there together, or not at all. The message leaves after the commit.
 *
 * @throws Failure AuthTooManyAttemptsError, AuthResendTooSoon: nothing is sent.
 */
export async function sendCode(
  context: Context,
  sql: Sql,
  history: PhoneHistory,
  { userId, phone, wrongTries, origin }: CodeRequest,
  now: Date,
): Promise<SentCode> {
  const { signIn, origins, portal } = context.config
  const limits = signInLimits[signIn.limits]
  refuseSend(limits, history, now)
  await spendSend(context, sql, { userId, history, origin, now })
  const sentAt = [...history.sentAt.filter((at) => at.getTime() > now.getTime() - sendsKeptMs), now]
  const code = newCode()
  const sessionToken = newSessionToken()
  const tokenHash = hashSessionToken(sessionToken)
  const expiresAt = new Date(now.getTime() + codeLifetimeMs)
  await saveSends(sql, phone, sentAt)
  await supersedeCodes(sql, phone, now)
  await insertCode(sql, {
    tokenHash,
    phone,
    userId,
    wrongTries,
    createdAt: now,
    expiresAt,
    codeHash: hashCode(signIn.codeKey, { tokenHash, phone }, code),
  })
  const text = messageText(signIn.smsTemplate, { brand: portal.brand.name, host: new URL(origins[0] ?? 'http://localhost').hostname, code })
  await context.jobs.enqueue(sql, 'send-sms', { to: phone, text, code, expiresAt: expiresAt.toISOString() })
  return { sessionToken, expiresAt, resendAfterSeconds: resendDelaySeconds(limits, { ...history, sentAt }, now) }
}

/** The last line of the template lets the phone's browser offer the code on our own pages only (WebOTP). */
function messageText(template: string, values: { brand: string; host: string; code: string }): string {
  return template.replaceAll(/\{(brand|host|code)\}/g, (_all, name: keyof typeof values) => values[name])
}
