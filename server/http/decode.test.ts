import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { amount } from '#contract/amount.ts'
import { decode } from './decode.ts'

const schema = z.object({ amount, days: z.optional(z.int()), names: z.optional(z.array(z.string())) })

describe('the reason why outside data is refused', () => {
  it.each([
    ['amount is missing.', {}],
    ['amount must be a number.', { amount: '8059' }],
    ['amount must be a number.', { amount: null }],
    ['amount must have at most two decimals.', { amount: 1.005 }],
    ['days must be a whole number.', { amount: 1, days: 100.5 }],
    ['names must be an array.', { amount: 1, names: {} }],
    ['names.0 must be a string.', { amount: 1, names: [7] }],
    ['body must be an object.', []],
    ['body must be an object.', 'text'],
    ['body is missing.', undefined],
  ])('%s', (message, input) => {
    const field = message.split(' ')[0]
    expect(() => decode(schema, input)).toThrow(expect.objectContaining({ message, code: 'InvalidRequest', extras: { field } }))
  })
})
