import { afterEach, expect, test } from 'vitest'
import { rememberReturn, takeReturn } from './return-to.ts'

afterEach(() => {
  takeReturn()
})

const waiting = '/payments/waiting-for-payment?razorpay_payment_link_id=plink_1'

test('the waiting page is returned to, once, with its link, whoever signs in', () => {
  rememberReturn(waiting)
  expect(takeReturn('somebody')).toBe(waiting)
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
  rememberReturn(href)
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
