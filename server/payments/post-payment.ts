import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { AllocationLine, LoanFacts, ReceivedPayment } from '#domain/loans.ts'
import { zeroPaise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { appendTransaction, type NewEntry } from '../loans/ledger-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { markPosted, type LinkRow, type ProviderPaymentRow } from './payment-store.ts'

/**
 * Puts one captured payment into the loan's ledger: what the provider says was captured, on the India date it was paid
 * (decision 24), allocated by the domain. The caller holds the loan's row lock; the payment's source makes a second
 * posting impossible.
 */
export async function postPayment(sql: Sql, own: OwnLoan, link: LinkRow, payment: ProviderPaymentRow, now: Date): Promise<ReceivedPayment> {
  const received: ReceivedPayment = {
    paymentId: uuidv7(),
    date: dayInIndia(payment.paid_at),
    amountPaise: payment.amount_paise,
    purpose: link.purpose,
  }
  const lines = allocationOf(own.facts, received, now)
  const source = { source: payment.provider, source_id: payment.provider_payment_id }
  await appendTransaction(
    sql,
    own.loan,
    {
      ...source,
      transaction_id: received.paymentId,
      kind: 'repayment',
      value_date: received.date,
      posted_at: now,
      amount_paise: received.amountPaise,
      purpose: link.purpose,
      actor_id: link.created_by,
      request_hash: createHash('sha256').update(`${source.source_id} ${received.amountPaise} ${received.date} ${link.purpose}`).digest(),
    },
    [entry('provider_clearing', 'debit', received.amountPaise), ...lines.map(creditOf)],
  )
  await markPosted(sql, payment, received.paymentId)
  return received
}

function allocationOf(facts: LoanFacts, received: ReceivedPayment, now: Date): readonly AllocationLine[] {
  const today = dayInIndia(now)
  const asOf = received.date > today ? received.date : today
  const { allocations } = loanStateDuring(withPayment(facts, received), asOf)
  const allocation = allocations.find(({ paymentId }) => paymentId === received.paymentId)
  if (!allocation) throw new Error(`Payment ${received.paymentId} has no allocation`)
  return allocation.lines
}

/** The facts with one more payment, in its place: after those of the same day. */
export function withPayment(facts: LoanFacts, received: ReceivedPayment): LoanFacts {
  const later = facts.payments.findIndex((payment) => payment.date > received.date)
  const place = later === -1 ? facts.payments.length : later
  return { ...facts, payments: facts.payments.toSpliced(place, 0, received) }
}

const accounts = { principal: 'principal', interest: 'interest', charge: 'charges', excess: 'excess' } as const

function creditOf(line: AllocationLine): NewEntry {
  return { ...entry(accounts[line.component], 'credit', line.amountPaise), instalment_number: line.instalmentNumber, charge_id: line.chargeId }
}

function entry(account: string, side: 'debit' | 'credit', amountPaise: AllocationLine['amountPaise']): NewEntry {
  return side === 'debit'
    ? { account, debit_paise: amountPaise, credit_paise: zeroPaise }
    : { account, debit_paise: zeroPaise, credit_paise: amountPaise }
}
