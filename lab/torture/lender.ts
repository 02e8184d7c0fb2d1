import { uuidv7 } from 'uuidv7'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { razorpayGateway } from '#server/adapters/payment-gateway/razorpay.ts'
import { Failure } from '#server/http/failure.ts'
import { addCharges } from '#server/loan-changes/add-charge.ts'
import { LedgerRefusal } from '#server/ledger/ledger-refusal.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { reversePayment } from '#server/loan-changes/reverse-payment.ts'
import { waiveCharge } from '#server/loan-changes/waive-charge.ts'
import { changeLoan, type LoanChange } from '#server/loan-changes/change-loan.ts'
import { createLog } from '#server/log.ts'
import { createLoanChangeContext } from '#server/payments/links/cancel-open-link.ts'
import { releaseTranche } from '#server/tranches/decide-tranche.ts'
import { addTrancheStep, insertTranche } from '#server/tranches/tranche-store.ts'
import type { Borrower } from './borrowers.ts'
import { newEventId } from './deliveries.ts'
import { recoveryTimeoutMs } from './verify-outcome.ts'
import type { Portal } from './portal.ts'
import { until } from '#testkit/until.ts'

/** The outcome of a change: written, or the code of its refusal. */
export type Outcome = 'written' | 'LinkOpen' | 'LinkPaid' | 'PaymentGatewayUnavailable' | 'refused'
type Write = LoanChange<'written'>['write']

/** The lender's changes of a loan, by the functions of `kist`. */
export const lenderActions = ['charge', 'waiver', 'reversal', 'tranche release'] as const
export type LenderAction = (typeof lenderActions)[number]

/**
 * Changes a loan as the operator's tool does. A refusal is an outcome; anything else that is thrown
 * is a finding.
 */
export async function change(
  portal: Portal,
  { borrowerId, loanId }: Borrower,
  write: Write,
  how: Pick<LoanChange<'written'>, 'whileLinkOpen' | 'cancelLink'>,
): Promise<Outcome> {
  const database = portal.database()
  const context = createLoanChangeContext({
    config: portal.config,
    clock: portal.clock,
    database,
    gateway: razorpayGateway({ ...portal.config.razorpay, baseUrl: portal.config.razorpay.baseUrl ?? '' }),
    // The sweep submits a refund whose job is missing.
    jobs: { enqueue: () => Promise.resolve() },
    log: createLog({ logLevel: 'silent', production: false }),
    failPoint: () => Promise.resolve(),
  })
  const actor = { actorId: 'operator', name: 'torture', reason: null }
  try {
    return (await changeLoan(context, { borrowerId, loanId, actor, ...how, write })).answer
  } catch (error) {
    if (error instanceof LedgerRefusal) return 'refused'
    if (error instanceof Failure && ['LinkOpen', 'LinkPaid', 'PaymentGatewayUnavailable'].includes(error.code)) return error.code as Outcome
    throw error
  }
}

/**
 * Prepares an action while no link is open.
 *
 * @returns the action and the name under which it can be found.
 */
export async function prepare(portal: Portal, borrower: Borrower, move: LenderAction): Promise<{ name: string; write: Write }> {
  const name = newEventId()
  if (move === 'waiver') await writeOrFail(portal, borrower, charge(`before-${name}`))
  if (move === 'reversal') await writeOrFail(portal, borrower, transfer(`before-${name}`))
  const write = {
    charge: charge(name),
    waiver: waiver(`before-${name}`),
    reversal: reversal(`before-${name}`),
    'tranche release': release(name),
  }[move]
  return { name, write }
}

/**
 * Makes a change and cancels an open link first.
 *
 * @throws Error when it is still refused at the time limit.
 */
export async function writeOrFail(portal: Portal, borrower: Borrower, write: Write): Promise<void> {
  let outcome = ''
  const isWritten = async () => {
    outcome = await change(portal, borrower, write, { whileLinkOpen: 'refuse', cancelLink: true })
    return outcome === 'written'
  }
  await until(isWritten, recoveryTimeoutMs, { intervalMs: 100, failure: () => `the preparation of a change was ${outcome}` })
}

const written = (action: 'charge_added' | 'charge_waived' | 'payment_recorded' | 'payment_reversed' | 'tranche_released') =>
  ({ answer: 'written', log: { action, detail: {} } }) as const

export const chargePaise = rupeesToPaise(590)

/** `date`: the value date, if it is in the past. */
export const charge =
  (chargeId: string, date?: Day): Write =>
  async (loan) => {
    const added = { chargeId, chargeType: 'BOUNCE_CHARGE', date: date ?? dayInIndia(loan.now), amountPaise: chargePaise, penal: false }
    await addCharges(loan, [added])
    return written('charge_added')
  }

const waiver =
  (chargeId: string): Write =>
  async (loan) => {
    await waiveCharge(loan, chargeId, dayInIndia(loan.now))
    return written('charge_waived')
  }

export const transfer =
  (reference: string, amountPaise = rupeesToPaise(100), purpose: PaymentPurpose | null = null): Write =>
  async (loan) => {
    const payment = { mode: 'neft', reference, amountPaise, date: dayInIndia(loan.now), purpose } as const
    await recordPayment(loan, payment)
    return written('payment_recorded')
  }

export const reversal =
  (reference: string): Write =>
  async (loan) => {
    await reversePayment(loan, 'neft', reference)
    return written('payment_reversed')
  }

const release =
  (name: string): Write =>
  async (loan) => {
    const { sql, own, now, actorId } = loan
    const tranche = {
      borrower_id: own.loan.borrower_id,
      loan_id: own.loan.loan_id,
      tranche_id: uuidv7(),
      partner_tranche_id: name,
      amount_paise: rupeesToPaise(100),
      stage: 'approved' as const,
      disbursed_on: dayInIndia(now),
      requested_at: now,
      requested_by: actorId,
      changed_at: now,
    }
    await insertTranche(sql, tranche)
    await addTrancheStep(sql, tranche, actorId)
    await releaseTranche(loan, name, dayInIndia(now))
    return written('tranche_released')
  }
