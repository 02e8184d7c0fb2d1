import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { amount } from '#contract/amount.ts'
import { day } from '#contract/day.ts'
import { decode } from './decode.ts'

const schema = z.object({ amount, days: z.optional(z.int()), names: z.optional(z.array(z.string())), on: z.optional(day) })

describe('the reason why outside data is refused', () => {
  it.each([
    ['amount is missing.', {}],
    ['amount must be a number.', { amount: '8059' }],
    ['amount must be a number.', { amount: null }],
    ['amount must have at most two decimals.', { amount: 1.005 }],
    ['days must be a whole number.', { amount: 1, days: 100.5 }],
    ['names must be an array.', { amount: 1, names: {} }],
    ['names.0 must be a string.', { amount: 1, names: [7] }],
    ['on must be a date from 1900-01-01 to 2199-12-31.', { amount: 1, on: '2026-02-30' }],
    ['on must be a date from 1900-01-01 to 2199-12-31.', { amount: 1, on: '05/12/2026' }],
    ['on must be a date from 1900-01-01 to 2199-12-31.', { amount: 1, on: '1899-12-31' }],
    ['body must be an object.', []],
    ['body must be an object.', 'text'],
    ['body is missing.', undefined],
  ])('%s', (message, input) => {
    const field = message.split(' ')[0]
    expect(() => decode(schema, input)).toThrow(expect.objectContaining({ message, code: 'InvalidRequest', extras: { field } }))
  })
})
