/**
 * Whether an error says that the database is unavailable: not there, on its way down or up, out of connections, or all of ours in
 * use. Trying again later helps then; a defect of ours it is not.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code === 'string' && codes.has(code)) return true
  return (
    typeof message === 'string' &&
    /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/.test(message)
  )
}

const codes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections, query_canceled by its time limit.
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '57014',
])
