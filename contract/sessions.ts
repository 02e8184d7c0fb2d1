import * as z from 'zod/mini'
import { instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

/** The active sessions of the signed-in person, newest first. */
export const listSessions = endpoint({
  method: 'GET',
  path: '/auth/sessions',
  access: 'session',
  summary: 'The sessions of the signed-in person',
  response: z.object({
    sessions: z.array(
      z.object({
        session_id: z.string(),
        created_at: instant,
        last_seen_at: instant,
        /** The browser's User-Agent. Can be empty. */
        user_agent: z.string(),
        is_current: z.boolean(),
      }),
    ),
  }),
})

/**
 * Ends one other session of the signed-in person; every other one without `session_id`. An id that
 * is not an open session of this person ends nothing.
 */
export const endOtherSessions = endpoint({
  method: 'DELETE',
  path: '/auth/sessions',
  access: 'session',
  summary: 'Sign out on one other device, or everywhere else',
  query: z.object({ session_id: z.optional(identifier) }),
  response: z.object({ success: z.literal(true), ended: z.int() }),
})
