import * as z from 'zod/mini'
import { user } from './auth.ts'
import { instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'
import { plainText } from './text.ts'

/** The signed-in user; for staff also a borrower. */
export const readUser = endpoint({
  method: 'GET',
  path: '/auth/users/:user_id',
  access: 'session',
  summary: 'One user',
  params: z.object({ user_id: identifier }),
  response: z.object({ user }),
  errors: ['NotFound'],
})

/** Acts as a borrower for half an hour at most (decisions 16, 31). The borrower can see it. */
export const assume = endpoint({
  method: 'POST',
  path: '/auth/assume',
  access: 'user:assume',
  summary: 'Act as a borrower, as staff',
  body: z.object({
    user_id_to_assume: identifier,
    /** Shown to the borrower. Recorded as 'not given' if absent. */
    reason: z.optional(plainText(300)),
  }),
  response: z.object({ token: z.string(), expires_at: instant }),
  errors: ['NotFound'],
})

/**
 * Stops acting as a borrower and returns the staff member's own token. Without an assumed borrower
 * it returns the same token.
 */
export const endAssume = endpoint({
  method: 'DELETE',
  path: '/auth/assume',
  access: 'session',
  summary: 'Stop acting as a borrower',
  response: z.object({ token: z.string(), user }),
})
