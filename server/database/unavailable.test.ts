import { describe, expect, it } from 'vitest'
import { isDatabaseUnavailable, isNodeUnavailable } from './unavailable.ts'

const errorOf = (code: string, message: string) => Object.assign(new Error(message), { code })

describe('errors of a node that is away', () => {
  it.each([
    ['08006', 'connection to the remote node postgres@127.0.0.1:5433 failed'],
    ['XX000', 'failure on connection marked as essential: 127.0.0.1:5433'],
    ['XX000', 'could not commit transaction for shard 102008 on any active node'],
  ])('%s %s', (code, message) => {
    expect([isNodeUnavailable(errorOf(code, message)), isDatabaseUnavailable(errorOf(code, message))]).toEqual([true, true])
  })

  it('are no other internal error, and no end of the database itself', () => {
    expect(isDatabaseUnavailable(errorOf('XX000', 'cache lookup failed for relation 1'))).toBe(false)
    expect(isNodeUnavailable(errorOf('57P01', 'terminating connection due to administrator command'))).toBe(false)
    expect(isDatabaseUnavailable(errorOf('57P01', 'terminating connection due to administrator command'))).toBe(true)
  })
})
