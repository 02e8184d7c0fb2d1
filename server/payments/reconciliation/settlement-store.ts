import { sql as raw, type Selectable } from 'kysely'
import type { Day } from '#domain/calendar.ts'
import type { Settlement, SettlementLine } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { Sql } from '../../database/connect.ts'
import type { SettlementLines } from '../../database/schema.generated.ts'
import type { ProviderPaymentRow } from '../provider-payment-store.ts'

export type SettlementLineRow = Selectable<SettlementLines>

/** Nine parameters per line; PostgreSQL allows 65,535 parameters per statement. */
const linesPerBatch = 1_000

/** Stores a settlement and its lines; of a known settlement only the UTR is updated. */
export async function storeSettlement(
  sql: Sql,
  provider: string,
  { settlementId, amountPaise, feesPaise, taxPaise, utr, createdAt }: Settlement,
  lines: readonly SettlementLine[],
  now: Date,
): Promise<void> {
  await sql
    .insertInto('settlements')
    .values({
      provider,
      settlement_id: settlementId,
      settled_at: createdAt,
      amount_paise: amountPaise,
      fees_paise: feesPaise,
      tax_paise: taxPaise,
      utr,
      seen_at: now,
    })
    .onConflict((conflict) => conflict.columns(['provider', 'settlement_id']).doUpdateSet({ utr }))
    .execute()
  for (let start = 0; start < lines.length; start += linesPerBatch)
    await sql
      .insertInto('settlement_lines')
      .values(
        lines.slice(start, start + linesPerBatch).map((line) => ({
          provider,
          settlement_id: settlementId,
          entity_id: line.entityId,
          type: line.type,
          debit_paise: line.debitPaise,
          credit_paise: line.creditPaise,
          amount_paise: line.amountPaise,
          fee_paise: line.feePaise,
          tax_paise: line.taxPaise,
        })),
      )
      .onConflict((conflict) => conflict.columns(['provider', 'settlement_id', 'entity_id']).doNothing())
      .execute()
}

/** The lines of a settlement that are not posted yet. */
export function listOpenLines(sql: Sql, provider: string, settlementId: string): Promise<SettlementLineRow[]> {
  return (
    sql
      .selectFrom('settlement_lines')
      .selectAll()
      .where('provider', '=', provider)
      .where('settlement_id', '=', settlementId)
      .where('transaction_id', 'is', null)
      // A line of a mandate's approval is matched without a posting.
      .where('borrower_id', 'is', null)
      .orderBy('entity_id')
      .execute()
  )
}

export async function markLinePosted(
  sql: Sql,
  line: Pick<SettlementLineRow, 'provider' | 'settlement_id' | 'entity_id'>,
  of: Pick<SettlementLineRow, 'borrower_id' | 'loan_id' | 'transaction_id'>,
): Promise<void> {
  await sql
    .updateTable('settlement_lines')
    .set(of)
    .where('provider', '=', line.provider)
    .where('settlement_id', '=', line.settlement_id)
    .where('entity_id', '=', line.entity_id)
    .execute()
}

/** Captured payments, seen in a period and since the first reconciliation, without a settlement. */
export async function listUnsettledPayments(sql: Sql, seenFrom: Date, seenBefore: Date): Promise<ProviderPaymentRow[]> {
  const first = await sql
    .selectFrom('reconciliation_runs')
    .select(({ fn }) => fn.min('asked_at').as('asked_at'))
    .executeTakeFirst()
  const firstAt = first?.asked_at
  if (!firstAt) return []
  const payments = await sql
    .selectFrom('provider_payments')
    .selectAll()
    .where('captured', '=', true)
    .where('seen_at', '>=', seenFrom > firstAt ? seenFrom : firstAt)
    .where('seen_at', '<', seenBefore)
    .execute()
  if (payments.length === 0) return []
  // The lines of settlements are on the coordinator, payments are not.
  const lines = await sql
    .selectFrom('settlement_lines')
    .select(['provider', 'entity_id'])
    .where(raw<boolean>`entity_id = any(${payments.map(({ provider_payment_id }) => provider_payment_id)}::text[])`)
    .execute()
  const settled = new Set(lines.map(({ provider, entity_id }) => `${provider} ${entity_id}`))
  return payments.filter(({ provider, provider_payment_id }) => !settled.has(`${provider} ${provider_payment_id}`))
}

/**
 * Starts the runs of days that have none. A manual run before the end of its day does not count.
 *
 * @returns the days whose run was started now.
 */
export async function beginRuns(sql: Sql, provider: string, days: readonly Day[], now: Date): Promise<Day[]> {
  const begun = await sql
    .insertInto('reconciliation_runs')
    .values(days.map((day) => ({ provider, reconciled_on: day, asked_at: now })))
    .onConflict((conflict) =>
      conflict
        .columns(['provider', 'reconciled_on'])
        .doUpdateSet({ asked_at: now, finished_at: null })
        .where(raw<boolean>`reconciliation_runs.asked_at < (excluded.reconciled_on + 1)::timestamp at time zone 'Asia/Kolkata'`),
    )
    .returning('reconciled_on')
    .execute()
  return begun.map(({ reconciled_on }) => reconciled_on)
}

/** The day of the earliest run. */
export async function findFirstRunDay(sql: Sql, provider: string): Promise<Day | null> {
  const first = await sql
    .selectFrom('reconciliation_runs')
    .select('reconciled_on')
    .where('provider', '=', provider)
    .orderBy('reconciled_on')
    .limit(1)
    .executeTakeFirst()
  return first?.reconciled_on ?? null
}

export type RunResult = { paymentsSeen: number; settlementsSeen: number; differences: number }

export async function finishRun(sql: Sql, provider: string, day: Day, result: RunResult, now: Date): Promise<void> {
  const outcome = {
    finished_at: now,
    payments_seen: result.paymentsSeen,
    settlements_seen: result.settlementsSeen,
    differences: result.differences,
  }
  await sql
    .insertInto('reconciliation_runs')
    .values({ provider, reconciled_on: day, asked_at: now, ...outcome })
    .onConflict((conflict) => conflict.columns(['provider', 'reconciled_on']).doUpdateSet(outcome))
    .execute()
}
