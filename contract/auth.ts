import * as z from 'zod/mini'
import { instant } from './day.ts'
import { endpoint } from './endpoint.ts'

/** A user in responses of `verify`, the staff's user list and `readUser` (decision 30). */
export const user = z.object({
  user_id: z.string(),
  email: z.nullable(z.string()),
  phone: z.nullable(z.string()),
  pan: z.nullable(z.string()),
  metadata: z.object({
    first_name: z.string(),
    last_name: z.string(),
    phone: z.nullable(z.string()),
    email: z.nullable(z.string()),
    email_verified: z.boolean(),
    pan: z.nullable(z.string()),
    is_ongoing_application: z.boolean(),
  }),
})
export type User = z.output<typeof user>

/**
 * A phone number: `+`, a country code of one to three digits, and ten digits. Ten digits alone mean
 * +91 (spec §5, decision 29).
 */
const phone = z.string().check(z.regex(/^(\+[0-9]{1,3})?[0-9]{10}$/, 'must be + and a country code and 10 digits, or 10 digits'))

/** The six digits of a one-time code (spec §5). */
const oneTimeCode = z.string().check(z.regex(/^[0-9]{6}$/, 'must be exactly 6 digits'))

const sessionToken = z.string().check(z.minLength(1), z.maxLength(200))

/** Sends a one-time code. Another call with the same phone sends a new code (decision 3). */
export const login = endpoint({
  method: 'POST',
  path: '/auth/login',
  access: 'public',
  summary: 'Send a one-time code to a phone',
  body: z.object({ phone }),
  response: z.object({
    session_token: z.string(),
    /** The same value as `session_token`: the specification uses both names. */
    session: z.string(),
    resend_after_seconds: z.int(),
    expires_at: instant,
  }),
  errors: ['AuthUserNotFoundError', 'AuthTooManyAttemptsError', 'AuthResendTooSoon'],
})

/**
 * Exchanges a one-time code for a bearer token. If the code has expired, the server sends a new one
 * and the response has a new `session_token` instead of a bearer token.
 */
export const verify = endpoint({
  method: 'POST',
  path: '/auth/verify',
  access: 'public',
  summary: 'Sign in with a one-time code',
  body: z.object({ session_token: sessionToken, otp: oneTimeCode }),
  response: z.object({
    token: z.optional(z.string()),
    user: z.optional(user),
    session_token: z.optional(z.string()),
    resend_after_seconds: z.optional(z.int()),
    expires_at: z.optional(instant),
  }),
  errors: ['AuthInvalidOTPError', 'AuthTooManyAttemptsError'],
})

/**
 * What our server knows of the message with a code. `waiting`: not handed to the carrier yet, or
 * being tried again. `sent`: the carrier has taken it. `failed`: given up.
 */
const codeStatuses = ['waiting', 'sent', 'failed'] as const
export type CodeStatus = (typeof codeStatuses)[number]

/** Whether the code of a session token was sent. */
export const readCodeStatus = endpoint({
  method: 'GET',
  path: '/auth/code-status',
  access: 'public',
  summary: 'Whether a one-time code was sent',
  query: z.object({ session_token: sessionToken }),
  response: z.object({ status: z.enum(codeStatuses) }),
  errors: ['AuthInvalidOTPError', 'AuthTooManyAttemptsError'],
})

/** Ends the session of the token. */
export const logout = endpoint({
  method: 'POST',
  path: '/auth/logout',
  access: 'session',
  summary: 'Sign out',
  response: z.object({ success: z.literal(true) }),
})

/** The permissions of the session (spec §6). */
export const readPermissions = endpoint({
  method: 'GET',
  path: '/auth/permissions',
  access: 'session',
  summary: 'The permissions of the session',
  /** Strings, not an enum: an older web client must accept permissions that it does not know. */
  response: z.object({ permissions: z.array(z.string()) }),
})

/**
 * The claims of the bearer token (decision 4). The web client reads them without verifying the
 * signature; the server verifies the token.
 */
export const tokenClaims = z.object({
  sub: z.string(),
  sid: z.optional(z.string()),
  assumed_user_id: z.optional(z.nullable(z.string())),
  roles: z.optional(z.union([z.array(z.string()), z.string()])),
  exp: z.number(),
})
