import { describe, expect, test } from 'vitest'
import type { Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import {
  formatDay,
  formatInstant,
  formatMoney,
  formatMonth,
  formatPhone,
  splitMoney,
  parseRupeesInput,
  formatCode,
  formatRupeesInput,
} from './format.ts'

describe('money', () => {
  test.each([
    [0n, '₹0'],
    [100n, '₹1'],
    [5n, '₹0.05'],
    [50n, '₹0.50'],
    [12_345_650n, '₹1,23,456.50'],
    [1_234_567_800n, '₹1,23,45,678'],
    [9_000_000_000_000_001n, '₹9,00,00,00,00,00,000.01'],
    [-25_004_797n, '−₹2,50,047.97'],
  ])('%s paise', (amount, text) => {
    expect(formatMoney(paise(amount))).toBe(text)
  })
  test('the paise are separate, so that they can be set smaller', () => {
    expect(splitMoney(paise(119_995_203n))).toEqual({ sign: '', whole: '11,99,952', fraction: '.03' })
  })
})

describe('days', () => {
  test.each([
    ['2026-12-05', 'en', '05 Dec 2026'],
    ['2026-12-05', 'hi', '05 दिसंबर 2026'],
    ['2026-09-30', 'en', '30 Sep 2026'],
    ['2026-02-01', 'hi', '01 फ़रवरी 2026'],
  ] as const)('%s in %s', (day, language, text) => {
    expect(formatDay(day as Day, language)).toBe(text)
  })
  test('a month alone', () => {
    expect(formatMonth('2032-03-05' as Day, 'en')).toBe('Mar 2032')
  })
})

describe('moments are shown in India time', () => {
  test.each([
    ['2026-11-20T05:12:00Z', 'en', '20 Nov 2026, 10:42 am'],
    ['2026-11-20T18:31:00Z', 'en', '21 Nov 2026, 12:01 am'],
    ['2026-11-20T06:30:00Z', 'en', '20 Nov 2026, 12:00 pm'],
    ['2026-11-20T05:12:00Z', 'hi', '20 नवंबर 2026, सुबह 10:42'],
    ['2026-11-20T07:00:00Z', 'hi', '20 नवंबर 2026, दोपहर 12:30'],
    ['2026-11-20T12:00:00Z', 'hi', '20 नवंबर 2026, शाम 5:30'],
    ['2026-11-20T16:00:00Z', 'hi', '20 नवंबर 2026, रात 9:30'],
  ] as const)('%s in %s', (instant, language, text) => {
    expect(formatInstant(new Date(instant), language)).toBe(text)
  })
})

test('phones are grouped in fives', () => {
  expect(formatPhone('+919876543210')).toBe('+91 98765 43210')
  expect(formatPhone('unknown')).toBe('unknown')
})

test.each([
  ['25019', 2_501_900n],
  ['25019.', 2_501_900n],
  ['25019.5', 2_501_950n],
  ['0.05', 5n],
  ['0', 0n],
])('%s is an amount', (text, value) => {
  expect(parseRupeesInput(text)).toBe(value)
})

test.each(['', '1e3', '1,000', '-1', '1.234', 'NaN', '123456789012'])('%s is not', (text) => {
  expect(parseRupeesInput(text)).toBeNull()
})

test('and back', () => {
  expect(formatRupeesInput(paise(2_501_950n))).toBe('25019.50')
  expect(formatRupeesInput(paise(2_501_900n))).toBe('25019')
})

test.each([
  ['LEGAL_NOTICE_FEE', 'legal notice fee'],
  ['cardless_emi', 'cardless emi'],
  ['nach-debit', 'nach debit'],
  ['__odd__', 'odd'],
  ['upi', 'upi'],
])('%s is read as words', (code, words) => expect(formatCode(code)).toBe(words))
