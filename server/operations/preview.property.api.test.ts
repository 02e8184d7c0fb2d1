import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, rupeesToPaise, smallerPaise, zeroPaise, type Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { randomNumbers } from '#domain/random-loan.testing.ts'
import type { TrancheStage } from '#domain/tranches.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { approve, propose, proposalOf } from '#testkit/operations-staff.ts'
import { payByLink, payInstalments } from '#testkit/paid-history.ts'
import { noon, startApp, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { addCharges } from '../loan-changes/add-charge.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { addTrancheStep, insertTranche } from '../tranches/tranche-store.ts'
import type { LoanOperationKind } from './kinds.ts'
import { newStaff } from './stage.testing.ts'

/** For every kind over random loans: the preview is what the loan shows after the execution. */

const today = dayInIndia(noon)
const loans = 10
/** Of each kind. The terms of some random loans do not allow it. */
const executionsMin = 7
let app: App
let maker: string
let checker: string

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now: noon })
  await addProduct(app.database, noon, 'p0', educationLoan)
  await addProduct(app.database, noon, 'p1', { ...educationLoan, interest: 'actual_365', instalment_rounding: 'paisa_half_even' })
  await addProduct(app.database, noon, 'p2', {
    ...educationLoan,
    allocation: 'charges_first',
    prepayment_charge: { percent: 2, tax_percent: 18 },
  })
  maker = (await newStaff(app, ['operations:read', 'operations:propose'])).token
  checker = (await newStaff(app, ['operations:read', 'operations:approve'])).token
})
afterAll(() => app.close())

type Draw = (below: number) => number
type Write = <T>(work: (loan: LoanTransaction) => Promise<T>) => Promise<T>
type Case = { key: AddedLoan; token: string; draw: Draw; write: Write; seed: number }

/** A loan of random terms with random payments and charges. */
async function newLoan(seed: number): Promise<Case> {
  const draw = randomNumbers(seed)
  const phone = `+9175${String(seed).padStart(8, '0')}`
  const borrowerId = await addPerson(app.database, noon, { phone, firstName: 'Random', lastName: String(seed) })
  const paid = 1 + draw(5)
  const firstDueDate = addMonths(addDays(today, -draw(40)), -paid)
  const key = await addLoan(app.database, noon, borrowerId, {
    lan: `KST-PR-${seed}`,
    product: `p${draw(3)}`,
    title: 'Random',
    sanctionedRupees: 900_000,
    disbursals: [{ date: addDays(firstDueDate, -(15 + draw(40))), rupees: 100_000 + draw(300_000) }],
    annualRatePercent: 6 + draw(120) / 10,
    instalments: 12 + draw(100),
    firstDueDate,
  })
  await payInstalments(app.database, key, paid)
  const write: Write = (work) => withLockedLoan(app.database, key, noon, work)
  const random = { key, token: await app.signIn(phone), draw, write, seed }
  for (let index = draw(3); index > 0; index -= 1) await receive(random, rupeesToPaise(1 + draw(20_000)))
  for (let index = draw(3); index > 0; index -= 1) await addCharge(random)
  return random
}

const receive = ({ write, draw }: Case, amountPaise: Paise, purpose: PaymentPurpose | null = null, date = addDays(today, -draw(20))) =>
  write((loan) => recordPayment(loan, { mode: 'neft', reference: uuidv7(), amountPaise, date, purpose }))
async function addCharge(
  { write, draw }: Case,
  amountPaise = paise(BigInt(1 + draw(99_999))),
  date = addDays(today, -draw(25)),
): Promise<string> {
  const chargeId = `charge:${uuidv7()}`
  const charge = {
    chargeId,
    chargeType: 'BOUNCE_CHARGE',
    date,
    amountPaise,
    penal: false,
  }
  await write((loan) => addCharges(loan, [charge]))
  return chargeId
}
async function addTranche({ write, draw, key }: Case, stage: TrancheStage): Promise<string> {
  const id = `T-${uuidv7()}`
  const tranche = {
    borrower_id: key.borrowerId,
    loan_id: key.loanId,
    tranche_id: uuidv7(),
    partner_tranche_id: id,
    amount_paise: rupeesToPaise(1 + draw(50_000)),
    stage,
    disbursed_on: addDays(today, 3),
    requested_at: noon,
    requested_by: key.borrowerId,
    changed_at: noon,
  }
  await write(async ({ sql }) => {
    await insertTranche(sql, tranche)
    await addTrancheStep(sql, tranche, key.borrowerId)
  })
  return id
}
const stateOf = ({ write }: Case) => write(async ({ own: { facts } }) => loanStateDuring(facts, today))

