import { sql as raw } from 'kysely'
import type { AutopayRules } from '#domain/autopay.ts'
import type { Day } from '#domain/calendar.ts'
import { paise, type Paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import type { RateResetPreviews } from '../database/schema.generated.ts'
import type { LoanRow } from '../loans/loan-store.ts'

/** What the figures of a preview depend on, besides the loans. */
export type PreviewKey = Pick<RateResetPreviews, 'benchmark_code' | 'effective_on' | 'computed_on' | 'basis'>

type PreviewRow = PreviewKey & { preview_id: string; finished_at: Date | null }

const previewColumns = ['preview_id', 'benchmark_code', 'effective_on', 'computed_on', 'basis', 'finished_at'] as const

/** Finds the preview of a key. */
export async function findPreview(sql: Sql, key: PreviewKey): Promise<PreviewRow | undefined> {
  return sql
    .selectFrom('rate_reset_previews')
    .select(previewColumns)
    .where('benchmark_code', '=', key.benchmark_code)
    .where('effective_on', '=', key.effective_on)
    .where('computed_on', '=', key.computed_on)
    .where('basis', '=', key.basis)
    .executeTakeFirst()
}

/** Adds an empty preview, unless the key has one. No worker computes it before a request. */
export async function addPreview(sql: Sql, key: PreviewKey, previewId: string, now: Date): Promise<void> {
  await sql
    .insertInto('rate_reset_previews')
    .values({ ...key, preview_id: previewId, requested_at: now, finished_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Requests that a worker computes the loans that are missing or have changed. */
export async function requestPreview(sql: Sql, previewId: string, now: Date): Promise<void> {
  await sql
    .updateTable('rate_reset_previews')
    .set({ requested_at: now, finished_at: null })
    .where('preview_id', '=', previewId)
    .where('finished_at', 'is not', null)
    .execute()
}

export async function finishPreview(sql: Sql, previewId: string, now: Date): Promise<void> {
  await sql.updateTable('rate_reset_previews').set({ finished_at: now }).where('preview_id', '=', previewId).execute()
}

/** The preview that was requested first and is not finished. */
export async function findRequestedPreview(sql: Sql, today: Day): Promise<PreviewRow | undefined> {
  return sql
    .selectFrom('rate_reset_previews')
    .select(previewColumns)
    .where('finished_at', 'is', null)
    .where('computed_on', '=', today)
    .orderBy('requested_at')
    .executeTakeFirst()
}

/** Deletes the previews of earlier days, because figures are valid for one day. */
export async function deletePreviewsBefore(sql: Sql, today: Day): Promise<void> {
  const old = await sql.selectFrom('rate_reset_previews').select('preview_id').where('computed_on', '<', today).execute()
  if (old.length === 0) return
  const ids = old.map(({ preview_id }) => preview_id)
  await sql
    .deleteFrom('rate_reset_preview_loans')
    .where(raw<boolean>`preview_id = any(${ids}::uuid[])`)
    .execute()
  await sql
    .deleteFrom('rate_reset_previews')
    .where(raw<boolean>`preview_id = any(${ids}::uuid[])`)
    .execute()
}

/** What the default would change for a loan; null if its rate does not change. */
export type LoanFigures = {
  loan: Pick<LoanRow, 'borrower_id' | 'loan_id' | 'ledger_sequence'>
  instalmentPaise: Paise | null
  risePaise: Paise | null
}

/** Stores the figures of loans, in place of earlier ones. */
export async function saveLoanFigures(sql: Sql, previewId: string, figures: readonly LoanFigures[]): Promise<void> {
  if (figures.length === 0) return
  await sql
    .insertInto('rate_reset_preview_loans')
    .values(
      figures.map(({ loan, instalmentPaise, risePaise }) => ({
        borrower_id: loan.borrower_id,
        loan_id: loan.loan_id,
        preview_id: previewId,
        ledger_sequence: loan.ledger_sequence,
        instalment_paise: instalmentPaise,
        rise_paise: risePaise,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['borrower_id', 'loan_id', 'preview_id']).doUpdateSet(({ ref }) => ({
        ledger_sequence: ref('excluded.ledger_sequence'),
        instalment_paise: ref('excluded.instalment_paise'),
        rise_paise: ref('excluded.rise_paise'),
      })),
    )
    .execute()
}

/** What a run would do. */
export type RunFigures = {
  /** The loans whose rate changes. */
  loans: number
  /** The loans under the benchmark that were read. */
  loansRead: number
  /** The largest rise of an EMI if every loan gets the default; 0 if none rises. */
  largestRisePaise: Paise
  /** The loan with that rise. */
  largestRiseLan: string | null
  /** The loans whose EMI rises with the default. */
  emisRaised: number
  /** The loans whose EMI is then more than one debit by their mandate can be. */
  capsExceeded: number
}

/** Sums up the figures of all loans. */
export async function readRunFigures(
  sql: Sql,
  previewId: string,
  { upiDebitMaximumPaise }: Pick<AutopayRules, 'upiDebitMaximumPaise'>,
): Promise<RunFigures> {
  const sums = await sql
    .selectFrom('rate_reset_preview_loans as figures')
    .select(({ fn, exists, selectFrom }) => [
      fn.countAll<bigint>().as('read'),
      fn.count<bigint>('figures.instalment_paise').as('reset'),
      fn.countAll<bigint>().filterWhere('figures.rise_paise', '>', paise(0n)).as('raised'),
      fn
        .countAll<bigint>()
        .filterWhere(
          exists(
            selectFrom('mandates')
              .select('mandates.mandate_id')
              .whereRef('mandates.borrower_id', '=', 'figures.borrower_id')
              .whereRef('mandates.loan_id', '=', 'figures.loan_id')
              .where('mandates.status', 'in', ['active', 'paused'])
              .where(({ or, and, eb }) =>
                or([
                  eb('mandates.max_amount_paise', '<', eb.ref('figures.instalment_paise')),
                  and([eb('mandates.method', '=', 'upi'), eb('figures.instalment_paise', '>', upiDebitMaximumPaise)]),
                ]),
              ),
          ),
        )
        .as('exceeded'),
    ])
    .where('figures.preview_id', '=', previewId)
    .executeTakeFirstOrThrow()
  const largest = await sql
    .selectFrom('rate_reset_preview_loans as figures')
    .innerJoin('loans', (join) =>
      join.onRef('loans.borrower_id', '=', 'figures.borrower_id').onRef('loans.loan_id', '=', 'figures.loan_id'),
    )
    .select(['loans.lan', 'figures.rise_paise'])
    .where('figures.preview_id', '=', previewId)
    .where('figures.rise_paise', '>', paise(0n))
    .orderBy('figures.rise_paise', 'desc')
    .orderBy('loans.lan')
    .limit(1)
    .executeTakeFirst()
  return {
    loans: Number(sums.reset),
    loansRead: Number(sums.read),
    largestRisePaise: largest?.rise_paise ?? paise(0n),
    largestRiseLan: largest?.lan ?? null,
    emisRaised: Number(sums.raised),
    capsExceeded: Number(sums.exceeded),
  }
}
