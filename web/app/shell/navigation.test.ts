import { expect, test } from 'vitest'
import { sectionOf } from './navigation.ts'

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
  expect(sectionOf(path)).toBe(section)
})
