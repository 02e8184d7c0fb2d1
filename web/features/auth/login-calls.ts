import { login, verify } from '#contract/auth.ts'
import type { ResponseOf } from '#contract/endpoint.ts'
import { call } from '#web/api/call.ts'

/** Requests a code for the ten digits of a phone. Rejects with ApiError. */
export const requestCode = (phone: string): Promise<ResponseOf<typeof login>> => call(login, { body: { phone: `+91${phone}` } })

/** Exchanges a code for a session. Rejects with ApiError. */
export const verifyCode = (sessionToken: string, code: string): Promise<ResponseOf<typeof verify>> =>
  call(verify, { body: { session_token: sessionToken, otp: code } })
