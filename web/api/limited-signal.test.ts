import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { limitedSignal } from './limited-signal.ts'

const native = AbortSignal.any

describe.each(['with AbortSignal.any', 'without it'])('%s', (which) => {
  beforeEach(() => {
    if (which === 'without it') Reflect.deleteProperty(AbortSignal, 'any')
  })
  afterEach(() => {
    AbortSignal.any = native
  })

  test('a signal aborts with its first cause, and keeps it', async () => {
    const own = new AbortController()
    const limited = limitedSignal(20, own.signal)
    expect(limited.aborted).toBe(false)
    own.abort('left')
    expect([limited.aborted, limited.reason]).toEqual([true, 'left'])
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect(limited.reason).toBe('left')
  })

  test('it aborts when the time is over, as a timeout', async () => {
    const limited = limitedSignal(5)
    await vi.waitFor(() => expect(limited.aborted).toBe(true))
    expect((limited.reason as DOMException).name).toBe('TimeoutError')
  })

  test('it is aborted from the start by one that is', () => {
    expect(limitedSignal(1000, AbortSignal.abort('gone')).reason).toBe('gone')
  })
})
