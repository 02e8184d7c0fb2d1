import type * as z from 'zod/mini'
import type { ErrorCode } from './errors.ts'
import type { Permission } from './permissions.ts'

/**
 * Who may make a call: anyone, anyone signed in, or a session with the permission (decision 33).
 */
export type Access = 'public' | 'session' | Permission

/** The header Idempotency-Key: 1 to 255 printable characters (decision 52). */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/

/** One call of the API, as server and web share it. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Relative to `/api/v1`. `:name` is a parameter of `params`. */
  path: `/${string}`
  access: Access
  summary: string
  params?: z.ZodMiniType
  query?: z.ZodMiniType
  body?: z.ZodMiniType
  /**
   * The body is `multipart/form-data`: the text fields of `body`, and one file in the field `file`.
   */
  takes?: 'file'
  /**
   * Accepts an Idempotency-Key: a repeated request with the same key and body is executed once
   * (decision 56).
   */
  idempotent?: true
  /**
   * Fields of the body that the key's stored hash leaves out, as `object.field`. The hash of such a
   * call is keyed, because the rest could be guessed.
   */
  unhashedFields?: readonly `${string}.${string}`[]
  /** The response is the bytes of a file instead of JSON; `response` is not used. */
  answers?: 'file'
  response: z.ZodMiniType
  /**
   * The errors of this call, besides those of every call (InvalidRequest, AuthSessionExpired,
   * Unexpected …).
   */
  errors?: readonly ErrorCode[]
}

export const endpoint = <const E extends Endpoint>(definition: E): E => definition

type Schema<E, K extends 'params' | 'query' | 'body'> = E extends { [P in K]: infer S extends z.ZodMiniType } ? S : never

/** What a use case receives and a caller passes, after decoding. */
export type RequestOf<E extends Endpoint> = ([Schema<E, 'params'>] extends [never] ? unknown : { params: z.output<Schema<E, 'params'>> }) &
  ([Schema<E, 'query'>] extends [never] ? unknown : { query: z.output<Schema<E, 'query'>> }) &
  ([Schema<E, 'body'>] extends [never] ? unknown : { body: z.output<Schema<E, 'body'>> })

export type ResponseOf<E extends Endpoint> = z.output<E['response']>

export const apiPrefix = '/api/v1'
