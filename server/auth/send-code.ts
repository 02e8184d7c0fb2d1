import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Origin } from '../caller.ts'
import { fillTemplate } from '../config/sms-templates.ts'
import { networkHash } from './address.ts'
import { hashCode, hashSessionToken, newCode, newSessionToken } from './one-time-code.ts'
import { spendSend } from './send-limits.ts'
import { codeLifetimeMs, refuseSend, resendDelaySeconds, signInLimits } from './sign-in-limits.ts'
import { addSend, insertCode, supersedeCodes, type LockedOwner } from './sign-in-store.ts'
import { languageOf } from './user-store.ts'

export type CodeRequest = {
  owner: LockedOwner
  /** Wrong tries to begin with: an expired code's successor carries them over. */
  wrongTries: number
  /** Who asks. */
  origin: Origin
}

export type SentCode = { sessionToken: string; resendAfterSeconds: number; expiresAt: Date }

/**
 * Sends a new code, ending the owner's previous one, within the caller's transaction and under its lock of the owner: the code and its
 * message are there together, or not at all. The message leaves after the commit, or when the breaker lets it, at most 120 s later; the
 * code's lifetime starts then.
 *
 * @throws Failure AuthTooManyAttemptsError, AuthResendTooSoon: nothing is sent.
 */
export async function sendCode(context: Context, sql: Sql, { owner, wrongTries, origin }: CodeRequest, now: Date): Promise<SentCode> {
  const { signIn, origins, portal } = context.config
  const limits = signInLimits[signIn.limits]
  const network = networkHash(signIn.networkKey, origin.remoteAddress)
  refuseSend(limits, owner, { isKnownDevice: owner.deviceHash !== null, network }, now)
  const sendAt = await spendSend(context, sql, owner, now)
  const code = newCode()
  const sessionToken = newSessionToken()
  const tokenHash = hashSessionToken(sessionToken)
  const expiresAt = new Date(sendAt.getTime() + codeLifetimeMs)
  const sends = await addSend(sql, owner, { at: sendAt, network }, now)
  await supersedeCodes(sql, owner, now)
  await insertCode(sql, owner, {
    tokenHash,
    wrongTries,
    createdAt: now,
    expiresAt,
    codeHash: hashCode(signIn.codeKey, { tokenHash, phone: owner.phone }, code),
  })
  const language = (await languageOf(sql, owner.userId)) ?? portal.default_language
  const { text: template, templateId } = context.config.smsTemplates.sign_in_code[language]
  // The last line of the text lets the phone's browser offer the code on our own pages only (WebOTP).
  const host = new URL(origins[0] ?? 'http://localhost').hostname
  const text = fillTemplate(template, { brand: portal.brand.name, host, code })
  const delayMs = sendAt.getTime() - now.getTime()
  await context.jobs.enqueue(sql, 'send-sms', { to: owner.phone, text, code, templateId, expiresAt: expiresAt.toISOString() }, { delayMs })
  const resendAfterSeconds = Math.ceil(delayMs / 1_000) + resendDelaySeconds(limits, { ...owner, sends }, now)
  return { sessionToken, expiresAt, resendAfterSeconds }
}
