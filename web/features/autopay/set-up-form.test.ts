import { describe, expect, it } from 'vitest'
import type { Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { buildMandateRequest, cleanAccountNumber, cleanIfsc, emptyAccount, findAccountProblems, readCap } from './set-up-form.ts'

const upi = { method: 'upi' as const, max_amount: paise(600_000n), limit: paise(9_999_900n), pin_each_time: false }
const emandate = { ...upi, method: 'emandate' as const }
const offer = {
  methods: [upi, emandate],
  debit_day: 5,
  first_debit_on: '2026-12-05' as Day,
  consent_version: '2026-11',
  consent_text: 'I agree',
}
const account = { approval: 'netbanking', name: 'Nisha Verma', number: '112143112154', type: 'savings', ifsc: 'HDFC0000001' } as const

describe('the limit', () => {
  it.each([
    ['6000', { amount: paise(600_000n) }],
    ['99999', { amount: paise(9_999_900n) }],
    ['5999', { problem: 'below_offer' }],
    ['100000', { problem: 'above_limit' }],
    ['', { problem: 'not_an_amount' }],
    ['0', { problem: 'below_offer' }],
  ] as const)('%j', (text, read) => {
    expect(readCap(text, upi)).toEqual(read)
  })
})

describe('the account', () => {
  it('is typed with spaces, small letters and the digits of a Hindi keyboard', () => {
    expect(cleanAccountNumber('1121 4311-2154')).toBe('112143112154')
    expect(cleanAccountNumber('११२१ ४३११-२१५४')).toBe('112143112154')
    expect(cleanAccountNumber('\u202d1121\u200b43112154\u202c')).toBe('112143112154')
    expect(cleanIfsc(' hdfc 0000001x')).toBe('HDFC0000001')
    expect(cleanIfsc('HDFC०००००० १')).toBe('HDFC0000001')
  })

  it('names each field that is not valid', () => {
    expect([...findAccountProblems(emptyAccount)]).toEqual(['approval', 'name', 'number', 'type', 'ifsc'])
    expect(findAccountProblems(account).size).toBe(0)
    expect([...findAccountProblems({ ...account, number: '12345678' })]).toEqual(['number'])
    expect([...findAccountProblems({ ...account, number: '12345678a' })]).toEqual(['number'])
    // A number that is too long is another number if it is cut.
    expect([...findAccountProblems({ ...account, number: cleanAccountNumber('1'.repeat(19)) })]).toEqual(['number'])
    expect([...findAccountProblems({ ...account, ifsc: 'HDFC1000001' })]).toEqual(['ifsc'])
    expect([...findAccountProblems({ ...account, name: 'Abc ' })]).toEqual(['name'])
  })
})

describe('the request', () => {
  const entry = { offer, method: upi, capText: '6000', account: emptyAccount, hasConsented: true }

  it('needs consent and a valid limit', () => {
    expect(buildMandateRequest(entry)).toEqual({ method: 'upi', max_amount: paise(600_000n), consent_version: '2026-11' })
    expect(buildMandateRequest({ ...entry, hasConsented: false })).toBeNull()
    expect(buildMandateRequest({ ...entry, capText: '1' })).toBeNull()
  })

  it('contains the account of a bank mandate alone', () => {
    expect(buildMandateRequest({ ...entry, account })).not.toHaveProperty('account')
    expect(buildMandateRequest({ ...entry, method: emandate })).toBeNull()
    expect(buildMandateRequest({ ...entry, method: emandate, account })).toEqual({
      method: 'emandate',
      max_amount: paise(600_000n),
      consent_version: '2026-11',
      auth_type: 'netbanking',
      account: { beneficiary_name: 'Nisha Verma', account_number: '112143112154', account_type: 'savings', ifsc_code: 'HDFC0000001' },
    })
  })
})
