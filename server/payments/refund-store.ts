import type { Kysely, Selectable } from 'kysely'
import { uuidv7 } from 'uuidv7'
import type { Sql } from '../database/connect.ts'
import { lockFound } from '../database/statement.ts'
import type { DB, Refunds } from '../database/schema.generated.ts'

export type RefundRow = Selectable<Refunds>

export type RefundKey = { borrowerId: string; refundId: string }

/** All columns by name, as in open-links-store.ts. */
const refundColumns = [
  'amount_paise',
  'asked_at',
  'asked_by',
  'attempts',
  'bank_reference',
  'borrower_id',
  'last_error',
  'loan_id',
  'next_check_at',
  'note',
  'payment_intent_id',
  'processed_at',
  'provider',
  'provider_payment_id',
  'provider_refund_id',
  'reason',
  'refund_id',
  'refusals',
  'status',
  'transaction_id',
] as const satisfies readonly (keyof RefundRow)[]

/** The refunds of a borrower, oldest first. */
export const selectRefunds = (sql: Kysely<DB>, borrowerId: string) =>
  sql.selectFrom('refunds').select(refundColumns).where('borrower_id', '=', borrowerId).orderBy('asked_at').orderBy('refund_id')

/** Identifies the payment of a refund. */
export type PaymentKey = Pick<RefundRow, 'borrower_id' | 'loan_id' | 'provider' | 'provider_payment_id'>

/** A refund to store. `next_check_at` defaults to `asked_at`. */
type RefundToAdd = Pick<RefundRow, 'amount_paise' | 'reason' | 'asked_at' | 'asked_by'> &
  Partial<Pick<RefundRow, 'refund_id' | 'provider_refund_id' | 'note' | 'next_check_at'>>

/** Stores a refund of a payment; it begins as asked. */
export const addRefund = (
  sql: Sql,
  { borrower_id, loan_id, provider, provider_payment_id, payment_intent_id }: PaymentKey & Pick<RefundRow, 'payment_intent_id'>,
  refund: RefundToAdd,
): Promise<RefundRow> =>
  sql
    .insertInto('refunds')
    .values({
      borrower_id,
      loan_id,
      provider,
      provider_payment_id,
      payment_intent_id,
      refund_id: uuidv7(),
      status: 'asked',
      next_check_at: refund.asked_at,
      ...refund,
    })
    .returning(refundColumns)
    .executeTakeFirstOrThrow()

export async function findRefund(sql: Sql, { borrowerId, refundId }: RefundKey): Promise<RefundRow | undefined> {
  return sql.selectFrom('refunds').selectAll().where('borrower_id', '=', borrowerId).where('refund_id', '=', refundId).executeTakeFirst()
}

/** Finds a refund by its id, over all borrowers. */
export async function findRefundById(sql: Sql, refundId: string): Promise<RefundRow | undefined> {
  return sql.selectFrom('refunds').selectAll().where('refund_id', '=', refundId).executeTakeFirst()
}

/** The refunds of some links, oldest first. */
export async function listLinkRefunds(sql: Sql, borrowerId: string, paymentIntentIds: readonly string[]): Promise<RefundRow[]> {
  if (paymentIntentIds.length === 0) return []
  return selectLinkRefunds(sql, borrowerId, paymentIntentIds).execute()
}

export const selectLinkRefunds = (sql: Kysely<DB>, borrowerId: string, paymentIntentIds: readonly string[]) =>
  selectRefunds(sql, borrowerId).where('payment_intent_id', 'in', [...paymentIntentIds])

/** The refunds of a loan, oldest first. */
export const listLoanRefunds = (sql: Sql, borrowerId: string, loanId: string): Promise<RefundRow[]> =>
  selectRefunds(sql, borrowerId).where('loan_id', '=', loanId).execute()

/** Finds a refund by the provider's refund id. */
export async function findRefundByProviderId(sql: Sql, payment: PaymentKey, providerRefundId: string): Promise<RefundRow | undefined> {
  return sql
    .selectFrom('refunds')
    .selectAll()
    .where('borrower_id', '=', payment.borrower_id)
    .where('provider', '=', payment.provider)
    .where('provider_refund_id', '=', providerRefundId)
    .executeTakeFirst()
}

/** The refunds of one payment, oldest first. The caller holds the loan's row lock. */
export async function listPaymentRefunds(sql: Sql, payment: PaymentKey): Promise<RefundRow[]> {
  const refunds = await listLoanRefunds(sql, payment.borrower_id, payment.loan_id)
  return refunds.filter(
    ({ provider, provider_payment_id }) => provider === payment.provider && provider_payment_id === payment.provider_payment_id,
  )
}

export type RefundChange = Partial<
  Pick<
    RefundRow,
    | 'amount_paise'
    | 'status'
    | 'provider_refund_id'
    | 'bank_reference'
    | 'processed_at'
    | 'transaction_id'
    | 'last_error'
    | 'refusals'
    | 'attempts'
    | 'next_check_at'
  >
>

export async function changeRefund(
  sql: Sql,
  { borrower_id, refund_id }: Pick<RefundRow, 'borrower_id' | 'refund_id'>,
  change: RefundChange,
): Promise<void> {
  await sql.updateTable('refunds').set(change).where('borrower_id', '=', borrower_id).where('refund_id', '=', refund_id).execute()
}

/** The open refunds that are due, the oldest first. */
export const selectDueRefunds = (sql: Sql, now: Date, limit: number) =>
  selectDue(sql, now).select(['borrower_id', 'refund_id']).orderBy('next_check_at').limit(limit)

const selectDue = (sql: Sql, now: Date) =>
  sql.selectFrom('refunds').where('status', 'in', ['asked', 'pending']).where('next_check_at', '<=', now)

/** Claims refunds that were found to be due. Each is due again after `backOffMs`. */
export async function claimRefunds(
  sql: Sql,
  found: readonly Pick<RefundRow, 'borrower_id' | 'refund_id'>[],
  now: Date,
  backOffMs: (refund: RefundRow) => number,
): Promise<RefundRow[]> {
  const due = await lockFound(sql, found, ({ borrower_id, refund_id }) =>
    selectDue(sql, now).selectAll().where('borrower_id', '=', borrower_id).where('refund_id', '=', refund_id),
  )
  for (const refund of due)
    await changeRefund(sql, refund, { attempts: refund.attempts + 1, next_check_at: new Date(now.getTime() + backOffMs(refund)) })
  return due
}

/** The pending and failed refunds of all borrowers, oldest first. */
export async function listOpenRefunds(sql: Sql): Promise<(RefundRow & { lan: string })[]> {
  return sql
    .selectFrom('refunds')
    .innerJoin('loans', (join) =>
      join.onRef('loans.borrower_id', '=', 'refunds.borrower_id').onRef('loans.loan_id', '=', 'refunds.loan_id'),
    )
    .selectAll('refunds')
    .select('loans.lan')
    .where('refunds.status', '<>', 'processed')
    .orderBy('refunds.asked_at')
    .orderBy('refunds.refund_id')
    .execute()
}
