import { expect, it } from 'vitest'
import type { PaymentPart } from '#contract/payments.ts'
import { paise } from '#domain/money.ts'
import { sumQuote } from './quote-sums.ts'

const part = (component: PaymentPart['component'], amount: bigint, instalment_number?: number): PaymentPart => ({
  component,
  amount: paise(amount),
  ...(instalment_number !== undefined && { instalment_number }),
})

it('adds up what is of one kind, and keeps principal before its time apart', () => {
  const parts = [
    part('interest', 100n, 7),
    part('principal', 900n, 7),
    part('interest', 90n, 8),
    part('principal', 910n, 8),
    part('charges', 500n),
    part('charges', 20n),
    part('tax', 90n),
    part('principal', 5_000n),
  ]
  const sums = sumQuote(parts)
  expect(sums).toEqual([
    { line: 'principal', amount: 1_810n },
    { line: 'interest', amount: 190n },
    { line: 'charges', amount: 520n },
    { line: 'tax', amount: 90n },
    { line: 'principal_ahead', amount: 5_000n },
  ])
  const total = (amounts: readonly { amount: bigint }[]) => amounts.reduce((sum, { amount }) => sum + amount, 0n)
  expect(total(sums)).toBe(total(parts))
})

it('of nothing are nothing', () => expect(sumQuote([])).toEqual([]))
