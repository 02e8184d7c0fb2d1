import type { readOngoingApplication as call } from '#contract/applications.ts'
import { isAwaitedDocument, buildStageProgress } from '#domain/applications.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { defineReading } from '../http/reading.ts'
import { completedStages, newestApplication, stageDays } from './application-store.ts'

/** Reads the stages of the borrower's application and what the lender awaits. */
export const readOngoingApplication = defineReading<typeof call>()(
  (borrowerId) => [newestApplication.with({ borrowerId }), completedStages.with({ borrowerId })],
  (_context, _caller, _request, [[row], stages]) => {
    if (row === undefined) return { application: null }
    const done = stageDays(stages, row.application_id)
    done.set('submitted', dayInIndia(row.submitted_at))
    return {
      application: {
        application_id: row.application_id,
        submitted_at: row.submitted_at,
        stages: buildStageProgress(done),
        awaited_from_borrower: row.awaited.filter(isAwaitedDocument),
      },
    }
  },
)
