import { describe, expect, test } from 'vitest'
import { logoutReducer, type LogoutEvent, type LogoutState } from './logout-state.ts'

const walk = (...events: LogoutEvent[]): LogoutState => events.reduce<LogoutState>(logoutReducer, 'idle')

describe('logout', () => {
  test('asks first', () => expect(walk('asked')).toBe('confirming'))
  test('can be called off', () => expect(walk('asked', 'cancelled')).toBe('idle'))
  test('is under way once confirmed', () => expect(walk('asked', 'confirmed')).toBe('logging-out'))
  test('cannot be called off once under way', () => expect(walk('asked', 'confirmed', 'cancelled')).toBe('logging-out'))
  test('never starts without the question', () => expect(walk('confirmed')).toBe('idle'))
})
