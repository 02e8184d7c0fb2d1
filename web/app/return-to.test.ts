import { afterEach, describe, expect, test } from 'vitest'
import { storageKeys, writeStored } from '#web/storage.ts'
import { rememberReturn, rememberStaffPage, rememberWaitingPage, takeReturn } from './return-to.ts'

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

describe('staff', () => {
  const proposal = '/operations/proposals/0193'

  test.each(['/users', '/users?page=2', '/operations?list=mine&page=2', '/operations/loans/KST-1?do=charge_add', proposal])(
    '%s is returned to by the same staff member, once',
    (href) => {
      rememberReturn(href, 'harini ')
      expect(takeReturn('harini ', true)).toBe(href)
      expect(takeReturn('harini ', true)).toBeNull()
    },
  )

  test('the words of a search are not stored, because they may be a phone or a PAN', () => {
    rememberReturn('/users?search=9000000001&page=2', 'harini ')
    expect(takeReturn('harini ', true)).toBe('/users')
    rememberReturn('/operations/loans?page=2&search=asha', 'harini ')
    expect(takeReturn('harini ', true)).toBe('/operations/loans')
  })

  test('a link that is opened without a session leads whoever of the staff signs in to its page', () => {
    rememberStaffPage(proposal, { isOpened: true })
    expect(takeReturn('harini ', true)).toBe(proposal)
  })

  test('a page whose session another tab has ended is not remembered', () => {
    rememberStaffPage(proposal, { isOpened: false })
    expect(takeReturn('harini ', true)).toBeNull()
  })

  test('a page of staff is not returned to by a borrower, nor a page of a borrower by staff', () => {
    rememberStaffPage(proposal, { isOpened: true })
    expect(takeReturn('asha ')).toBeNull()
    rememberWaitingPage(waiting)
    expect(takeReturn('harini ', true)).toBeNull()
  })
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
  '/operations/elsewhere',
  '/admin/login',
  '/no-such-page',
  '/',
])('%s is nobody’s', (href) => {
  rememberReturn(href, 'asha')
  expect(takeReturn('asha')).toBeNull()
})
