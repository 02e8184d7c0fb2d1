import { afterEach, expect, test } from 'vitest'
import { rememberReturn, takeReturn } from './return-to.ts'

afterEach(() => {
  takeReturn()
})

test('the waiting page is returned to, once, with its link', () => {
  rememberReturn('/payments/waiting-for-payment?razorpay_payment_link_id=plink_1')
  expect(takeReturn()).toBe('/payments/waiting-for-payment?razorpay_payment_link_id=plink_1')
  expect(takeReturn()).toBeNull()
})

test.each(['/active-loans/payments', '/user-profile', '/payments/waiting-for-payment', 'https://elsewhere.example', '//elsewhere.example'])(
  '%s is not',
  (href) => {
    rememberReturn(href)
    expect(takeReturn()).toBeNull()
  },
)
