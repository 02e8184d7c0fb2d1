import type Razorpay from 'razorpay'
import { expect, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { createMoneyCalls } from './razorpay-money.ts'

const row = {
  entity_id: 'pay_1',
  type: 'payment',
  debit: 0,
  credit: 97_640,
  amount: 100_000,
  fee: 2_360,
  tax: 360,
  settlement_id: 'setl_1',
}

it('reads a row of the settlement report that has another shape as a line of unknown type', async () => {
  const items = [
    row,
    { ...row, entity_id: 'pay_2', credit: -97_640 },
    { ...row, entity_id: null, type: null },
    // Not settled yet.
    { ...row, credit: null, settlement_id: null },
    'not a row',
  ]
  const client = { settlements: { reports: () => Promise.resolve({ items }) } }
  const outcome = await createMoneyCalls(client as never as Razorpay).settlementLinesOf(toDay('2026-11-20'))
  const unreadable = { settlementId: 'setl_1', type: 'unreadable', creditPaise: 0n, debitPaise: 0n }
  expect(outcome).toMatchObject({
    kind: 'found',
    lines: [
      { settlementId: 'setl_1', entityId: 'pay_1', type: 'payment', creditPaise: 97_640n },
      { ...unreadable, entityId: 'pay_2' },
      { ...unreadable, entityId: 'row 3' },
    ],
  })
})

it('reads a payment whose descriptions have another shape, and leaves out one without an amount', async () => {
  const payment = {
    id: 'pay_QwErTy12345678',
    amount: 100_000,
    currency: 'INR',
    status: 'captured',
    captured: true,
    created_at: 1_795_000_000,
  }
  const items = [
    { ...payment, method: 'card', card: [], acquirer_data: [], vpa: {}, description: 7 },
    { ...payment, amount: null },
  ]
  const client = { payments: { all: () => Promise.resolve({ items }) } }
  const outcome = await createMoneyCalls(client as never as Razorpay).paymentsBetween(new Date(0), new Date())
  expect(outcome).toMatchObject({ kind: 'found', payments: [{ amountPaise: 100_000n, instrument: null, bankReference: null }] })
  expect(outcome).toHaveProperty('payments.length', 1)
})
