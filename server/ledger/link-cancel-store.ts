import { sql as raw } from 'kysely'
import { logAction, type AccessEntry } from '../access-log.ts'
import type { Sql } from '../database/connect.ts'
import type { LinkRow } from './open-links-store.ts'

type LinkCancel = { actorId: string; origin: AccessEntry['origin']; now: Date; detail?: NonNullable<AccessEntry['detail']> }

/**
 * Logs that somebody cancelled a link, once for each link. The link's history names who was first.
 * If it names a process, which heard of the cancel from the provider, the entry is of who asked
 * while the link was open. Writes nothing for anyone else, nor for a link that ended otherwise.
 */
export async function logLinkCancel(
  sql: Sql,
  { borrower_id: borrowerId, payment_intent_id: paymentIntentId, payment_link_id: linkId }: LinkRow,
  { actorId, origin, now, detail }: LinkCancel,
  { wasOpen }: { wasOpen: boolean },
): Promise<void> {
  const ofLink = { borrower_id: borrowerId, payment_intent_id: paymentIntentId }
  // Of two at once, the second sees the entry of the first.
  await sql
    .selectFrom('payment_links')
    .select('status')
    .where((where) => where.and(ofLink))
    .forUpdate()
    .execute()
  const step = await sql
    .selectFrom('payment_link_history')
    .select(['actor_id', 'source'])
    .where((where) => where.and(ofLink))
    .where('to_status', '=', 'cancelled')
    .executeTakeFirst()
  if (!step) return
  const isByProcess = step.source !== 'borrower' && step.source !== 'operator'
  if (step.actor_id !== actorId && !(wasOpen && isByProcess)) return
  const logged = await sql
    .selectFrom('access_log')
    .select('entry_id')
    .where('subject_id', '=', borrowerId)
    .where('action', '=', 'payment_link_cancelled')
    .where(raw<boolean>`detail ->> 'payment_link_id' = ${linkId}`)
    .executeTakeFirst()
  if (logged) return
  await logAction(sql, { borrowerId, actorId, origin, now }, 'payment_link_cancelled', { payment_link_id: linkId, ...detail })
}
