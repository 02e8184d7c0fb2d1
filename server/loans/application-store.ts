import type { Selectable } from 'kysely'
import type { ApplicationStage } from '#domain/applications.ts'
import type { Day } from '#domain/calendar.ts'
import type { Sql } from '../database/connect.ts'
import type { LoanApplications } from '../database/schema.generated.ts'

export type ApplicationRow = Selectable<LoanApplications>

/** The newest application of a borrower that is not closed. */
export function newestApplication(sql: Sql, borrowerId: string): Promise<ApplicationRow | undefined> {
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

/** The day on which each stage after the submission was done. */
export async function stagesDone(sql: Sql, borrowerId: string, applicationId: string): Promise<Map<ApplicationStage, Day>> {
  const rows = await sql
    .selectFrom('application_stages')
    .select(['stage', 'done_on'])
    .where('borrower_id', '=', borrowerId)
    .where('application_id', '=', applicationId)
    .execute()
  // A check of the table holds its stages to the domain's.
  return new Map(rows.map(({ stage, done_on }) => [stage as ApplicationStage, done_on]))
}
