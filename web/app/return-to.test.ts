import { afterEach, expect, test } from 'vitest'
import { storageKeys, writeStored } from '#web/storage.ts'
import { rememberReturn, rememberWaitingPage, takeReturn } from './return-to.ts'

afterEach(() => {
  takeReturn()
  writeStored(storageKeys.token, null)
})

const waiting = '/payments/waiting-for-payment?razorpay_payment_link_id=plink_1'

test('the waiting page is returned to, once, with its link, whoever signs in', () => {
  rememberWaitingPage(waiting)
  expect(takeReturn('somebody')).toBe(waiting)
  expect(takeReturn('somebody')).toBeNull()
})

test('where an expired token tells whose payment it was, nobody else is led to the waiting page', () => {
  const ends = Math.floor(Date.now() / 1000) - 60
  const payload = { sub: 'asha', sid: 'one', roles: [], exp: ends, assumed_user_id: null }
  writeStored(storageKeys.token, `head.${btoa(JSON.stringify(payload))}.signature`)
  rememberWaitingPage(waiting)
  expect(takeReturn('binod ')).toBeNull()
  rememberWaitingPage(waiting)
  expect(takeReturn('asha ')).toBe(waiting)
})

test('only the waiting page is remembered without a session', () => {
  rememberWaitingPage('/active-loans/payments')
  rememberWaitingPage('/payments/waiting-for-payment')
  expect(takeReturn('somebody')).toBeNull()
})

test.each([
  '/active-loans',
  '/active-loans/payments?option=part_payment',
  '/user-profile',
  '/ongoing-application',
  '/faqs',
  '/customer-support',
])('%s is returned to by the same person, once', (href) => {
  rememberReturn(href, 'asha')
  expect(takeReturn('asha')).toBe(href)
  expect(takeReturn('asha')).toBeNull()
})

test('another person does not get the page, and neither does the first one after that', () => {
  rememberReturn('/active-loans/payments', 'asha')
  expect(takeReturn('binod')).toBeNull()
  expect(takeReturn('asha')).toBeNull()
})

test.each(['/active-loans/payments', '/user-profile', '/payments/waiting-for-payment'])('%s is not without a person', (href) => {
  rememberReturn(href, null)
  expect(takeReturn()).toBeNull()
})

test.each([
  'https://elsewhere.example',
  '//elsewhere.example',
  '/\\elsewhere.example',
  '/active-loans/../users',
  '/users',
  '/admin/login',
  '/no-such-page',
  '/',
])('%s is nobody’s', (href) => {
  rememberReturn(href, 'asha')
  expect(takeReturn('asha')).toBeNull()
})
