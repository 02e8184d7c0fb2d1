import { describe, expect, test } from 'vitest'
import { amountGrouping, phoneGrouping, wholeRupeesGrouping } from './grouped-field.tsx'
import { applyEdit, type Grouping } from './grouped-text.ts'

/** '|' is the caret, in the shown text after the edit. */
function edited(grouping: Grouping, before: string, after: string, deletes: 'backward' | 'forward' | null = null): string {
  const caret = after.indexOf('|')
  const result = applyEdit({ before: before.replace('|', ''), text: after.replace('|', ''), caret, deletes }, grouping)
  const shown = grouping.show(result.value)
  return `${shown.slice(0, result.caret)}|${shown.slice(result.caret)}`
}

describe('a phone number', () => {
  test.each([
    ['a digit typed at the end', '98765|', '987654|', null, '98765 4|'],
    ['a digit in the middle deleted', '98765 43|210', '98765 4|210', 'backward', '98765 4|210'],
    ['a digit of the first half deleted', '987|65 43210', '98|65 43210', 'backward', '98|654 3210'],
    ['its correction typed', '98|654 3210', '987|654 3210', null, '987|65 43210'],
    ['the separator deleted backwards', '98765 |43210', '98765|43210', 'backward', '9876|4 3210'],
    ['the separator deleted forwards', '98765| 43210', '98765|43210', 'forward', '98765| 3210'],
    ['a letter typed', '98|765', '98x|765', null, '98|765'],
    ['an eleventh digit in the middle', '98|765 43210', '980|765 43210', null, '980|76 54321'],
    ['a whole number pasted', '|', '+91 98765-43210|', null, '98765 43210|'],
    ['a stretch deleted', '98765 43210', '98|210', 'backward', '98|210'],
  ] as const)('%s', (_what, before, after, deletes, shown) => {
    expect(edited(phoneGrouping, before, after, deletes)).toBe(shown)
  })
})

describe('an amount', () => {
  test.each([
    ['a digit typed at the end', '1,234|', '1,2345|', null, '12,345|'],
    ['the comma deleted backwards', '1,23,|456', '1,23|456', 'backward', '12|,456'],
    ['a digit before the comma deleted', '12,34|5', '12,3|5', 'backward', '1,23|5'],
    ['its correction typed', '1,23|5', '1,239|5', null, '12,39|5'],
    ['the comma deleted forwards', '12|,345', '12|345', 'forward', '1,2|45'],
    ['the point typed', '1,234|56', '1,234.|56', null, '1,234.|56'],
    ['a digit before the point', '1,234|.50', '1,2345|.50', null, '12,345|.50'],
    ['a point at the start', '|', '.|', null, '0.|'],
  ] as const)('%s', (_what, before, after, deletes, shown) => {
    expect(edited(amountGrouping, before, after, deletes)).toBe(shown)
  })
  test('of whole rupees: pasted decimals fall away', () => {
    expect(edited(wholeRupeesGrouping, '|', '₹25,019.50|')).toBe('25,019|')
  })
})
