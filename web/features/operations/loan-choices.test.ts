import { describe, expect, it } from 'vitest'
import { paise, zeroPaise } from '#domain/money.ts'
import { findObstacle, listDecidableTranches, listReversiblePayments, listWaivableCharges, listWithdrawableResets } from './loan-choices.ts'

type Pieces = Parameters<typeof findObstacle>[1]

const charge = {
  charge_id: 'c1',
  charge_type: 'BOUNCE_CHARGE',
  date: '2026-11-01',
  amount: paise(1n),
  penal: false,
  waived_on: null,
  pending: paise(1n),
  settled: false,
}
const payment = {
  payment_id: 'p1',
  date: '2026-11-01',
  amount: paise(1n),
  mode: 'neft',
  reference: 'r',
  purpose: null,
  receipt_number: null,
  reversed: false,
}

const pieces = (more: {
  charges?: object[]
  payments?: object[]
  resets?: string[]
  stages?: string[]
  status?: string
  credit?: bigint
  shortForeclosures?: number
  refunds?: object[]
}): Pieces =>
  ({
    facts: {
      charges: more.charges ?? [],
      payments: more.payments ?? [],
      refunds: more.refunds ?? [],
      short_foreclosures: more.shortForeclosures ?? 0,
      rate_resets: (more.resets ?? []).map((state) => ({ state })),
    },
    tranches: (more.stages ?? []).map((stage) => ({ partner_tranche_id: stage, stage })),
    loan: { loan_status: more.status ?? 'ACTIVE', credit_amount: paise(more.credit ?? 0n) },
  }) as unknown as Pieces

describe('what can be proposed for a loan', () => {
  it('waives charges of which something is open', () => {
    const charges = [
      charge,
      { ...charge, charge_id: 'paid', pending: zeroPaise },
      { ...charge, charge_id: 'waived', waived_on: '2026-11-02', pending: zeroPaise },
      { ...charge, charge_id: 'owed-again', waived_on: '2026-11-02' },
    ]
    expect(listWaivableCharges(pieces({ charges })).map(({ charge_id }) => charge_id)).toEqual(['c1', 'owed-again'])
    expect(findObstacle('charge_waive', pieces({}))).toBe('no_charge')
  })

  it('reverses payments that count, the newest first', () => {
    const payments = [payment, { ...payment, payment_id: 'p2', date: '2026-11-09' }, { ...payment, payment_id: 'p3', reversed: true }]
    expect(listReversiblePayments(pieces({ payments })).map(({ payment_id }) => payment_id)).toEqual(['p2', 'p1'])
    expect(findObstacle('payment_reverse', pieces({}))).toBe('no_payment')
  })

  it('decides disbursal requests in their stage', () => {
    const loan = pieces({ stages: ['requested', 'approved', 'released'] })
    expect(listDecidableTranches('tranche_approve', loan).map(({ stage }) => stage)).toEqual(['requested'])
    expect(listDecidableTranches('tranche_reject', loan).map(({ stage }) => stage)).toEqual(['requested', 'approved'])
    expect(listDecidableTranches('tranche_release', loan).map(({ stage }) => stage)).toEqual(['approved'])
    expect(findObstacle('tranche_release', pieces({ stages: ['requested'] }))).toBe('no_tranche')
    const closed = pieces({ status: 'CLOSED', stages: ['requested', 'approved'] })
    for (const kind of ['tranche_approve', 'tranche_release'] as const) expect(findObstacle(kind, closed)).toBe('closed')
    expect(findObstacle('tranche_reject', closed)).toBeNull()
  })

  it('withdraws new rates whose day has not come', () => {
    const loan = pieces({ resets: ['computed', 'notified', 'chosen', 'defaulted', 'effective', 'withdrawn'] })
    expect(listWithdrawableResets(loan).map(({ state }) => state)).toEqual(['computed', 'notified', 'chosen', 'defaulted'])
    expect(findObstacle('rate_reset_withdraw', pieces({ resets: ['effective'] }))).toBe('no_reset')
  })

  it('refunds credit where there is some, and closes nothing twice', () => {
    expect(findObstacle('credit_refund', pieces({}))).toBe('no_credit')
    expect(findObstacle('credit_refund', pieces({ credit: 1n }))).toBeNull()
    expect(findObstacle('credit_return', pieces({ credit: 1n }))).toBeNull()
    const failedBy = (reason: string) => pieces({ refunds: [{ status: 'failed', reason }] })
    expect(findObstacle('credit_return', failedBy('duplicate'))).toBeNull()
    expect(findObstacle('credit_return', failedBy('by_lender'))).toBe('no_credit')
    expect(findObstacle('credit_refund', failedBy('duplicate'))).toBe('no_credit')
    expect(findObstacle('foreclosure_waive', pieces({ status: 'CLOSED' }))).toBe('closed')
    expect(findObstacle('foreclosure_waive', pieces({}))).toBe('no_short_foreclosure')
    expect(findObstacle('foreclosure_waive', pieces({ shortForeclosures: 1 }))).toBeNull()
    expect(findObstacle('payment_record', pieces({ status: 'CLOSED' }))).toBeNull()
  })
})
