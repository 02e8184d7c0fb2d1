import { uuidv7 } from 'uuidv7'
import type { CodeStatus, User } from '#contract/auth.ts'
import type { Context } from '../context.ts'
import type { JobData } from '../jobs/jobs.ts'

/** The parts of a running server that these tests use. */
type App = { url: string; context: Context }

export type Answer = {
  status: number
  headers: Headers
  /** The device cookie that the answer sets, without attributes; null if it sets none. */
  device: string | null
  body: {
    session_token?: string
    session?: string
    resend_after_seconds?: number
    expires_at?: string
    token?: string
    user?: User
    permissions?: string[]
    success?: boolean
    status?: CodeStatus
    code?: string
    field?: string
    refusal?: string
  }
}

type Person = { userId: string; phone: string }

type PersonOptions = {
  phone?: string
  kind?: 'borrower' | 'staff'
  roles?: string[]
  permissions?: string[]
  disabled?: boolean
}

/**
 * The address that the proxy of {@link strictSettings} forwards, and the device cookie of the
 * request.
 */
export type From = { address?: string; device?: string | null | undefined }

/** Production limits behind a trusted proxy, so that a test can choose its address. */
export const strictSettings = { KIST_LIMITS: 'strict', KIST_TRUSTED_PROXIES: '127.0.0.1' }

let people = 0
let networks = 0
/** An address in a /24 that no other test has used. */
export const newAddress = (): string => `${11 + Math.floor(++networks / 65_536)}.${Math.floor(networks / 256) % 256}.${networks % 256}.1`

/**
 * The steps of signing in, as an API client and phone owner take them. Messages are read when they
 * are enqueued, half a second before the outbox has them.
 */
export function signInSteps(app: App) {
  const messages: (JobData['send-sms'] & { delayMs: number })[] = []
  const { jobs } = app.context
  app.context.jobs = {
    ...jobs,
    enqueue: async (sql, queue, data, options) => {
      await jobs.enqueue(sql, queue, data, options)
      if (queue === 'send-sms') messages.push({ ...(data as JobData['send-sms']), delayMs: options?.delayMs ?? 0 })
    },
  }

  /** Without an address, each call comes from a different network. */
  const call = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    authorization?: string,
    { address = newAddress(), device }: From = {},
  ): Promise<Answer> => {
    const headers = {
      'x-forwarded-for': address,
      ...(device && { cookie: `other=1; kist_device=${device}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(authorization !== undefined && { authorization }),
    }
    const response = await fetch(`${app.url}/api/v1${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    const cookie = /^kist_device=([^;]+);/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? null
    return { status: response.status, headers: response.headers, device: cookie, body: (await response.json()) as Answer['body'] }
  }

  /** Adds a person with an unused phone. */
  const addPerson = async ({
    phone,
    kind = 'borrower',
    roles = [],
    permissions = [],
    disabled = false,
  }: PersonOptions = {}): Promise<Person> => {
    people += 1
    const person = { userId: uuidv7(), phone: phone ?? `+91811${String(people).padStart(7, '0')}` }
    const now = app.context.clock.now()
    await app.context.database.asSystem(async (sql) => {
      const name = { first_name: 'Asha', last_name: 'Rao', email: 'asha@example.in', pan: 'ABCDE1234F' }
      const row = {
        ...name,
        user_id: person.userId,
        phone: person.phone,
        kind,
        roles,
        permissions,
        created_at: now,
        disabled_at: disabled ? now : null,
      }
      await sql.insertInto('users').values(row).execute()
      await sql.insertInto('user_phones').values({ phone: person.phone, user_id: person.userId }).execute()
    })
    return person
  }

  const messagesTo = (phone: string) => messages.filter(({ to }) => to === phone)
  const login = (phone: unknown, from?: From): Promise<Answer> => call('POST', '/auth/login', { phone }, undefined, from)
  const verify = (sessionToken: unknown, otp: unknown, from?: From): Promise<Answer> =>
    call('POST', '/auth/verify', { session_token: sessionToken, otp }, undefined, from)
  const permissions = (token: string | undefined): Promise<Answer> => call('GET', '/auth/permissions', undefined, `Bearer ${token}`)
  const logout = (token: string | undefined): Promise<Answer> => call('POST', '/auth/logout', undefined, `Bearer ${token}`)

  /** Requests a code and reads it from the message. */
  const receiveCode = async (phone: string, from?: From): Promise<{ sessionToken: string; code: string; wrongCode: string }> => {
    const { status, body } = await login(phone, from)
    if (status !== 200 || body.session_token === undefined) throw new Error(`login answered ${status} ${body.code}`)
    return { sessionToken: body.session_token, ...readCode(phone) }
  }

  const readCode = (phone: string): { code: string; wrongCode: string } => {
    const code = messagesTo(phone).at(-1)?.code
    if (!code) throw new Error(`no code came to ${phone}`)
    return { code, wrongCode: String((Number(code) + 1) % 1_000_000).padStart(6, '0') }
  }

  const signIn = async (phone: string): Promise<string> => (await signInOn(phone)).token

  /** @returns the token, and the device cookie that makes the browser known. */
  const signInOn = async (phone: string, from?: From): Promise<{ token: string; device: string }> => {
    const { sessionToken, code } = await receiveCode(phone, from)
    const { status, body, device } = await verify(sessionToken, code, from)
    if (body.token === undefined || device === null) throw new Error(`verify answered ${status} ${body.code}, cookie ${device}`)
    return { token: body.token, device }
  }

  return { signInOn, call, addPerson, messagesTo, login, verify, permissions, logout, receiveCode, readCode, signIn }
}
