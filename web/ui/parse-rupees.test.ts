import { expect, test } from 'vitest'
import { paise } from '#domain/money.ts'
import { parseRupees, rupeesText } from './parse-rupees.ts'

test.each([
  ['25019', 2_501_900n],
  ['25019.', 2_501_900n],
  ['25019.5', 2_501_950n],
  ['0.05', 5n],
  ['0', 0n],
])('%s is an amount', (text, value) => {
  expect(parseRupees(text)).toBe(value)
})

test.each(['', '1e3', '1,000', '-1', '1.234', 'NaN', '123456789012'])('%s is not', (text) => {
  expect(parseRupees(text)).toBeNull()
})

test('and back', () => {
  expect(rupeesText(paise(2_501_950n))).toBe('25019.50')
  expect(rupeesText(paise(2_501_900n))).toBe('25019')
})
