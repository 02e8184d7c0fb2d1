import { expect, test } from 'vitest'
import { findDrawnPage, isDrawnFor, isLoanPath, findMarkedSection, isLoanTab, getLoanTabPath, getSection } from './paths.ts'

test('the default tab has the short address', () => {
  expect(getLoanTabPath('loan-details')).toBe('/active-loans')
  expect(getLoanTabPath('payments')).toBe('/active-loans/payments')
})

test('only the three tabs are tabs', () => {
  expect(['loan-details', 'payments', 'documents', 'nope', ''].filter(isLoanTab)).toEqual(['loan-details', 'payments', 'documents'])
})

test('the loan page is its address and those of its tabs, and nothing that only begins like it', () => {
  const addresses = ['/active-loans', '/active-loans/', '/active-loans/payments', '/active-loans/nonsense']
  expect(addresses.filter((path) => !isLoanPath(path))).toEqual([])
  expect(['/active-loansx', '/active-loans/payments/more', '/', '/x/active-loans'].filter(isLoanPath)).toEqual([])
})

test.each([
  ['/active-loans', 'active-loans'],
  ['/active-loans/payments', 'active-loans'],
  ['/user-profile', 'user-profile'],
  ['/user-profile/anything', 'user-profile'],
  ['/ongoing-application', 'ongoing-application'],
  ['/faqs', 'faqs'],
  ['/customer-support', 'customer-support'],
  ['/users', 'active-loans'],
  ['/user-profiles', 'active-loans'],
  ['/nowhere', 'active-loans'],
  ['/', 'active-loans'],
])('%s belongs to %s', (path, section) => {
  expect(getSection(path)).toBe(section)
})

test('the navigation marks a page of its own, and no page of staff', () => {
  const ofStaff = [
    '/users',
    '/operations',
    '/operations/reviews',
    '/operations/loans',
    '/operations/loans/KST-1',
    '/operations/proposals/1',
  ]
  expect(ofStaff.map(findMarkedSection)).toEqual(ofStaff.map(() => null))
  expect(['/active-loans/payments', '/faqs', '/nowhere'].map(findMarkedSection)).toEqual(['active-loans', 'faqs', 'active-loans'])
})

test.each([
  ['/', 'loan-details'],
  ['/active-loans', 'loan-details'],
  ['/active-loans/loan-details', 'loan-details'],
  ['/active-loans/payments', 'payments'],
  ['/users', 'users'],
  ['/operations', 'operations'],
  ['/operations/loans', 'operations-loans'],
  ['/operations/reviews', 'operations-reviews'],
  ['/operations/loans/KST-24-004173', 'operations-record'],
  ['/operations/proposals/01a20990-bcd5-71f3-bba3-a033fcfc9576', 'operations-record'],
])('%s is drawn as %s', (path, page) => {
  expect(findDrawnPage(path)).toBe(page)
})

test.each([
  '/login',
  '/admin/login',
  '/active-loans/nothing',
  '/design',
  '/x',
  'constructor',
  '/operations/nothing',
  '/operations/loans/a/b',
])('%s is not drawn', (path) => {
  expect(findDrawnPage(path)).toBeNull()
})

test('staff without a borrower have pages with their navigation', () => {
  expect(isDrawnFor('operations-record', true)).toBe(true)
  expect(isDrawnFor('operations', false)).toBe(false)
  expect(isDrawnFor('users', true)).toBe(true)
  expect(isDrawnFor('users', false)).toBe(false)
  expect(isDrawnFor('profile', true)).toBe(false)
  expect(isDrawnFor('profile', false)).toBe(true)
})
