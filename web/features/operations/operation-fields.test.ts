import { describe, expect, it, test } from 'vitest'
import { operationInputs } from '#contract/operation-kinds.ts'
import { operationKinds } from '#domain/operations.ts'
import { paise } from '#domain/money.ts'
import { buildInput, decodeInput, findFieldProblem, operationFields, toCode, type OperationField } from './operation-fields.ts'

const valid = {
  charge_add: { charge_type: 'Bounce charge', amount: '300.50', tax_percent: '18', date: '2026-11-20' },
  charge_waive: { charge_id: 'late:2026-11-05' },
  payment_record: { mode: 'neft', amount: '3000', value_date: '2026-11-20', reference: 'HDFCN52026112012345', purpose: 'FORECLOSURE' },
  payment_reverse: { payment_id: 'pay_1', cause: 'chargeback', amount: '500' },
  tranche_approve: { partner_tranche_id: 'T2' },
  tranche_reject: { partner_tranche_id: 'T2', cause: 'No fee letter' },
  tranche_release: { partner_tranche_id: 'T2', date: '2026-11-20' },
  credit_refund: { amount: '1' },
  credit_return: { mode: 'neft', amount: '1', value_date: '2026-11-20', reference: 'HDFCN52026112012346' },
  foreclosure_waive: {},
  review_resolve: { review_id: '01930000-0000-7000-8000-000000000001', resolution: 'Settled' },
  benchmark_publish: { code: 'RBI repo', annual_rate_percent: '6.25', effective_on: '2026-12-05' },
  rate_reset_run: { benchmark: 'RBI_REPO', effective_on: '2027-01-05' },
  rate_reset_withdraw: { reset_id: '01930000-0000-7000-8000-000000000002' },
  paper_publish: { paper_id: '01930000-0000-7000-8000-000000000003' },
} as const

describe('the input of every kind', () => {
  test.each(operationKinds)('%s is what the contract takes', (kind) => {
    const input = buildInput(kind, valid[kind])
    expect(input).not.toBeNull()
    expect(operationInputs[kind].safeParse(input).success).toBe(true)
  })

  test.each(operationKinds)('%s has a field for each of its entries', (kind) => {
    const names = operationFields[kind].map(({ name }) => name)
    expect([...names, ...(kind === 'review_resolve' ? ['review_id'] : [])].toSorted()).toEqual(Object.keys(valid[kind]).toSorted())
  })

  test.each(operationKinds.filter((kind) => operationFields[kind].length > 0))('%s is refused while empty', (kind) => {
    expect(buildInput(kind, {})).toBeNull()
  })

  it('leaves out an optional day', () => {
    expect(buildInput('charge_add', { charge_type: 'bounce charge', amount: '300', date: '' })).toEqual({
      charge_type: 'BOUNCE_CHARGE',
      amount: 300,
    })
  })

  it('has the part of a payment for a chargeback alone', () => {
    const values = { payment_id: 'pay_1', amount: '500' }
    expect(buildInput('payment_reverse', { ...values, cause: 'chargeback' })).toEqual({ ...values, cause: 'chargeback', amount: 500 })
    expect(buildInput('payment_reverse', { ...values, cause: 'bounced' })).toEqual({ payment_id: 'pay_1', cause: 'bounced' })
  })

  it('writes amounts to the paisa', () => {
    expect(buildInput('credit_refund', { amount: '99999999999.99' })).toEqual({ amount: 99_999_999_999.99 })
    expect(decodeInput('credit_refund', { amount: 300.5 })).toEqual({ amount: paise(30_050n) })
  })

  it('shows an input that does not fit its kind as it is', () => {
    expect(decodeInput('credit_refund', { amount: 'much' })).toEqual({ amount: 'much' })
  })
})

describe('a field', () => {
  const problem = (type: OperationField['type'], text: string) => findFieldProblem({ name: 'field', type }, text)

  it('is needed unless it is optional', () => {
    expect(problem('day', '')).toBe('missing')
    expect(findFieldProblem({ name: 'date', type: 'day', optional: true }, '')).toBeNull()
  })

  test.each([
    ['amount', '0', 'amount'],
    ['amount', 'ten', 'amount'],
    ['amount', '0.01', null],
    ['charge_type', '9 lives', 'charge_type'],
    ['charge_type', 'Legal notice fee', null],
    ['benchmark', '7', 'charge_type'],
    ['benchmark', 'RBI repo', null],
    ['percent', '6,25', 'percent'],
    ['percent', '6.12345678', 'percent'],
    ['percent', '6.25', null],
    ['reference', 'two words', 'reference'],
    ['reference', ' UTR123 ', null],
    ['words', 'a  ', 'words'],
    ['words', 'ठीक है', null],
  ] as const)('%s %j: %s', (type, text, expected) => {
    expect(problem(type, text)).toBe(expected)
  })

  it('writes a kind of charge as its code', () => {
    expect(toCode('  Legal-notice fee ')).toBe('LEGAL_NOTICE_FEE')
  })
})
