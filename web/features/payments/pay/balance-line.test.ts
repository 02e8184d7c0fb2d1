import { describe, expect, it } from 'vitest'
import type { Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { row } from '../samples.testkit.ts'
import { buildBalanceLine } from './balance-line.ts'

const rows = [75n, 50n, 25n, 0n].map((closing, index) =>
  row(index + 1, { principal_amount: paise(25_000_00n), closing_balance: paise(closing * 1_000_00n) }),
)
const at = (as_of: string, outstanding: bigint) => ({ as_of: as_of as Day, principal_outstanding: paise(outstanding * 1_000_00n) })
/** In instalments and thousands of rupees. */
const shape = (points: { x: number; amount: bigint }[]) => points.map(({ x, amount }) => [x * rows.length, Number(amount / 1_000_00n)])

describe('the balance over time', () => {
  it('is what was until today, then what will be', () => {
    const line = buildBalanceLine(at('2026-02-20', 50n), rows)!
    expect(shape(line.past)).toEqual([
      [0, 100],
      [1, 75],
      [2, 50],
    ])
    expect(shape(line.future)).toEqual([
      [2, 50],
      [3, 25],
      [4, 0],
    ])
  })

  it('stays up where an instalment is late', () => {
    const line = buildBalanceLine(at('2026-02-20', 75n), rows)!
    expect(shape(line.past)).toEqual([
      [0, 100],
      [1, 75],
      [2, 75],
    ])
    expect(shape(line.future)).toEqual([
      [2, 75],
      [3, 25],
      [4, 0],
    ])
  })

  it('stays up from the first of several late instalments on', () => {
    const late = rows.map((one, index) => ({ ...one, status: index === 0 ? ('Paid' as const) : ('Late' as const) }))
    const line = buildBalanceLine(at('2026-03-20', 75n), late)!
    expect(shape(line.past)).toEqual([
      [0, 100],
      [1, 75],
      [2, 75],
      [3, 75],
    ])
  })

  it('was low before a tranche came', () => {
    const closings = [20n, 90n, 60n, 0n]
    const line = buildBalanceLine(
      at('2026-02-20', 90n),
      closings.map((closing, index) =>
        row(index + 1, {
          principal_amount: paise(10_000_00n),
          closing_balance: paise(closing * 1_000_00n),
          status: index < 2 ? 'Paid' : 'Due',
        }),
      ),
    )!
    expect(shape(line.past)).toEqual([
      [0, 30],
      [1, 20],
      [2, 90],
    ])
  })

  it('is down already where an instalment was paid ahead', () => {
    const line = buildBalanceLine(at('2026-02-20', 25n), rows)!
    expect(shape(line.future)).toEqual([
      [2, 25],
      [3, 25],
      [4, 0],
    ])
  })

  it('is not drawn where the schedule does not tell its balances', () => {
    const { closing_balance: _, ...untold } = row(2)
    expect(buildBalanceLine(at('2026-02-20', 50n), [row(1), untold])).toBeNull()
    expect(buildBalanceLine(at('2026-02-20', 50n), [])).toBeNull()
  })
})
