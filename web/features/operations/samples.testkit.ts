import type { LoanFigures, Preview } from '#contract/operation-kinds.ts'
import type { Day } from '#domain/calendar.ts'
import { paise, zeroPaise } from '#domain/money.ts'

export const figuresSample: LoanFigures = {
  as_of: '2026-11-20' as Day,
  loan_status: 'ACTIVE',
  dues: zeroPaise,
  dpd: 0,
  emi_amount: paise(500_000n),
  next_emi_amount: paise(500_000n),
  due_date: '2026-12-05' as Day,
  last_due_date: '2028-12-05' as Day,
  payoff: paise(9_000_000n),
  principal_outstanding: paise(9_000_000n),
  disbursed_amount: paise(12_000_000n),
  credit_amount: zeroPaise,
  refunded_amount: zeroPaise,
  instalments_left: 24,
  next_row: { number: 4, due_date: '2026-12-05' as Day, pending_amount: paise(500_000n), status: 'Due' },
  tranche: null,
}

export const previewSample: Preview = {
  before: figuresSample,
  after: { ...figuresSample, dues: paise(30_000n) },
  lines: [],
  warnings: [],
  preview_hash: 'first',
}