/** A withdrawal needs a floating loan: rate-reset-kinds.api.test.ts. */
type RandomKind = Exclude<LoanOperationKind, 'rate_reset_withdraw'>

/** Prepares the loan for a kind, and gives its input. Null if the loan cannot have it. */
const inputs: Record<RandomKind, (random: Case) => Promise<Record<string, unknown> | null>> = {
  charge_add: async ({ draw }) => ({
    charge_type: 'VISIT_CHARGE',
    amount: (1 + draw(200_000)) / 100,
    ...(draw(2) === 0 && { tax_percent: draw(29) }),
    ...(draw(2) === 0 && { date: addDays(today, -draw(30)) }),
  }),
  charge_waive: async (random) => {
    // More than the credit, which would pay it at once.
    const { creditPaise } = await stateOf(random)
    const chargeId = await addCharge(random, paise(creditPaise + rupeesToPaise(1 + random.draw(500))), today).catch((error: unknown) => {
      if (error instanceof LedgerRefusal) return null
      throw error
    })
    return chargeId === null ? null : { charge_id: chargeId }
  },
  payment_record: async ({ draw }) => ({
    mode: 'imps',
    amount: (1 + draw(3_000_000)) / 100,
    value_date: addDays(today, -draw(40)),
    reference: uuidv7(),
  }),
  payment_reverse: async (random) => {
    const { paymentId } = await receive(random, rupeesToPaise(1 + random.draw(9_000)))
    return { payment_id: paymentId, cause: 'bounced' }
  },
  tranche_approve: async (random) => ({ partner_tranche_id: await addTranche(random, 'requested') }),
  tranche_reject: async (random) => ({ partner_tranche_id: await addTranche(random, 'requested'), cause: 'No proof of fees' }),
  tranche_release: async (random) => ({
    partner_tranche_id: await addTranche(random, 'approved'),
    date: addDays(today, -random.draw(20)),
  }),
  credit_refund: async (random) => {
    // The provider returns what a payment through it brought.
    const { duesPaise, nextInstalmentPaise } = await stateOf(random)
    await random.write(({ sql }) => payByLink(sql, random.key, today, paise(duesPaise + nextInstalmentPaise + rupeesToPaise(500))))
    const { creditPaise } = await stateOf(random)
    if (creditPaise < rupeesToPaise(2)) return null
    const most = Number(smallerPaise(creditPaise, rupeesToPaise(500)))
    return { amount: (100 + random.draw(most - 100)) / 100 }
  },
  credit_return: async (random) => {
    const { duesPaise } = await stateOf(random)
    await receive(random, paise(duesPaise + rupeesToPaise(500)), null, today)
    const { creditPaise } = await stateOf(random)
    if (creditPaise === 0n) return null
    return { mode: 'imps', amount: (1 + random.draw(Number(creditPaise))) / 100, value_date: today, reference: uuidv7() }
  },
  foreclosure_waive: async (random) => {
    const close = (await stateOf(random)).allowed.foreclosure?.amountPaise ?? zeroPaise
    if (close < rupeesToPaise(1_000)) return null
    await receive(random, paise(close - rupeesToPaise(400) - BigInt(random.draw(10_000))), 'FORECLOSURE', today)
    return {}
  },
}

const kinds = Object.keys(inputs) as RandomKind[]
const executed: Record<string, number> = {}
/** Why a random loan did not allow a kind. */
const refusals: string[] = []

