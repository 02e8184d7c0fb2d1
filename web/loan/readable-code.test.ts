import { expect, test } from 'vitest'
import { readableCode } from './readable-code.ts'

test.each([
  ['LEGAL_NOTICE_FEE', 'legal notice fee'],
  ['cardless_emi', 'cardless emi'],
  ['nach-debit', 'nach debit'],
  ['__odd__', 'odd'],
  ['upi', 'upi'],
])('%s is read as words', (code, words) => expect(readableCode(code)).toBe(words))
