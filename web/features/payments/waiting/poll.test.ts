import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { poll } from './poll.ts'

const times = { initial_delay_ms: 5000, interval_ms: 3000, overall_timeout_ms: 90_000 }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function start(read: (signal: AbortSignal) => Promise<string>) {
  const onAnswer = vi.fn()
  const onTimeout = vi.fn()
  return { onAnswer, onTimeout, stop: poll({ read, onAnswer, onTimeout, times }) }
}

it('asks after the initial delay and then at the interval', async () => {
  const read = vi.fn(() => Promise.resolve('created'))
  const { onAnswer } = start(read)
  await vi.advanceTimersByTimeAsync(4999)
  expect(read).toHaveBeenCalledTimes(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(read).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(6000)
  expect(read).toHaveBeenCalledTimes(3)
  expect(onAnswer).toHaveBeenCalledTimes(3)
})

it('has the defaults of the specification, 30 s overall where none is configured', async () => {
  const read = vi.fn(() => Promise.resolve('created'))
  const onTimeout = vi.fn()
  poll({ read, onAnswer: vi.fn(), onTimeout, times: {} })
  await vi.advanceTimersByTimeAsync(4999)
  expect(read).toHaveBeenCalledTimes(0)
  await vi.advanceTimersByTimeAsync(3001)
  expect(read).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(21_999)
  expect(onTimeout).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(onTimeout).toHaveBeenCalledTimes(1)
})

it('goes on silently after a failure', async () => {
  const read = vi.fn(() => Promise.reject<string>(new Error('offline')))
  const { onAnswer, onTimeout } = start(read)
  await vi.advanceTimersByTimeAsync(11_000)
  expect(read).toHaveBeenCalledTimes(3)
  expect(onAnswer).not.toHaveBeenCalled()
  expect(onTimeout).not.toHaveBeenCalled()
})

it('asks one question at a time', async () => {
  const read = vi.fn(() => new Promise<string>(() => undefined))
  start(read)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(read).toHaveBeenCalledTimes(1)
})

it('drops a question that hangs after eight seconds, and asks the next', async () => {
  const read = vi
    .fn((_signal: AbortSignal) => Promise.resolve('paid'))
    .mockImplementationOnce((signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))))
  const { onAnswer } = start(read)
  await vi.advanceTimersByTimeAsync(5000 + 7999)
  expect(read).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1 + 3000)
  expect(read).toHaveBeenCalledTimes(2)
  expect(onAnswer).toHaveBeenCalledWith('paid')
})

it('asks once more at the overall timeout, counted from the start, and gives up after the answer', async () => {
  const read = vi.fn(() => Promise.resolve('created'))
  const { onAnswer, onTimeout } = start(read)
  await vi.advanceTimersByTimeAsync(89_999)
  expect(onTimeout).not.toHaveBeenCalled()
  read.mockResolvedValue('paid')
  const asked = read.mock.calls.length
  await vi.advanceTimersByTimeAsync(1)
  expect(read).toHaveBeenCalledTimes(asked + 1)
  expect(onAnswer).toHaveBeenLastCalledWith('paid')
  expect(onTimeout).toHaveBeenCalledTimes(1)
  expect(onAnswer.mock.invocationCallOrder.at(-1)).toBeLessThan(onTimeout.mock.invocationCallOrder[0] ?? 0)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(read).toHaveBeenCalledTimes(asked + 1)
  expect(onTimeout).toHaveBeenCalledTimes(1)
})

it('waits for the last answer as long as for any other, and drops the question that was open', async () => {
  const signals: AbortSignal[] = []
  const { onAnswer, onTimeout } = start((signal) => {
    signals.push(signal)
    return new Promise((answer) => setTimeout(() => answer('paid'), 100_000))
  })
  await vi.advanceTimersByTimeAsync(90_000)
  expect(signals.map((signal) => signal.aborted)).toEqual([true, false])
  await vi.advanceTimersByTimeAsync(7_999)
  expect(onTimeout).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(onTimeout).toHaveBeenCalledTimes(1)
  expect(signals.map((signal) => signal.aborted)).toEqual([true, true])
  await vi.advanceTimersByTimeAsync(100_000)
  expect(onAnswer).not.toHaveBeenCalled()
})

it('a page that was frozen beyond the overall timeout still hears of the payment', async () => {
  // Both timers are overdue when the page goes on, and fire one after the other.
  const read = vi.fn((signal: AbortSignal) => {
    return new Promise<string>((answer, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      setTimeout(() => answer('paid'), 2_000)
    })
  })
  const onAnswer = vi.fn()
  const onTimeout = vi.fn()
  poll({ read, onAnswer, onTimeout, times: { ...times, initial_delay_ms: 90_000 } })
  await vi.advanceTimersByTimeAsync(90_000)
  expect(read).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith('paid')
  expect(onTimeout).toHaveBeenCalledTimes(1)
})

it('a page that goes on before its connection asks again after a request that failed at once', async () => {
  const read = vi.fn(() => (read.mock.calls.length < 3 ? Promise.reject(new TypeError('no connection')) : Promise.resolve('paid')))
  const onAnswer = vi.fn()
  const onTimeout = vi.fn()
  poll({ read, onAnswer, onTimeout, times: { ...times, initial_delay_ms: 90_000 } })
  await vi.advanceTimersByTimeAsync(90_000 + times.interval_ms)
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith('paid')
  await vi.advanceTimersByTimeAsync(100_000)
  expect([read.mock.calls.length, onTimeout.mock.calls.length]).toEqual([3, 1])
})

it('stops during the last question too', async () => {
  const { onAnswer, onTimeout, stop } = start(() => new Promise((answer) => setTimeout(() => answer('paid'), 1_000)))
  await vi.advanceTimersByTimeAsync(90_500)
  onAnswer.mockClear()
  stop()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(onAnswer).not.toHaveBeenCalled()
  expect(onTimeout).not.toHaveBeenCalled()
})

it('stops when asked to', async () => {
  const read = vi.fn(() => Promise.resolve('created'))
  const { onAnswer, onTimeout, stop } = start(read)
  await vi.advanceTimersByTimeAsync(5000)
  stop()
  await vi.advanceTimersByTimeAsync(200_000)
  expect(read).toHaveBeenCalledTimes(1)
  expect(onAnswer).toHaveBeenCalledTimes(1)
  expect(onTimeout).not.toHaveBeenCalled()
})
