import { afterEach, expect, test, vi } from 'vitest'
import { readStored, storageKeys, writeStored } from './storage.ts'

afterEach(() => vi.unstubAllGlobals())

test('a value that the browser refuses to store replaces the stored one until the page is closed', () => {
  const stored = new Map([[storageKeys.token as string, 'old']])
  let isFull = true
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    removeItem: (key: string) => stored.delete(key),
    setItem: (key: string, value: string) => {
      if (isFull) throw new DOMException('full', 'QuotaExceededError')
      stored.set(key, value)
    },
  })
  expect(readStored(storageKeys.token)).toBe('old')
  writeStored(storageKeys.token, 'new')
  expect(readStored(storageKeys.token)).toBe('new')
  isFull = false
  writeStored(storageKeys.token, 'newer')
  expect(readStored(storageKeys.token)).toBe('newer')
  writeStored(storageKeys.token, null)
  expect(readStored(storageKeys.token)).toBeNull()
})
