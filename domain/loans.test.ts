import { expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { lateChargeDueDate, lateChargeId } from './loans.ts'

it('a late charge is named by the due date of its instalment', () => {
  const due = toDay('2026-02-05')
  expect(lateChargeDueDate(lateChargeId(due))).toBe(due)
  for (const other of ['late:', 'late:2026-02-30', 'late:2026-02-05x', 'LATE:2026-02-05', 'charge:1'])
    expect(lateChargeDueDate(other)).toBeNull()
})
