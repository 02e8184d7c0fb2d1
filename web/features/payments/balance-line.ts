import type { Loan, ScheduleRow } from '#contract/loans.ts'

/** A point of the balance chart: `x` counts instalments from the start, `balance` is whole paise. */
export type BalancePoint = { x: number; balance: bigint }

export type BalanceLine = { past: BalancePoint[]; future: BalancePoint[]; length: number; top: bigint; step: bigint }

/** The loan's balance instalment by instalment: as it was, and as it will be if every EMI is paid on its day. Null where it is not told. */
export function balanceLine(loan: Pick<Loan, 'principal_outstanding' | 'as_of'>, rows: readonly ScheduleRow[]): BalanceLine | null {
  const first = rows[0]
  if (first?.closing_balance === undefined || first.principal_amount === undefined) return null
  const closings = rows.map((row) => row.closing_balance)
  if (!closings.every((closing) => closing !== undefined)) return null

  const today = rows.filter((row) => row.due_date <= loan.as_of).length
  const balances = [first.closing_balance + first.principal_amount, ...closings]
  const now = { x: today, balance: loan.principal_outstanding as bigint }
  // What was paid counts, not what was due: from the first late instalment on, nothing was lowered. Before it a balance
  // may well have been below today's: a tranche came later.
  const late = rows.findIndex((row) => row.status === 'Late')
  const isStuck = (x: number, balance: bigint) => late !== -1 && x > late && balance < now.balance
  const past = balances.slice(0, today).map((balance, x) => ({ x, balance: isStuck(x, balance) ? now.balance : balance }))
  const future = balances
    .slice(today + 1)
    .map((balance, index) => ({ x: today + 1 + index, balance: balance > now.balance ? now.balance : balance }))
  const highest = balances.reduce((most, balance) => (balance > most ? balance : most), now.balance)
  const step = tickStep(highest)
  return {
    past: [...past, now],
    future: [now, ...future],
    length: rows.length,
    step,
    top: step === 0n ? 0n : ((highest + step - 1n) / step) * step,
  }
}

/** 1, 2 or 5 with zeros, so that three to five lines reach the top. */
function tickStep(highest: bigint): bigint {
  if (highest <= 0n) return 0n
  let unit = 1n
  while (unit * 50n < highest) unit *= 10n
  for (const factor of [1n, 2n, 5n, 10n]) if (unit * factor * 4n >= highest) return unit * factor
  return unit * 20n
}
