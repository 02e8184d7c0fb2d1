import { assumeRole, type Permission } from '#contract/permissions.ts'
import { sessionEnded } from '../auth/read-caller.ts'
import { findUserById, findUserForShare, type UserRow } from '../auth/user-store.ts'
import type { Caller } from '../caller.ts'
import { withinTransaction, type Sql } from '../database/connect.ts'
import { Failure, notFound } from '../http/failure.ts'
import { noBorrowerId } from '../payments/review-store.ts'

/** Two accounts of one person: the same id, phone, PAN or e-mail address. */
export function isSamePerson(one: UserRow, other: UserRow): boolean {
  return (
    one.user_id === other.user_id ||
    lastTenDigits(one.phone) === lastTenDigits(other.phone) ||
    isSameText(one.pan, other.pan) ||
    isSameText(one.email, other.email)
  )
}

const lastTenDigits = (phone: string): string => phone.replaceAll(/\D/g, '').slice(-10)
const isSameText = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && one.trim() !== '' && one.trim().toLowerCase() === other.trim().toLowerCase()

/**
 * Reads the caller.
 *
 * @throws Failure FourEyes if the loan or review is the caller's own.
 */
export async function readActor(sql: Sql, { actorId }: Caller, borrowerId: string): Promise<UserRow> {
  const actor = await findUserById(sql, actorId)
  if (!actor) throw notFound()
  const borrower = borrowerId === noBorrowerId ? undefined : await findUserById(sql, borrowerId)
  if (borrower && isSamePerson(actor, borrower)) throw new Failure('FourEyes', 'This loan is your own. Another person has to act on it.')
  return actor
}

/**
 * Checks in the executing transaction that the actor may still act, under a lock for which a change
 * of the account waits: since the request was admitted, a link may have been cancelled at the
 * provider or the loan's lock awaited.
 *
 * @throws Failure AuthSessionExpired if the account is disabled or is no staff account any more, or
 * PermissionDenied without the permission.
 */
export async function lockActor(sql: Sql, actorId: string, permission: Permission): Promise<void> {
  const actor = await findUserForShare(sql, actorId)
  const isStaff = actor?.kind === 'staff' && actor.disabled_at === null && actor.roles.includes(assumeRole)
  if (!isStaff) throw sessionEnded()
  if (!actor.permissions.includes(permission)) throw new Failure('PermissionDenied', 'You no longer have the permission for this.')
}

/** Does the same in a borrower's transaction, where row-level security hides the actor's row. */
export async function lockActorOfLoan(sql: Sql, borrowerId: string, actorId: string, permission: Permission): Promise<void> {
  const transaction = withinTransaction(sql)
  await transaction.asBorrower(actorId, (own) => lockActor(own, actorId, permission))
  await transaction.asBorrower(borrowerId, () => Promise.resolve())
}

/** @throws Failure FourEyes if both accounts belong to one person. */
export function refuseSamePerson(maker: UserRow, checker: UserRow): void {
  if (isSamePerson(maker, checker)) throw new Failure('FourEyes', 'You proposed this yourself. Another person has to decide.')
}
