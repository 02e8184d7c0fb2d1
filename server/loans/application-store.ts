import type { Selectable } from 'kysely'
import type { ApplicationStage } from '#domain/applications.ts'
import type { Day } from '#domain/calendar.ts'
import type { ApplicationStages } from '../database/schema.generated.ts'
import { statement } from '../database/statement.ts'

/** The newest open application of a borrower: one row or none. */
export const newestApplication = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('loan_applications')
    .select(['application_id', 'submitted_at', 'awaited'])
    .where('borrower_id', '=', borrowerId)
    .where('closed_at', 'is', null)
    .orderBy('submitted_at', 'desc')
    .orderBy('application_id', 'desc')
    .limit(1),
)

/** The days on which the stages of a borrower's applications were completed. */
export const completedStages = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql.selectFrom('application_stages').select(['application_id', 'stage', 'done_on']).where('borrower_id', '=', borrowerId),
)

/** The day on which each stage of an application after the submission was completed. */
export const stageDays = (
  rows: readonly Pick<Selectable<ApplicationStages>, 'application_id' | 'stage' | 'done_on'>[],
  applicationId: string,
): Map<ApplicationStage, Day> => new Map(rows.flatMap((row) => (row.application_id === applicationId ? [[row.stage, row.done_on]] : [])))
