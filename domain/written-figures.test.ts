import { expect, it } from 'vitest'
import { toDay, type Day } from './calendar.ts'
import type { DocumentLanguage } from './documents.ts'
import { paise } from './money.ts'
import { dayText, groupDigits, groupedRupees, instantText, monthText, percentText, rupees, rupeesOrBlank } from './written-figures.ts'

it.each([
  [12_345_650n, '1,23,456.50', '₹1,23,456.50', '₹1,23,456.50'],
  [100_000_000_000_001n, '10,00,00,00,00,000.01', '₹10,00,00,00,00,000.01', '₹10,00,00,00,00,000.01'],
  [5n, '0.05', '₹0.05', '₹0.05'],
  [0n, '0.00', '₹0.00', ''],
  [-123_456n, '-1,234.56', '−₹1,234.56', '−₹1,234.56'],
])('%s paise are grouped by lakh, with a sign before the currency, and blank in a cell if nothing', (amount, plain, sign, cell) => {
  expect([groupedRupees(paise(amount)), rupees(paise(amount)), rupeesOrBlank(paise(amount))]).toEqual([plain, sign, cell])
})

const monthsOf = (language: DocumentLanguage): string[] =>
  Array.from({ length: 12 }, (_, index) => monthText(toDay(`2026-${String(index + 1).padStart(2, '0')}-09`), language))

it('groups as Intl does in India', () => {
  const intl = new Intl.NumberFormat('en-IN')
  for (let digits = ''; digits.length < 20; digits += '7') expect(groupDigits(digits || '0')).toBe(intl.format(BigInt(digits || '0')))
})

it('names the twelve months in both languages', () => {
  expect(monthsOf('en').join()).toBe(
    'Jan 2026,Feb 2026,Mar 2026,Apr 2026,May 2026,Jun 2026,Jul 2026,Aug 2026,Sep 2026,Oct 2026,Nov 2026,Dec 2026',
  )
  expect(monthsOf('hi').join()).toBe(
    'जनवरी 2026,फ़रवरी 2026,मार्च 2026,अप्रैल 2026,मई 2026,जून 2026,जुलाई 2026,अगस्त 2026,सितंबर 2026,अक्टूबर 2026,नवंबर 2026,दिसंबर 2026',
  )
})

it('writes a day and the time of day in India, with Latin digits in both languages (decision 19)', () => {
  const day: Day = toDay('2026-12-05')
  expect([dayText(day, 'en'), dayText(day, 'hi')]).toEqual(['05 Dec 2026', '05 दिसंबर 2026'])
  const instant = new Date('2026-12-05T14:07:59+05:30')
  expect([instantText(instant, 'en'), instantText(instant, 'hi')]).toEqual([
    '05 Dec 2026, 14:07 IST',
    '05 दिसंबर 2026, 14:07 बजे (भारतीय समय)',
  ])
  expect(instantText(new Date('2026-12-05T00:00:00+05:30'), 'en')).toBe('05 Dec 2026, 00:00 IST')
})

it('writes a rate in percent with all its decimals', () => {
  expect([112_500_000, 120_000_000, 101_250_000, 87_654_321, 0].map(percentText)).toEqual(['11.25%', '12%', '10.125%', '8.7654321%', '0%'])
})
