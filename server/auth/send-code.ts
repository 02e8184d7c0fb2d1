import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Origin } from '../caller.ts'
import { fillTemplate } from '../config/sms-templates.ts'
import { networkHash } from './address.ts'
import { hashCode, hashSessionToken, generateCode, generateSessionToken, type CodePurpose } from './one-time-code.ts'
import { spendSend } from './send-limits.ts'
import { codeLifetimeMs, refuseSend, resendDelaySeconds, signInLimits } from './sign-in-limits.ts'
import { addSend, insertCode, supersedeCodes, type LockedOwner } from './sign-in-store.ts'
import { findLanguage } from './user-store.ts'

type CodeRequest = {
  owner: LockedOwner
  purpose: CodePurpose
  /** The initial count of wrong tries: the successor of an expired code inherits it. */
  wrongTries: number
  origin: Origin
}

type SentCode = { sessionToken: string; resendAfterSeconds: number; expiresAt: Date }

/**
 * Sends a new code and ends the owner's previous one, in the caller's transaction and under its
 * lock of the owner, so that code and message are stored together. The message is sent after the
 * commit, or up to 120 s later if the breaker delays it; the code's lifetime starts then.
 *
 * @throws Failure AuthTooManyAttemptsError, AuthResendTooSoon: nothing is sent.
 */
export async function sendCode(
  context: Context,
  sql: Sql,
  { owner, purpose, wrongTries, origin }: CodeRequest,
  now: Date,
): Promise<SentCode> {
  const { signIn, origins, portal } = context.config
  const limits = signInLimits[signIn.limits]
  const network = networkHash(signIn.networkKey, origin.remoteAddress)
  refuseSend(limits, owner, { isKnownDevice: owner.deviceHash !== null, network }, now)
  const sendAt = await spendSend(context, sql, owner, now)
  const code = generateCode()
  const sessionToken = generateSessionToken()
  const tokenHash = hashSessionToken(sessionToken)
  const expiresAt = new Date(sendAt.getTime() + codeLifetimeMs)
  const sends = await addSend(sql, owner, { at: sendAt, network }, now)
  await supersedeCodes(sql, owner, now)
  await insertCode(sql, owner, {
    tokenHash,
    wrongTries,
    createdAt: now,
    expiresAt,
    codeHash: hashCode(signIn.codeKey, { tokenHash, phone: owner.phone, purpose }, code),
  })
  const language = (await findLanguage(sql, owner.userId)) ?? portal.default_language
  const { text: template, templateId } = context.config.smsTemplates.sign_in_code[language]
  // The last line of the text makes the phone's browser offer the code on our pages only (WebOTP).
  const host = new URL(origins[0] ?? 'http://localhost').hostname
  const text = fillTemplate(template, { brand: portal.brand.name, host, code })
  const delayMs = sendAt.getTime() - now.getTime()
  const message = { to: owner.phone, text, code, templateId, expiresAt: expiresAt.toISOString() }
  await context.jobs.enqueue(sql, 'send-sms', { ...message, tokenHash: tokenHash.toString('base64') }, { delayMs })
  const resendAfterSeconds = Math.ceil(delayMs / 1_000) + resendDelaySeconds(limits, { ...owner, sends }, now)
  return { sessionToken, expiresAt, resendAfterSeconds }
}
