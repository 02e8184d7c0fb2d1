import type { ScheduleRow } from '#contract/loans.ts'
import { paise, type Paise } from '#domain/money.ts'

/** The four counts above the schedule, which are also its filters. */
export const scheduleFilters = ['total', 'paid', 'due', 'late'] as const
export type ScheduleFilter = (typeof scheduleFilters)[number]

const filterStatus = { paid: 'Paid', due: 'Due', late: 'Late' } as const

export function matchesFilter(row: ScheduleRow, filter: ScheduleFilter): boolean {
  return filter === 'total' || row.status === filterStatus[filter]
}

export function countScheduleRows(rows: readonly ScheduleRow[]): Record<ScheduleFilter, number> {
  const count = (filter: ScheduleFilter): number => rows.filter((row) => matchesFilter(row, filter)).length
  return { total: count('total'), paid: count('paid'), due: count('due'), late: count('late') }
}

/** The unpaid part of a row's charges (spec §9). */
export function sumCharges(row: ScheduleRow): Paise {
  return paise(row.total_charges.reduce((sum, charge) => sum + charge.total_pending_amount, 0n))
}

/** The first row with an unpaid amount: marked and scrolled to. */
export function findNextUnpaidRow(rows: readonly ScheduleRow[]): ScheduleRow | undefined {
  return rows.find((row) => row.status === 'Late' || row.status === 'Due')
}
