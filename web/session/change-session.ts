import { bearer } from '#web/api/call.ts'
import { queryClient, refreshShown } from '#web/api/query-client.ts'

/**
 * Replaces or ends the session of this tab. Cancels the reads under way, because their token is
 * about to be refused; then `change` asks the server and stores what follows. New calls wait until
 * it has settled, and so does another change.
 *
 * Rejects with what `change` rejects with. If the session is then still the same, the pages load
 * again what was cancelled.
 */
export function changeSession(change: () => Promise<void>): Promise<void> {
  const before = Promise.allSettled([bearer.change])
  const own = before
    .then(() => cancelAndRun(change))
    .finally(() => {
      if (bearer.change === own) bearer.change = null
    })
  bearer.change = own
  return own
}

async function cancelAndRun(change: () => Promise<void>): Promise<void> {
  const { token } = bearer
  await queryClient.cancelQueries()
  try {
    await change()
  } finally {
    if (bearer.token === token) refreshShown()
  }
}
