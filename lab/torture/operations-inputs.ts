import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { operationKinds, recordOperationKinds, type OperationKind } from '#domain/operations.ts'
import { resetNoticeDays } from '#domain/rate-resets.ts'
import type { TrancheStage } from '#domain/tranches.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { insertPaper } from '#server/loan-papers/paper-store.ts'
import { addReview } from '#server/payments/review-store.ts'
import { publishBenchmark } from '#server/rate-resets/publish-benchmark.ts'
import { insertResets } from '#server/rate-resets/reset-store.ts'
import { addTrancheStep, insertTranche } from '#server/tranches/tranche-store.ts'
import { addProduct, type educationLoan } from '#testkit/builders.ts'
import { floatingLoan } from '#testkit/floating-loan.ts'
import { canPayByLink, openLink, payLink, type Borrower } from './borrowers.ts'
import { change, charge, transfer } from './lender.ts'
import type { Portal } from './portal.ts'

type SuiteKind = Exclude<OperationKind, 'foreclosure_waive'>

/** All kinds but the one that needs a loan whose foreclosure fell short. */
export const kindsOfSuite = operationKinds.filter((kind): kind is SuiteKind => kind !== 'foreclosure_waive')

/** The kinds that are about no loan: they name none. */
export const isOfNoLoan = (kind: string): boolean => kind === 'review_resolve' || kind === 'benchmark_publish' || kind === 'rate_reset_run'

/** The kinds whose preview is a record: a change of the loan leaves it as it is. */
export const isOfRecord = (kind: string): boolean => (recordOperationKinds as readonly string[]).includes(kind)

/** The benchmark of runs. A product follows it, and no loan of the suite has that product. */
const runBenchmark = 'TORTURE_RUNS'

/** Adds what runs of rate resets need. */
export async function addRunBenchmark(portal: Portal): Promise<void> {
  const now = portal.clock.now()
  const followed = { ...floatingLoan, rate: { ...floatingLoan.rate, benchmark: runBenchmark } }
  await addProduct(portal.database(), now, 'torture_floating', JSON.parse(JSON.stringify(followed)) as typeof educationLoan)
  await portal
    .database()
    .asSystem((sql) =>
      publishBenchmark(sql, { code: runBenchmark, annualRatePpb: 65_000_000, effectiveOn: dayInIndia(now) }, now, 'torture'),
    )
}

/** Two runs of one day at the same time are refused: the days take turns. */
const runDays = { first: resetNoticeDays + 1, count: 150 }
let runs = 0
let resets = 0

/**
 * Pays by a link of whose amount a transfer has paid ₹100 meanwhile: as much of the link's money is
 * credit, which the provider can return.
 */
async function bringCredit(portal: Portal, borrower: Borrower, reference: string): Promise<void> {
  if (!(await canPayByLink(portal, borrower))) return
  const link = await openLink(portal, borrower)
  await change(portal, borrower, transfer(reference, rupeesToPaise(100), 'PAY_EMI'), { whileLinkOpen: 'keep' })
  await payLink(portal, borrower, link)
}

/** Prepares the loan for a kind. @returns the input on the wire. */
export async function prepareOperation(
  portal: Portal,
  borrower: Borrower,
  kind: SuiteKind,
  below: (end: number) => number,
): Promise<Record<string, unknown>> {
  const today = dayInIndia(portal.clock.now())
  const name = uuidv7()
  const amount = (1 + below(50_000)) / 100
  switch (kind) {
    case 'charge_add':
      return { charge_type: 'BOUNCE_CHARGE', amount, ...(below(2) === 0 && { tax_percent: 18 }) }
    case 'charge_waive':
      await change(portal, borrower, charge(`charge:${name}`), { whileLinkOpen: 'refuse', cancelLink: true })
      return { charge_id: `charge:${name}` }
    case 'payment_record':
      return { mode: 'neft', amount, value_date: today, reference: name }
    case 'payment_reverse':
      await change(portal, borrower, transfer(name), { whileLinkOpen: 'cancel_after' })
      return { payment_id: name, cause: below(2) === 0 ? 'bounced' : 'wrong_loan' }
    case 'credit_refund':
      await bringCredit(portal, borrower, name)
      return { amount }
    case 'credit_return':
      return { mode: 'neft', amount, value_date: today, reference: name }
    case 'tranche_approve':
      return { partner_tranche_id: await addTranche(portal, borrower, name, 'requested') }
    case 'tranche_reject':
      return { partner_tranche_id: await addTranche(portal, borrower, name, 'requested'), cause: 'No proof of fees' }
    case 'tranche_release':
      return { partner_tranche_id: await addTranche(portal, borrower, name, 'approved'), date: today }
    case 'review_resolve':
      return { review_id: await addDispute(portal, borrower, name), resolution: 'Closed by the bank' }
    case 'benchmark_publish':
      return { code: `B${name.replaceAll('-', '').toUpperCase()}`, annual_rate_percent: (1 + below(1_200)) / 100, effective_on: today }
    case 'rate_reset_run':
      return { benchmark: runBenchmark, effective_on: addDays(today, runDays.first + (runs++ % runDays.count)) }
    case 'rate_reset_withdraw':
      return { reset_id: await addReset(portal, borrower, addDays(today, runDays.first + (resets++ % runDays.count))) }
    case 'paper_publish':
      return { paper_id: await addPaper(portal, borrower) }
  }
}

