import type { Selectable } from 'kysely'
import { isUuid } from '#contract/uuid.ts'
import type { LoanPaper } from '#domain/documents.ts'
import type { Sql } from '../database/connect.ts'
import type { LoanPapers } from '../database/schema.generated.ts'
import { statement } from '../database/statement.ts'

export type PaperRow = Selectable<LoanPapers>

/** The columns that the API shows. */
export type ShownPaper = Pick<PaperRow, 'paper_id' | 'paper' | 'filename' | 'size_bytes' | 'sha256' | 'published_at'>

/** The published papers of a borrower's loans, newest first. */
export const papersOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('loan_papers')
    .select(['loan_id', 'paper_id', 'paper', 'filename', 'size_bytes', 'sha256', 'published_at'])
    .where('borrower_id', '=', borrowerId)
    .where('published_at', 'is not', null)
    .orderBy('published_at', 'desc')
    .orderBy('paper_id', 'desc'),
)

/** Finds a paper of a borrower, published or not; there is none with an id that is not a UUID. */
export async function findPaper(sql: Sql, borrowerId: string, paperId: string): Promise<PaperRow | undefined> {
  if (!isUuid(paperId)) return undefined
  return sql.selectFrom('loan_papers').selectAll().where('borrower_id', '=', borrowerId).where('paper_id', '=', paperId).executeTakeFirst()
}

/** Finds a paper of any borrower, for staff. */
export async function findPaperOfAnyone(sql: Sql, paperId: string): Promise<PaperRow | undefined> {
  if (!isUuid(paperId)) return undefined
  return sql.selectFrom('loan_papers').selectAll().where('paper_id', '=', paperId).executeTakeFirst()
}

export async function insertPaper(sql: Sql, row: PaperRow): Promise<void> {
  await sql.insertInto('loan_papers').values(row).execute()
}

/** Whether a loan has these bytes as this published paper. */
export async function isPublished(
  sql: Sql,
  { borrowerId, loanId }: { borrowerId: string; loanId: string },
  paper: LoanPaper,
  sha256: Buffer,
): Promise<boolean> {
  const row = await sql
    .selectFrom('loan_papers')
    .select('paper_id')
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', '=', loanId)
    .where('paper', '=', paper)
    .where('sha256', '=', sha256)
    .where('published_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Publishes a paper. Undefined if it is published, or if the loan has the same bytes already. */
export async function publishPaper(
  sql: Sql,
  borrowerId: string,
  paperId: string,
  published: { at: Date; by: string },
): Promise<PaperRow | undefined> {
  return sql
    .updateTable('loan_papers as paper')
    .set({ published_at: published.at, published_by: published.by })
    .where('paper.borrower_id', '=', borrowerId)
    .where('paper.paper_id', '=', paperId)
    .where('paper.published_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('loan_papers as same')
            .select('same.paper_id')
            .where('same.borrower_id', '=', borrowerId)
            .whereRef('same.loan_id', '=', 'paper.loan_id')
            .whereRef('same.paper', '=', 'paper.paper')
            .whereRef('same.sha256', '=', 'paper.sha256')
            .where('same.published_at', 'is not', null),
        ),
      ),
    )
    .returningAll()
    .executeTakeFirst()
}
