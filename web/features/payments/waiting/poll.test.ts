import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { poll } from './poll.ts'

const times = { initialDelayMs: 5000, intervalMs: 3000, overallTimeoutMs: 90_000 }

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

it('gives up at the overall timeout, counted from the start, and drops the open question', async () => {
  const signals: AbortSignal[] = []
  const { onAnswer, onTimeout } = start((signal) => {
    signals.push(signal)
    return new Promise((answer) => setTimeout(() => answer('paid'), 100_000))
  })
  await vi.advanceTimersByTimeAsync(89_999)
  expect(onTimeout).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(onTimeout).toHaveBeenCalledTimes(1)
  expect(signals.map((signal) => signal.aborted)).toEqual([true])
  await vi.advanceTimersByTimeAsync(100_000)
  expect(onAnswer).not.toHaveBeenCalled()
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
