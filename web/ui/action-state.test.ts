import { describe, expect, it } from 'vitest'
import { resolveActionState, isPressable } from './action-state.ts'
import type { ButtonState } from './button-class.ts'

const states: readonly ButtonState[] = ['normal', 'disabled', 'not_permitted', 'loading', 'error']

describe('an action button', () => {
  it.each(states)('shows %s where nothing prevents it', (state) => {
    expect(resolveActionState({ permission: 'allowed', obstacle: null, state })).toBe(state)
  })
  it.each(states)('is disabled with an obstacle or without known permissions, in state %s', (state) => {
    expect(resolveActionState({ permission: 'allowed', obstacle: 'why', state })).toBe('disabled')
    expect(resolveActionState({ permission: 'loading', obstacle: null, state })).toBe('disabled')
    expect(resolveActionState({ permission: 'unknown', obstacle: null, state })).toBe('disabled')
    expect(resolveActionState({ permission: 'loading', obstacle: 'why', state })).toBe('disabled')
  })
  it.each(states)('is not permitted if the permission is denied, in state %s', (state) => {
    expect(resolveActionState({ permission: 'denied', obstacle: null, state })).toBe('not_permitted')
    expect(resolveActionState({ permission: 'denied', obstacle: 'why', state })).toBe('not_permitted')
  })
  it('can be pressed at rest and after a failure only', () => {
    expect(states.filter(isPressable)).toEqual(['normal', 'error'])
  })
})
