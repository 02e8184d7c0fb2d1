import { afterEach, expect, test } from 'vitest'
import { forgetSentCode, storageKeys, writeStored } from '#web/storage.ts'
import { minuteMs } from '#domain/durations.ts'
import { readSentCode, rememberSentCode } from './sent-code.ts'

afterEach(forgetSentCode)

// There is no sessionStorage in these tests: they use the fallback in memory.
const sent = { phone: '9000000001', sessionToken: 's1', atMs: 1_000, resendAtMs: 31_000, times: 1, isAnswerUnknown: false }

test('an awaited code is kept until it is forgotten', () => {
  rememberSentCode(sent)
  expect(readSentCode(sent.atMs)).toEqual(sent)
  forgetSentCode()
  expect(readSentCode(sent.atMs)).toBeNull()
})

test('one that cannot be valid any more is ignored, and one of a later time', () => {
  rememberSentCode(sent)
  expect(readSentCode(sent.atMs + 7 * minuteMs - 1)).toEqual(sent)
  expect(readSentCode(sent.atMs + 7 * minuteMs)).toBeNull()
  expect(readSentCode(sent.atMs - 1)).toBeNull()
})

test.each([
  ['no JSON', '{'],
  ['a text', '"9000000001"'],
  ['null', 'null'],
  ['a whole phone number', JSON.stringify({ ...sent, phone: '+919000000001' })],
  ['no session', JSON.stringify({ ...sent, sessionToken: '' })],
  ['another kind of time', JSON.stringify({ ...sent, atMs: '1000' })],
  ['a field less', JSON.stringify({ ...sent, resendAtMs: undefined })],
])('%s is ignored', (_what, text) => {
  writeStored(storageKeys.sentCode, text, 'sessionStorage')
  expect(readSentCode(sent.atMs)).toBeNull()
})
