import { uuidv7 } from 'uuidv7'
import type { User } from '#contract/auth.ts'
import type { TextMessage } from '../adapters/sms/sms.ts'
import type { Context } from '../context.ts'
import type { JobData } from '../jobs/jobs.ts'

/** What these tests need of a running server. */
type App = { url: string; context: Context }

export type Answer = {
  status: number
  headers: Headers
  body: {
    session_token?: string
    session?: string
    resend_after_seconds?: number
    expires_at?: string
    token?: string
    user?: User
    permissions?: string[]
    success?: boolean
    code?: string
    field?: string
  }
}

export type Person = { userId: string; phone: string }

export type PersonOptions = {
  phone?: string
  kind?: 'borrower' | 'staff'
  roles?: string[]
  permissions?: string[]
  disabled?: boolean
}

let people = 0

/**
 * The steps of signing in, as a client of the API and the owner of a phone take them. Messages are read where they are
 * asked for, in the login's own transaction: half a second before the outbox has them.
 */
export function signInSteps(app: App) {
  const messages: TextMessage[] = []
  const { jobs } = app.context
  app.context.jobs = {
    ...jobs,
    enqueue: async (sql, queue, data) => {
      await jobs.enqueue(sql, queue, data)
      if (queue === 'send-sms') messages.push(data as JobData['send-sms'])
    },
  }

  const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, authorization?: string): Promise<Answer> => {
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(authorization !== undefined && { authorization }),
    }
    const response = await fetch(`${app.url}/api/v1${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
  }

  /** Someone new, with a phone that nobody else has. */
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

  const messagesTo = (phone: string): TextMessage[] => messages.filter(({ to }) => to === phone)
  const login = (phone: unknown): Promise<Answer> => call('POST', '/auth/login', { phone })
  const verify = (sessionToken: unknown, otp: unknown): Promise<Answer> =>
    call('POST', '/auth/verify', { session_token: sessionToken, otp })
  const permissions = (token: string | undefined): Promise<Answer> => call('GET', '/auth/permissions', undefined, `Bearer ${token}`)
  const logout = (token: string | undefined): Promise<Answer> => call('POST', '/auth/logout', undefined, `Bearer ${token}`)

  /** Asks for a code and reads it off the phone. */
  const receiveCode = async (phone: string): Promise<{ sessionToken: string; code: string; wrongCode: string }> => {
    const { status, body } = await login(phone)
    if (status !== 200 || body.session_token === undefined) throw new Error(`login answered ${status} ${body.code}`)
    return { sessionToken: body.session_token, ...readCode(phone) }
  }

  const readCode = (phone: string): { code: string; wrongCode: string } => {
    const code = messagesTo(phone).at(-1)?.code
    if (!code) throw new Error(`no code came to ${phone}`)
    return { code, wrongCode: String((Number(code) + 1) % 1_000_000).padStart(6, '0') }
  }

  const signIn = async (phone: string): Promise<string> => {
    const { sessionToken, code } = await receiveCode(phone)
    const { status, body } = await verify(sessionToken, code)
    if (body.token === undefined) throw new Error(`verify answered ${status} ${body.code}`)
    return body.token
  }

  return { call, addPerson, messagesTo, login, verify, permissions, logout, receiveCode, readCode, signIn }
}
