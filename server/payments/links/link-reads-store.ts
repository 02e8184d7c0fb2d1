import type { QueryCreator } from 'kysely'
import { zeroPaise } from '#domain/money.ts'
import type { DB } from '../../database/schema.generated.ts'
import { statement } from '../../database/statement.ts'
import { isOpenCondition, linkColumns } from '../../ledger/open-links-store.ts'
import { paymentColumns } from '../provider-payment-store.ts'
import { selectLinkByProviderId } from './link-store.ts'
import { selectRefunds } from '../refund-store.ts'

/** The open links of a borrower, newest first, as in `findOpenLink`. */
export const openLinks = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('payment_links')
    .select(linkColumns)
    .where('borrower_id', '=', borrowerId)
    .where(isOpenCondition)
    .orderBy('created_at', 'desc'),
)

/** The payments of these links, oldest first. */
export const paymentsOfOpenLinks = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom((from) =>
      from
        .selectFrom('payment_links')
        .select(['borrower_id', 'payment_intent_id'])
        .where('borrower_id', '=', borrowerId)
        .where(isOpenCondition)
        .as('link'),
    )
    .innerJoin('provider_payments as payment', (join) =>
      join.onRef('payment.borrower_id', '=', 'link.borrower_id').onRef('payment.payment_intent_id', '=', 'link.payment_intent_id'),
    )
    .select(paymentColumns.map((column) => `payment.${column}` as const))
    .orderBy('payment.paid_at')
    .orderBy('payment.provider_payment_id'),
)

/** A borrower's link, by the provider's id. */
export const linkByProviderId = statement<{ borrowerId: string; paymentLinkId: string }>()((sql, { borrowerId, paymentLinkId }) =>
  selectLinkByProviderId(sql, borrowerId, paymentLinkId),
)

/**
 * A borrower's links that received money and are not open. Money on a closed link is shown before
 * it is posted: its link is in no other list (decision 37).
 */
const selectCompleted = (sql: QueryCreator<DB>, borrowerId: string) =>
  sql
    .selectFrom('payment_links')
    .where('borrower_id', '=', borrowerId)
    .where('status', 'in', ['paid', 'expired', 'cancelled'])
    .where('amount_paid_paise', '>', zeroPaise)
    .where((where) => where.not(isOpenCondition))

export const completedLinks = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  selectCompleted(sql, borrowerId).select(linkColumns).orderBy('created_at', 'desc'),
)

/**
 * The payments of these links, oldest first, each with its receipt's number and the transaction
 * that reverses it, if it has one.
 */
export const paymentsOfCompletedLinks = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('provider_payments as payment')
    .leftJoin('receipts', (join) =>
      join
        .onRef('receipts.borrower_id', '=', 'payment.borrower_id')
        .onRef('receipts.loan_id', '=', 'payment.loan_id')
        .onRef('receipts.transaction_id', '=', 'payment.transaction_id'),
    )
    .leftJoin('ledger_transactions as reversal', (join) =>
      join
        .onRef('reversal.borrower_id', '=', 'payment.borrower_id')
        .onRef('reversal.loan_id', '=', 'payment.loan_id')
        .onRef('reversal.reverses_transaction_id', '=', 'payment.transaction_id'),
    )
    .select(paymentColumns.map((column) => `payment.${column}` as const))
    .select(['receipts.receipt_number', 'reversal.transaction_id as reversal_id'])
    .where('payment.borrower_id', '=', borrowerId)
    .where('payment.payment_intent_id', 'in', selectCompleted(sql, borrowerId).select('payment_intent_id'))
    .orderBy('payment.paid_at')
    .orderBy('payment.provider_payment_id'),
)

/** The refunds of a borrower, oldest first. */
export const refundsOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) => selectRefunds(sql, borrowerId))
