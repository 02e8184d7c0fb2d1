import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { assume } from '#contract/users.ts'
import { accessCategories, isLongEnough, readReason, reasonTextMax, reasonTextMin, tidyText, writeReason } from './access-reason.ts'

test('a reason is one line without what cannot be seen', () => {
  expect(tidyText('  Ticket 48213:\n\tno   receipt\u0000 \u202Egone\u2069 ')).toBe('Ticket 48213: no receipt gone')
})

test.each(['', '         ', 'Ticket 48', 'Ticket  \n  48', '  123456789  '])('%j is no reason', (text) =>
  expect(isLongEnough(text, reasonTextMin)).toBe(false),
)
test.each(['1234567890', 'रसीद नहीं मिली'])('ten characters of any script, as %s, are one', (text) =>
  expect(isLongEnough(text, reasonTextMin)).toBe(true),
)

test.each(accessCategories)('a reason of the category %s is read as it was written', (category) => {
  expect(readReason(writeReason(category, 'Ticket 1: cannot pay'))).toEqual({ category, text: 'Ticket 1: cannot pay' })
})

test('a reason that was written elsewhere has no category', () => {
  expect(readReason('Ticket: cannot pay')).toEqual({ category: null, text: 'Ticket: cannot pay' })
})

test('the longest reason fits the call', () => {
  for (const category of accessCategories) {
    const body = { user_id_to_assume: 'u', reason: writeReason(category, 'अ'.repeat(reasonTextMax)) }
    expect(z.safeEncode(assume.body, body).success).toBe(true)
  }
})
