import { expect, test } from 'vitest'
import { splitActs } from './staff-acts.ts'

test('viewed screens are listed without counts, apart from other acts', () => {
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

test('no acts', () => expect(splitActs([])).toEqual({ seen: [], done: [] }))
