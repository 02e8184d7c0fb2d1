import type { Kysely } from 'kysely'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { CreditRefund, LateChargeHold, LoanFacts, ReceivedPayment } from '#domain/loans.ts'
import { paise, zeroPaise, type Paise } from '#domain/money.ts'
import { isFromProvider } from '#domain/payments.ts'
import type { Sql } from '../database/connect.ts'
import type { DB } from '../database/schema.generated.ts'
import type { LoanKey } from './loan-store.ts'

/**
 * Selects refunds in the order of their requests, each with the ledger transaction of its payment.
 */
export function refundedAmounts(sql: Kysely<DB>) {
  return (
    sql
      .selectFrom('refunds')
      .innerJoin('provider_payments as payment', (join) =>
        join
          .onRef('payment.borrower_id', '=', 'refunds.borrower_id')
          .onRef('payment.provider', '=', 'refunds.provider')
          .onRef('payment.provider_payment_id', '=', 'refunds.provider_payment_id'),
      )
      // Excludes failed refunds that were made at the provider: the money was not returned.
      .where(({ not, and, eb }) => not(and([eb('refunds.reason', '=', 'by_lender'), eb('refunds.status', '=', 'failed')])))
      .select([
        'refunds.loan_id',
        'refunds.refund_id',
        'refunds.reason',
        'refunds.amount_paise',
        'refunds.asked_at',
        'refunds.provider_refund_id',
        'payment.transaction_id as payment_id',
      ])
      .orderBy('refunds.asked_at')
      .orderBy('refunds.refund_id')
  )
}

type RefundedAmount = {
  loan_id: string
  refund_id: string
  reason: string
  amount_paise: Paise
  asked_at: Date
  provider_refund_id: string | null
  payment_id: string | null
}

const takenBackPrefix = 'returned:'

/** The id of a refund that the payer's bank made: the provider has no refund of it. */
export const takenBackId = (refundId: string): string => `${takenBackPrefix}${refundId}`

/** Whether the payer's bank took this money back, by a dispute or the return of a debit. */
export const isTakenByBank = ({ provider_refund_id: id }: Pick<RefundedAmount, 'provider_refund_id'>): boolean =>
  id !== null && id.startsWith(takenBackPrefix)

/**
 * Converts refunds to facts from the time of the decision. Refunded credit is no longer available
 * from that day; any other refund reduces its payment as if that amount had never been received.
 * What the lender refunded at the provider had counted as paid until then, unless Kist had decided
 * to send the payment back. Money that the bank took back has the hold of its debit, or none.
 */
export function refundFacts(rows: readonly RefundedAmount[]): {
  withHeld: (payment: ReceivedPayment) => ReceivedPayment
  creditRefunds: (loanId: string) => LoanFacts['refunds']
  lateChargeHolds: (payments: readonly ReceivedPayment[]) => LateChargeHold[]
} {
  const held = new Map<string, Paise>()
  const credit = new Map<string, CreditRefund[]>()
  const takenBack = new Map<string, { until: Day; amountPaise: Paise }[]>()
  const neverCounted = new Set(rows.filter(({ reason }) => isSentBackWhole(reason)).map(({ payment_id }) => payment_id))
  for (const row of rows) {
    const { loan_id, refund_id, reason, amount_paise, asked_at, payment_id } = row
    if (reason === 'excess') {
      const refund = { refundId: refund_id, date: dayInIndia(asked_at), amountPaise: amount_paise }
      credit.set(loan_id, [...(credit.get(loan_id) ?? []), refund])
    } else if (payment_id !== null) {
      held.set(payment_id, paise((held.get(payment_id) ?? zeroPaise) + amount_paise))
      if (reason !== 'by_lender' || neverCounted.has(payment_id) || isTakenByBank(row)) continue
      const part = { until: dayInIndia(asked_at), amountPaise: amount_paise }
      takenBack.set(payment_id, [...(takenBack.get(payment_id) ?? []), part])
    }
  }
  return {
    withHeld: (payment) => {
      const heldPaise = held.get(payment.paymentId)
      return heldPaise === undefined ? payment : { ...payment, heldPaise }
    },
    creditRefunds: (loanId) => credit.get(loanId) ?? [],
    lateChargeHolds: (payments) =>
      payments.flatMap((payment) =>
        (takenBack.get(payment.paymentId) ?? []).map(({ until, amountPaise }) => ({
          from: payment.date,
          until,
          takenBack: { ...payment, amountPaise, heldPaise: zeroPaise },
          isReversed: false,
        })),
      ),
  }
}

/** Whether Kist sends a payment back because it never counted. */
export const isSentBackWhole = (reason: string): boolean => reason === 'duplicate' || reason === 'nothing_due'

type MoneyRow = { kind: string; source: string }

export const isRepayment = ({ kind }: MoneyRow): boolean => kind === 'repayment'

/** A refund that the provider did not make: the lender's bank returned credit. */
export const isCreditReturn = (row: MoneyRow): boolean => row.kind === 'refund' && !isFromProvider(row)

type CreditReturnRow = { transaction_id: string; value_date: Day; amount_paise: Paise }

export const toCreditReturn = ({ transaction_id, value_date, amount_paise }: CreditReturnRow): CreditRefund => ({
  refundId: transaction_id,
  date: value_date,
  amountPaise: amount_paise,
})

/** Whether any part of a payment is refunded through the provider. */
export async function isRefunded(sql: Sql, loan: LoanKey, transactionId: string): Promise<boolean> {
  const row = await refundedAmounts(sql)
    .where('refunds.borrower_id', '=', loan.borrower_id)
    .where('refunds.loan_id', '=', loan.loan_id)
    .where('payment.transaction_id', '=', transactionId)
    .executeTakeFirst()
  return row !== undefined
}
