import type { readOngoingApplication as call } from '#contract/applications.ts'
import { isAwaitedDocument, buildStageProgress } from '#domain/applications.ts'
import { dayInIndia } from '#domain/calendar.ts'
import type { UseCase } from '../http/route.ts'
import { findNewestApplication, readCompletedStages } from './application-store.ts'
import { requireBorrower } from './own-loan.ts'

/** Reads the stages of the borrower's application and what the lender awaits. */
export const readOngoingApplication: UseCase<typeof call> = async ({ database }, caller) => {
  const borrowerId = requireBorrower(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    const row = await findNewestApplication(sql, borrowerId)
    if (row === undefined) return { application: null }
    const done = await readCompletedStages(sql, borrowerId, row.application_id)
    done.set('submitted', dayInIndia(row.submitted_at))
    return {
      application: {
        application_id: row.application_id,
        submitted_at: row.submitted_at,
        stages: buildStageProgress(done),
        awaited_from_borrower: row.awaited.filter(isAwaitedDocument),
      },
    }
  })
}
