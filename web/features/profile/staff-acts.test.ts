import { expect, test } from 'vitest'
import { splitActs } from './staff-acts.ts'

test('what was looked at is separate from what was done', () => {
  const acts = [
    { act: 'payments_viewed', times: 3 },
    { act: 'payment_link_created', times: 1 },
    { act: 'loans_viewed', times: 9 },
    { act: 'document_opened', times: 2 },
  ] as const
  expect(splitActs(acts)).toEqual({
    seen: ['loans_viewed', 'payments_viewed'],
    done: [
      { act: 'payment_link_created', times: 1 },
      { act: 'document_opened', times: 2 },
    ],
  })
})

test('nothing at all', () => expect(splitActs([])).toEqual({ seen: [], done: [] }))
