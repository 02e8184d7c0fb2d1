import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { noticeKinds, smsPreferenceOf } from '#domain/notices.ts'
import { productionSettings } from '#testkit/production-settings.ts'
import { ConfigError, readConfig } from './read-config.ts'
import { composeSms } from '../notices/compose-sms.ts'
import { fillTemplate, smsMessages, listUnregisteredMessages } from './sms-templates.ts'

const directory = mkdtempSync(join(tmpdir(), 'kist-templates-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const { MSG91_DLT_TEMPLATE_ID: signInTemplate, ...withoutTemplate } = productionSettings
let files = 0
const fileOf = (content: unknown): string => {
  files += 1
  const path = join(directory, `${files}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
const read = (content: unknown, settings: Record<string, string> = productionSettings) =>
  readConfig({ ...settings, KIST_DATA_DIR: directory, KIST_SMS_TEMPLATES: fileOf(content) })
const faultsOf = (content: unknown, settings?: Record<string, string>): readonly string[] => {
  try {
    read(content, settings)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}
const id = (number: number) => `12071600000000000${String(number).padStart(2, '0')}`

describe('the DLT templates', () => {
  it('are one per message and language, and every SMS message has a text in both', () => {
    const ofKinds = smsMessages.filter((message) => message !== 'payment_not_captured')
    expect(ofKinds).toEqual(['sign_in_code', ...noticeKinds.filter((kind) => smsPreferenceOf[kind] !== null)])
    const { smsTemplates } = read({})
    for (const message of smsMessages)
      for (const language of ['en', 'hi'] as const) expect(smsTemplates[message][language].text).not.toBe('')
  })
  it('have id and text from the file, the built-in text by default, and MSG91_DLT_TEMPLATE_ID for the sign-in code only', () => {
    const config = read({
      due_soon: { en: { template_id: id(1), text: 'Pay Rs {amount} by {date}, loan {loan}. {brand}' }, hi: { template_id: id(2) } },
    })
    expect(config.smsTemplates.due_soon.en).toEqual({ text: 'Pay Rs {amount} by {date}, loan {loan}. {brand}', templateId: id(1) })
    expect(config.smsTemplates.due_soon.hi).toEqual({ text: expect.stringContaining('देय हैं'), templateId: id(2) })
    expect(config.smsTemplates.sign_in_code.hi).toEqual({ text: expect.stringContaining('{code}'), templateId: signInTemplate })
    const values = { brand: 'Sagar', amount: '8,885.00', date: '23 Nov 2026', loan: '1208' }
    expect(composeSms(config, 'due_soon', 'en', values)).toEqual({
      text: 'Pay Rs 8,885.00 by 23 Nov 2026, loan 1208. Sagar',
      templateId: id(1),
    })
    // Without a registered template the message is not sent, not even under another template.
    expect(composeSms(config, 'payment_applied', 'en', values)).toBeNull()
    expect(listUnregisteredMessages(config.smsTemplates)).toEqual(
      smsMessages
        .slice(1)
        .filter((message) => message !== 'due_soon')
        .flatMap((message) => [`${message} (en)`, `${message} (hi)`]),
    )
  })
  it('are not needed for the outbox', () => {
    const demo = readConfig({ KIST_DATA_DIR: directory })
    expect(composeSms(demo, 'payment_applied', 'en', { brand: 'Kist', amount: '1.00', loan: '1208' })).toEqual({
      text: expect.stringContaining('We received Rs 1.00'),
      templateId: null,
    })
  })
  it.each([
    ['none', {}, 'in en and hi'],
    ['one language', { sign_in_code: { hi: { template_id: id(3) } } }, 'in en.'],
    ['other messages alone', { due_soon: { en: { template_id: id(3) }, hi: { template_id: id(4) } } }, 'in en and hi'],
  ])('of the sign-in code are needed in both languages in production: a file with %s is refused', (_name, content, languages) => {
    expect(faultsOf(content, withoutTemplate)).toEqual([expect.stringContaining(languages)])
    expect(faultsOf(content, withoutTemplate)[0]).toContain('MSG91_DLT_TEMPLATE_ID is missing: the sign-in code has no DLT template')
  })
  it('of the sign-in code in the file replace MSG91_DLT_TEMPLATE_ID', () => {
    const content = { sign_in_code: { en: { template_id: id(3) }, hi: { template_id: id(4) } } }
    expect(faultsOf(content, withoutTemplate)).toEqual([])
    const { sign_in_code: code } = read(content, withoutTemplate).smsTemplates
    expect([code.en.templateId, code.hi.templateId]).toEqual([id(3), id(4)])
    expect(code.hi.text).toContain('OTP है')
    // The same message ends autopay.
    expect(code.en.text + code.hi.text).not.toMatch(/sign-in|लॉग इन/)
  })
  it('report all faults of the file together with those of other settings', () => {
    const content = {
      due_soon: { en: { template_id: '12', text: 'x' }, fr: {} },
      payment_recieved: {},
      sign_in_code: { en: { text: 'x' } },
    }
    const faults = faultsOf(content, { ...productionSettings, KIST_ORIGIN: '' })
    expect(faults).toContainEqual(expect.stringContaining('KIST_ORIGIN is missing'))
    for (const part of ['due_soon.en.template_id', '"fr"', '"payment_recieved"', 'sign_in_code.en.template_id: must be the number'])
      expect(faults).toContainEqual(expect.stringMatching(new RegExp(`^KIST_SMS_TEMPLATES: .*${part}`)))
  })
  it('refuse unknown variables and a sign-in code without its code, all at once', () => {
    expect(
      faultsOf({
        payment_applied: { en: { template_id: id(1), text: 'Rs {amount} on {date} {name}' } },
        tranche_approved: { hi: { template_id: id(2), text: 'रु {amount' } },
        sign_in_code: { en: { template_id: id(3), text: 'Welcome to {brand}' } },
      }),
    ).toEqual([
      'KIST_SMS_TEMPLATES: sign_in_code.en.text has no {code}',
      'KIST_SMS_TEMPLATES: payment_applied.en.text has {date}, which this message does not support: it has {brand}, {amount}, {loan}',
      'KIST_SMS_TEMPLATES: payment_applied.en.text has {name}, which this message does not support: it has {brand}, {amount}, {loan}',
      'KIST_SMS_TEMPLATES: tranche_approved.hi.text has an unmatched brace',
    ])
  })
  it.each([
    ['is not there', '/nowhere/templates.json', 'there is no file'],
    ['is no JSON', fileOf('{'), 'is not JSON'],
    ['is a list', fileOf([]), 'must be an object'],
  ])('tell when the file %s', (_name, path, says) => {
    const settings = { ...productionSettings, KIST_DATA_DIR: directory, KIST_SMS_TEMPLATES: path }
    expect(() => readConfig(settings)).toThrow(expect.objectContaining({ faults: [expect.stringContaining(says)] }))
  })
  it('do not expand values that look like variables', () => {
    expect(fillTemplate('{brand}: {amount}', { brand: '{amount}', amount: '5' })).toBe('{amount}: 5')
  })
})
