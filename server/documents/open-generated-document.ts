import type { openGeneratedDocument as call } from '#contract/documents.ts'
import { logAction } from '../access-log.ts'
import { findCallerOfSession } from '../auth/read-caller.ts'
import type { Context } from '../context.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { findGeneratedById } from './document-store.ts'
import { storedFile } from './stored-file.ts'
import { readTicket } from './ticket.ts'

/** The session that a document's address names; null if the address is not signed, or expired. */
export function findSessionOfTicket({ config, clock }: Pick<Context, 'config' | 'clock'>, query: unknown): string | null {
  const { ticket } = query as { ticket?: unknown }
  return typeof ticket === 'string' ? (readTicket(config.documents.ticketKey, ticket, clock.now())?.sessionId ?? null) : null
}

/** Opens a generated document for its borrower while the requesting session is open. */
export const openGeneratedDocument: UseCase<typeof call> = async (context, _caller, { query, origin }) => {
  const { database, clock, config } = context
  const now = clock.now()
  const ticket = readTicket(config.documents.ticketKey, query.ticket, now)
  if (!ticket) throw notFound()
  const { borrowerId, actorId, sessionId, documentId } = ticket
  const session = { userId: actorId, sessionId, assumedUserId: borrowerId === actorId ? null : borrowerId }
  const caller = await database.asSystem((sql) => findCallerOfSession(context, sql, session, now))
  if (!caller?.permissions.includes('document:read')) throw notFound()
  const document = await database.asBorrower(borrowerId, async (sql) => {
    const found = await findGeneratedById(sql, borrowerId, documentId)
    if (!found) throw notFound()
    await logAction(sql, { borrowerId, actorId, origin: { ...origin, sessionId }, now }, 'document_opened', {
      document_id: documentId,
      doc_type: found.doc_type,
    })
    return found
  })
  return storedFile(context, { ...document, content_type: 'application/pdf' })
}
