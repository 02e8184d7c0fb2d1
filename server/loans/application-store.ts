import type { Selectable } from 'kysely'
import type { ApplicationStage } from '#domain/applications.ts'
import type { Day } from '#domain/calendar.ts'
import type { Sql } from '../database/connect.ts'
import type { LoanApplications } from '../database/schema.generated.ts'

type ApplicationRow = Selectable<LoanApplications>

/** Finds the newest open application of a borrower. */
export function findNewestApplication(sql: Sql, borrowerId: string): Promise<ApplicationRow | undefined> {
  return sql
    .selectFrom('loan_applications')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('closed_at', 'is', null)
    .orderBy('submitted_at', 'desc')
    .orderBy('application_id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Reads the day on which each stage after the submission was completed. */
export async function readCompletedStages(sql: Sql, borrowerId: string, applicationId: string): Promise<Map<ApplicationStage, Day>> {
  const rows = await sql
    .selectFrom('application_stages')
    .select(['stage', 'done_on'])
    .where('borrower_id', '=', borrowerId)
    .where('application_id', '=', applicationId)
    .execute()
  // A check constraint limits the column to the domain's stages.
  return new Map(rows.map(({ stage, done_on }) => [stage as ApplicationStage, done_on]))
}