/** What the borrower's own screens show of the loan. */
async function shown({ key, token }: Case, trancheId: string | null) {
  const { body: summary } = await app.get('/portal/loans-summary', token)
  const loan = (summary['loans'] as Record<string, unknown>[]).find(({ lan }) => lan === key.lan) ?? {}
  const { body } = await app.get(`/portal/repayment-schedule?lead_id=${key.lan}`, token)
  const rows = body['repayment_schedule'] as Record<string, unknown>[]
  const row = rows.find(({ status }) => status !== 'Paid')
  const { foreclosure_payment: payoff } = body['allowed_payments'] as { foreclosure_payment?: { amount: number } }
  const { body: tranches } = await app.get(`/portal/tranche-details?lan=${key.lan}`, token)
  const tranche = (tranches['tranches'] as Record<string, unknown>[]).find((one) => one['partner_tranche_id'] === trancheId)
  return {
    as_of: loan['as_of'],
    loan_status: loan['loan_status'],
    dues: loan['dues'],
    dpd: loan['dpd'],
    emi_amount: loan['emi_amount'],
    due_date: loan['due_date'],
    last_due_date: loan['last_due_date'],
    principal_outstanding: loan['principal_outstanding'],
    disbursed_amount: loan['disbursed_amount'],
    credit_amount: loan['credit_amount'],
    instalments_left: loan['number_of_emis_due'],
    payoff: payoff?.amount ?? null,
    next_row: row
      ? { number: row['number'], due_date: row['due_date'], pending_amount: row['pending_amount'], status: row['status'] }
      : null,
    ...(tranche && {
      tranche: {
        partner_tranche_id: trancheId,
        stage: tranche['stage'],
        amount: tranche['tranche_amount'],
        date: tranche['date_of_disbursement'],
      },
    }),
  }
}

const ledgerOf = async ({ key }: Case) =>
  (await app.get(`/operations/loans/${key.lan}`, checker)).body['ledger'] as { sequence: number; kind: string; entries: object[] }[]

type Figures = { refunded_amount: number }

async function checkKind(random: Case, kind: RandomKind): Promise<void> {
  const input = await inputs[kind](random)
  if (input === null) return
  const answer = await propose(app, maker, { kind, lan: random.key.lan, input })
  // A random loan can forbid a kind, such as a reversal whose credit is refunded.
  if (answer.status === 422) return void refusals.push(`${kind}: ${String(answer.body['detail'])}`)
  const proposal = proposalOf(answer)
  const { preview } = proposal as unknown as { preview: { before: object; after: object; lines: Record<string, unknown>[] } }
  const trancheId = (input['partner_tranche_id'] as string | undefined) ?? null
  const what = `seed ${random.seed}, ${kind} ${JSON.stringify(input)}`
  if (kind === 'credit_refund' || kind === 'credit_return') {
    const { before: was, after: is } = preview as { before: Figures; after: Figures }
    expect(Math.round((is.refunded_amount - was.refunded_amount) * 100), what).toBe(Math.round(Number(input['amount']) * 100))
  }
  expect(preview.before, `${what}, before`).toMatchObject(await shown(random, trancheId))
  const before = await ledgerOf(random)
  const done = proposalOf(await approve(app, checker, proposal))
  expect(done.state, what).toBe('executed')
  expect(preview.after, `${what}, after`).toMatchObject(await shown(random, trancheId))
  const added = (await ledgerOf(random)).filter(({ sequence }) => sequence > (before.at(-1)?.sequence ?? 0))
  const ownCharge = `charge:${proposal.id}`
  const lines = added.flatMap((transaction, index) =>
    transaction.entries.map((entry) => ({ transaction: index + 1, kind: transaction.kind, ...entry })),
  )
  expect(
    lines.map((line) => ({
      ...line,
      charge_id: (line as { charge_id?: string | null }).charge_id?.replace(ownCharge, 'new') ?? null,
    })),
    `${what}, lines`,
  ).toEqual(preview.lines.map(({ value_date: _day, ...line }) => line))
  executed[kind] = (executed[kind] ?? 0) + 1
}

describe('the preview of every kind is what the loan shows after the execution, to the paisa', () => {
  it.each(Array.from({ length: loans }, (_, index) => [index + 1]))('of random loan %i', async (seed) => {
    const random = await newLoan(seed)
    const order = kinds.filter((kind) => kind !== 'foreclosure_waive').toSorted(() => random.draw(3) - 1)
    for (const kind of order) await checkKind(random, kind)
    // On a loan of its own: the credit that other kinds leave would close the loan.
    await checkKind(await newLoan(loans + seed), 'foreclosure_waive')
    await expectInvariantsHold(app)
  })
  it('executes every kind on most loans', () => {
    const rare = kinds.filter((kind) => (executed[kind] ?? 0) < executionsMin)
    expect(rare, refusals.join('\n')).toEqual([])
  })
})
