import { describe, expect, test } from 'vitest'
import { logoutReducer, type LogoutEvent, type LogoutState } from './logout-state.ts'

const reduceEvents = (...events: LogoutEvent[]): LogoutState => events.reduce<LogoutState>(logoutReducer, 'idle')

describe('logout', () => {
  test('asks for confirmation first', () => expect(reduceEvents('asked')).toBe('confirming'))
  test('can be cancelled in the dialog', () => expect(reduceEvents('asked', 'cancelled')).toBe('idle'))
  test('starts when it is confirmed', () => expect(reduceEvents('asked', 'confirmed')).toBe('logging-out'))
  test('cannot be cancelled after it has started', () => expect(reduceEvents('asked', 'confirmed', 'cancelled')).toBe('logging-out'))
  test('never starts without the dialog', () => expect(reduceEvents('confirmed')).toBe('idle'))
})
