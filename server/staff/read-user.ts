import type { readUser as call } from '#contract/staff.ts'
import { findUserById, userOnWire } from '../auth/user-store.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { isUuid } from './uuid.ts'

/** Oneself, or for staff a borrower; anyone else is not there (decisions 10, 31). */
export const readUser: UseCase<typeof call> = async ({ database }, { actorId, isStaff }, { params }) => {
  const userId = params.user_id.toLowerCase()
  const isSelf = userId === actorId
  if (!isUuid(userId) || !(isSelf || isStaff)) throw notFound()
  const user = await database.asSystem((sql) => findUserById(sql, userId))
  if (!user || !(isSelf || user.kind === 'borrower')) throw notFound()
  return { user: userOnWire(user) }
}