async function addTranche(portal: Portal, { borrowerId, loanId }: Borrower, id: string, stage: TrancheStage): Promise<string> {
  const now = portal.clock.now()
  const tranche = {
    borrower_id: borrowerId,
    loan_id: loanId,
    tranche_id: uuidv7(),
    partner_tranche_id: id,
    amount_paise: rupeesToPaise(100),
    stage,
    disbursed_on: addDays(dayInIndia(now), 2),
    requested_at: now,
    requested_by: borrowerId,
    changed_at: now,
  }
  await portal.database().asBorrower(borrowerId, async (sql) => {
    await lockOwnLoan(sql, borrowerId, loanId)
    await insertTranche(sql, tranche)
    await addTrancheStep(sql, tranche, borrowerId)
  })
  return id
}

const addDispute = (portal: Portal, { borrowerId, loanId }: Borrower, about: string): Promise<string> =>
  portal.database().asSystem(async (sql) => {
    await addReview(sql, { borrowerId, loanId, kind: 'dispute', about, detail: {} }, portal.clock.now())
    const query = sql.selectFrom('payment_reviews').select('review_id').where('borrower_id', '=', borrowerId)
    return (await query.where('about', '=', `dispute:${about}`).executeTakeFirstOrThrow()).review_id
  })

/** A reset that the borrower was notified of. */
async function addReset(portal: Portal, { borrowerId, loanId }: Borrower, effectiveOn: Day): Promise<string> {
  const now = portal.clock.now()
  const instalmentPaise = rupeesToPaise(10_000)
  const reset = {
    borrower_id: borrowerId,
    reset_id: uuidv7(),
    loan_id: loanId,
    run_id: uuidv7(),
    state: 'notified' as const,
    from_rate_ppb: 110_000_000n,
    to_rate_ppb: 117_500_000n,
    effective_on: effectiveOn,
    instalments_max: 360,
    default_choice: 'keep_emi' as const,
    default_instalment_paise: instalmentPaise,
    instalment_paise: instalmentPaise,
    last_due_on: addDays(effectiveOn, 365),
    ledger_sequence: 0n,
    notified_at: now,
  }
  if ((await portal.database().asSystem((sql) => insertResets(sql, [reset]))) === 0) throw new Error('the loan has a reset of this day')
  return reset.reset_id
}

/** A paper that was uploaded. Its bytes are read by nothing here. */
async function addPaper(portal: Portal, { borrowerId, loanId }: Borrower): Promise<string> {
  const paperId = uuidv7()
  const sha256 = createHash('sha256').update(paperId).digest()
  const paper = {
    borrower_id: borrowerId,
    paper_id: paperId,
    loan_id: loanId,
    paper: 'agreement',
    filename: 'agreement.pdf',
    content_type: 'application/pdf',
    size_bytes: 1n,
    sha256,
    storage_key: `documents/${borrowerId}/${loanId}/paper-${paperId}-${sha256.toString('hex')}`,
    uploaded_at: portal.clock.now(),
    uploaded_by: 'torture',
    published_at: null,
    published_by: null,
  } as const
  await portal.database().asSystem((sql) => insertPaper(sql, paper))
  return paperId
}
