import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { toDay } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { operationKinds, type OperationKind } from '#domain/operations.ts'
import {
  operationInputs,
  preview,
  type LedgerLine,
  type LoanFigures,
  type OperationInput,
  type Preview,
  type PreviewSide,
  type PreviewWarning,
  type ReviewRecord,
} from './operation-kinds.ts'
import * as operations from './operations.ts'

const calls = [
  operations.countOperations,
  operations.readOperationsQueue,
  operations.findOperationsLoans,
  operations.readOperationsLoan,
  operations.readOperationsReviews,
  operations.previewOperation,
  operations.proposeOperation,
  operations.readProposal,
  operations.approveProposal,
  operations.rejectProposal,
  operations.withdrawProposal,
]

describe('the calls of operations', () => {
  it.each(calls.map((call) => [`${call.method} ${call.path}`, call] as const))('%s needs a permission of operations', (_name, call) => {
    expect(call.path).toMatch(/^\/operations\//)
    expect(call.access).toMatch(/^operations:(read|propose|approve)$/)
  })
})

/** One input of each kind, on the wire. */
const inputs: Record<OperationKind, Record<string, unknown>> = {
  charge_add: { charge_type: 'BOUNCE_CHARGE', amount: 500, tax_percent: 18, date: '2026-11-05' },
  charge_waive: { charge_id: 'late:2026-11-05' },
  payment_record: { mode: 'neft', amount: 12_500.5, value_date: '2026-11-05', reference: 'SBIN126309812345' },
  payment_reverse: { payment_id: 'pay_QxYz12AbCd34Ef', cause: 'bounced' },
  tranche_approve: { partner_tranche_id: 'TR-1' },
  tranche_reject: { partner_tranche_id: 'TR-1', cause: 'The college has not confirmed the term.' },
  tranche_release: { partner_tranche_id: 'TR-1', date: '2026-11-05' },
  credit_refund: { amount: 1_000 },
  credit_return: { mode: 'neft', amount: 1_000, value_date: '2026-11-05', reference: 'HDFCN52026110512345' },
  foreclosure_waive: {},
  review_resolve: { review_id: '01936c5e-7d3a-7c1f-9a40-3f2b8c1d0e57', resolution: 'Paid twice; the second was refunded.' },
  benchmark_publish: { code: 'RBI_REPO', annual_rate_percent: 6.25, effective_on: '2026-12-05' },
  rate_reset_run: { benchmark: 'RBI_REPO', effective_on: '2027-01-05' },
  rate_reset_withdraw: { reset_id: '01936c5e-7d3a-7c1f-9a40-3f2b8c1d0e58' },
  paper_publish: { paper_id: '01936c5e-7d3a-7c1f-9a40-3f2b8c1d0e59' },
}

describe('the input of an operation', () => {
  it.each(operationKinds)('%s is the same after decoding and encoding', (kind) => {
    const decoded = z.decode(operationInputs[kind], inputs[kind] as never)
    expect(z.encode(operationInputs[kind], decoded as never)).toEqual(inputs[kind])
  })
  it('is in paise once decoded', () => {
    const { amount } = z.decode(operationInputs.payment_record, inputs.payment_record as never) satisfies OperationInput<'payment_record'>
    expect(amount).toBe(paise(1_250_050n))
  })
  it.each([
    ['charge_add', { charge_type: 'bounce', amount: 590 }],
    ['charge_add', { charge_type: 'BOUNCE_CHARGE', amount: 0 }],
    ['charge_add', { charge_type: 'BOUNCE_CHARGE', amount: 500, tax_percent: -18 }],
    ['payment_record', { mode: 'neft', amount: 10.005, value_date: '2026-11-05', reference: 'A1' }],
    ['payment_record', { mode: 'barter', amount: 10, value_date: '2026-11-05', reference: 'A1' }],
    ['payment_record', { mode: 'neft', amount: 10, value_date: '2026-11-05', reference: '--' }],
    ['payment_reverse', { payment_id: 'pay_1', cause: 'because' }],
    ['tranche_release', { partner_tranche_id: 'TR-1', date: '2026-02-30' }],
    ['review_resolve', { review_id: 'one', resolution: 'It is settled.' }],
  ] as const)('of %s is refused: %j', (kind, input) => {
    expect(z.safeDecode(operationInputs[kind], input as never).success).toBe(false)
  })
})

describe('a preview', () => {
  const loan: LoanFigures = {
    as_of: toDay('2026-11-05'),
    loan_status: 'OVERDUE',
    dues: paise(1_234_567n),
    dpd: 12,
    emi_amount: paise(1_200_000n),
    next_emi_amount: paise(1_200_000n),
    due_date: toDay('2026-10-25'),
    last_due_date: null,
    payoff: null,
    principal_outstanding: paise(9_999_999n),
    disbursed_amount: paise(10_000_000n),
    credit_amount: paise(0n),
    refunded_amount: paise(0n),
    instalments_left: 9,
    next_row: null,
    tranche: null,
  }
  const line: LedgerLine = {
    transaction: 1,
    kind: 'charge',
    value_date: toDay('2026-11-05'),
    account: 'charges',
    debit: paise(59_000n),
    credit: paise(0n),
    instalment_number: null,
    charge_id: 'charge:1',
  }
  const review: ReviewRecord = {
    review_id: '01936c5e-7d3a-7c1f-9a40-3f2b8c1d0e57',
    review_kind: 'dispute',
    review_state: 'open',
    found_at: new Date('2026-11-05T06:30:00.000Z'),
    due_on: null,
    resolution: null,
  }
  const warning: PreviewWarning = { code: 'link_open', payment_link_id: null, expires_at: new Date('2026-11-05T18:29:59.000Z') }
  it.each<[string, PreviewSide]>([
    ['loan', loan],
    ['review', review],
  ])('of a %s keeps every field on the wire', (_name, side) => {
    const whole: Preview = { before: side, after: side, lines: [line], warnings: [warning], preview_hash: 'ab' }
    expect(z.decode(preview, JSON.parse(JSON.stringify(z.encode(preview, whole))))).toEqual(whole)
  })
})

describe('a proposal', () => {
  it('names its state, its maker and who decided it', () => {
    const { shape } = operations.proposal
    const names: (keyof operations.Proposal)[] = ['id', 'state', 'kind', 'lan', 'input', 'reason', 'maker', 'checker', 'preview']
    expect(names.filter((name) => !(name in shape))).toEqual([])
    expect(operations.operationsPageSize).toBe(20)
  })
})
