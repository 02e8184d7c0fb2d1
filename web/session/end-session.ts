import { bearer } from '#web/api/call.ts'
import { queryClient } from '#web/api/query-client.ts'

/**
 * Ends a session so that no call is refused: cancels the reads under way, then runs `end`, which
 * asks the server and stores what follows; new calls wait until it has settled. A second press
 * while it runs waits for the first.
 *
 * @param end must not reject.
 */
export function endSession(end: () => Promise<void>): Promise<void> {
  bearer.ending ??= queryClient
    .cancelQueries()
    .then(end)
    .finally(() => {
      bearer.ending = null
    })
  return bearer.ending
}
