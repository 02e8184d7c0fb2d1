/**
 * Whether an error means that the database, or a node of it, is unavailable: not running, starting,
 * stopping, out of connections, or all pool connections in use. A retry helps; it is not a defect.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isNodeUnavailable(error)) return true
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code === 'string' && codes.has(code)) return true
  return (
    typeof message === 'string' &&
    /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|has not answered for|postmaster was shut down/.test(
      message,
    )
  )
}

const codes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections, query_canceled
  // (statement timeout).
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '57014',
])

/**
 * Whether an error means that one node of distributed tables is unavailable: rows of other
 * borrowers may be on nodes that answer.
 */
export function isNodeUnavailable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return nodeCodes.has(String(code)) || (code === 'XX000' && nodeMessages.test(String(message)))
}

/** Whether no borrower's work can go on: the database is unavailable, not only one of its nodes. */
export const isWholeDatabaseUnavailable = (error: unknown): boolean => isDatabaseUnavailable(error) && !isNodeUnavailable(error)

/** The coordinator reports these of a node: connection_exception and its kinds. */
const nodeCodes: ReadonlySet<string> = new Set(['08000', '08001', '08003', '08004', '08006'])
/** Citus reports these as internal errors: a node went away within a transaction or its commit. */
const nodeMessages = /^(failure on connection marked as essential|could not commit transaction for shard)/
