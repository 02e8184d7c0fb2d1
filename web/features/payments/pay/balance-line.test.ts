import { describe, expect, it } from 'vitest'
import type { Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { row } from '../samples.testkit.ts'
import { buildBalanceLine } from './balance-line.ts'

const rows = [75n, 50n, 25n, 0n].map((closing, index) =>
  row(index + 1, { principal_amount: paise(25_000_00n), closing_balance: paise(closing * 1_000_00n) }),
)
const at = (as_of: string, outstanding: bigint) => ({ as_of: as_of as Day, principal_outstanding: paise(outstanding * 1_000_00n) })
/** The points in instalments and thousands of rupees. */
const toPairs = (points: { x: number; amount: bigint }[]) => points.map(({ x, amount }) => [x * rows.length, Number(amount / 1_000_00n)])

describe('the balance over time', () => {
  it('has the past balances until today, then the scheduled ones', () => {
    const line = buildBalanceLine(at('2026-02-20', 50n), rows)!
    expect(toPairs(line.past)).toEqual([
      [0, 100],
      [1, 75],
      [2, 50],
    ])
    expect(toPairs(line.future)).toEqual([
      [2, 50],
      [3, 25],
      [4, 0],
    ])
  })

  it('does not fall at a late instalment', () => {
    const line = buildBalanceLine(at('2026-02-20', 75n), rows)!
    expect(toPairs(line.past)).toEqual([
      [0, 100],
      [1, 75],
      [2, 75],
    ])
    expect(toPairs(line.future)).toEqual([
      [2, 75],
      [3, 25],
      [4, 0],
    ])
  })

  it('does not fall from the first of several late instalments on', () => {
    const late = rows.map((one, index) => ({ ...one, status: index === 0 ? ('Paid' as const) : ('Late' as const) }))
    const line = buildBalanceLine(at('2026-03-20', 75n), late)!
    expect(toPairs(line.past)).toEqual([
      [0, 100],
      [1, 75],
      [2, 75],
      [3, 75],
    ])
  })

  it('is low before a later tranche', () => {
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
    expect(toPairs(line.past)).toEqual([
      [0, 30],
      [1, 20],
      [2, 90],
    ])
  })

  it('has fallen already where an instalment was paid ahead', () => {
    const line = buildBalanceLine(at('2026-02-20', 25n), rows)!
    expect(toPairs(line.future)).toEqual([
      [2, 25],
      [3, 25],
      [4, 0],
    ])
  })

  it('is null if the schedule is empty or a row has no closing balance', () => {
    const { closing_balance: _, ...withoutBalance } = row(2)
    expect(buildBalanceLine(at('2026-02-20', 50n), [row(1), withoutBalance])).toBeNull()
    expect(buildBalanceLine(at('2026-02-20', 50n), [])).toBeNull()
  })
})
