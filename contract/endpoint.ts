import type * as z from 'zod/mini'
import type { ErrorCode } from './errors.ts'
import type { Permission } from './permissions.ts'

/** Who may make a call: anyone, anyone signed in, or a session that holds the permission (decision 33). */
export type Access = 'public' | 'session' | Permission

/** One call of the API: everything both sides must agree on, and nothing else. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/v1`; `:name` stands for a parameter of `params`. */
  path: `/${string}`
  access: Access
  summary: string
  params?: z.ZodMiniType
  query?: z.ZodMiniType
  body?: z.ZodMiniType
  /** The body is `multipart/form-data`: the text fields of `body`, and one file in the field `file`. */
  takes?: 'file'
  /** Takes an Idempotency-Key: sent again with the same key and body, it is done once (decision 56). */
  idempotent?: true
  /** The answer is the bytes of a file, not JSON; `response` says nothing then. */
  answers?: 'file'
  response: z.ZodMiniType
  /** The failures of this call beyond those any call may answer (InvalidRequest, AuthSessionExpired, Unexpected …). */
  errors?: readonly ErrorCode[]
}

export const endpoint = <const E extends Endpoint>(definition: E): E => definition

type Schema<E, K extends 'params' | 'query' | 'body'> = E extends { [P in K]: infer S extends z.ZodMiniType } ? S : never

/** What a use case receives, and what a caller passes, after decoding. */
export type RequestOf<E extends Endpoint> = ([Schema<E, 'params'>] extends [never] ? unknown : { params: z.output<Schema<E, 'params'>> }) &
  ([Schema<E, 'query'>] extends [never] ? unknown : { query: z.output<Schema<E, 'query'>> }) &
  ([Schema<E, 'body'>] extends [never] ? unknown : { body: z.output<Schema<E, 'body'>> })

export type ResponseOf<E extends Endpoint> = z.output<E['response']>

export const apiPrefix = '/api/v1'
