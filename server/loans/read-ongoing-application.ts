import type { readOngoingApplication as call } from '#contract/applications.ts'
import { isAwaitedDocument, stageProgress } from '#domain/applications.ts'
import { dayInIndia } from '#domain/calendar.ts'
import type { UseCase } from '../http/route.ts'
import { newestApplication, stagesDone } from './application-store.ts'
import { borrowerOf } from './own-loan.ts'

/** How far the borrower's application has come, and what it waits for. */
export const readOngoingApplication: UseCase<typeof call> = async ({ database }, caller) => {
  const borrowerId = borrowerOf(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    const row = await newestApplication(sql, borrowerId)
    if (row === undefined) return { application: null }
    const done = await stagesDone(sql, borrowerId, row.application_id)
    done.set('submitted', dayInIndia(row.submitted_at))
    return {
      application: {
        application_id: row.application_id,
        submitted_at: row.submitted_at,
        stages: stageProgress(done),
        awaited_from_borrower: row.awaited.filter(isAwaitedDocument),
      },
    }
  })
}
