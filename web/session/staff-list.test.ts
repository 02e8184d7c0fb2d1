import { beforeEach, expect, test } from 'vitest'
import { forgetStaffList, getStaffListHref, leaveStaffList, returnToStaffList, takeStaffListPosition } from './staff-list.ts'

const position = { href: '/users?search=rao&page=2', scrollY: 120, tableScrollTop: 40, userId: 'u1' }
beforeEach(() => forgetStaffList())

test('before a borrower was assumed there is nothing to return to', () => {
  returnToStaffList()
  expect([getStaffListHref(), takeStaffListPosition()]).toEqual([null, null])
})
test('the list is found again with its search and page, and its position once', () => {
  leaveStaffList(position)
  expect([getStaffListHref(), takeStaffListPosition()]).toEqual([position.href, null])
  returnToStaffList()
  expect([takeStaffListPosition(), takeStaffListPosition()]).toEqual([position, null])
  expect(getStaffListHref()).toBe(position.href)
})
test('signing out forgets it', () => {
  leaveStaffList(position)
  returnToStaffList()
  forgetStaffList()
  expect([getStaffListHref(), takeStaffListPosition()]).toEqual([null, null])
})
