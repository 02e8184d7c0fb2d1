import { expect, it } from 'vitest'
import { paise } from '#domain/money.ts'
import { checkPartPaymentAmount, listSuggestions } from './part-payment.ts'

const range = { min: paise(2_501_900n), max: paise(117_493_303n) }

it.each([
  ['25019', 2_501_900n],
  ['25019.5', 2_501_950n],
  ['25019.', 2_501_900n],
  ['1174933.03', 117_493_303n],
])('%s is an amount in range', (text, amount) => {
  expect(checkPartPaymentAmount(text, range)).toEqual({ isValid: true, amount })
})

it.each(['', ' ', '0', '0.00', '-25019', '1e5', '0x61BB', 'NaN', '25019.005', '12.34.56', '25019 rupees', '.', '123456789012'])(
  '%o is not an amount',
  (text) => {
    expect(checkPartPaymentAmount(text, range)).toEqual({ isValid: false, problem: 'not_an_amount' })
  },
)

it('is held between the minimum and the maximum, both included', () => {
  expect(checkPartPaymentAmount('25018.99', range)).toEqual({ isValid: false, problem: 'below_minimum' })
  expect(checkPartPaymentAmount('25019', range)).toMatchObject({ isValid: true })
  expect(checkPartPaymentAmount('1174933.03', range)).toMatchObject({ isValid: true })
  expect(checkPartPaymentAmount('1174933.04', range)).toEqual({ isValid: false, problem: 'above_maximum' })
})

it('suggests one EMI, ₹50,000 and ₹1 lakh, only within the limits and each once', () => {
  const within = (min: bigint, max: bigint, emi: bigint) => listSuggestions({ min: paise(min), max: paise(max) }, paise(emi))
  expect(within(25_019_00n, 5_00_000_00n, 25_019_00n)).toEqual([25_019_00n, 50_000_00n, 1_00_000_00n])
  expect(within(26_000_00n, 99_999_99n, 25_019_00n)).toEqual([50_000_00n])
  expect(within(1_000_00n, 5_00_000_00n, 50_000_00n)).toEqual([50_000_00n, 1_00_000_00n])
  expect(within(1_000_00n, 2_000_00n, 500_00n)).toEqual([])
})
