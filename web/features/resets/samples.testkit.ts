import type { RateReset } from '#contract/rate-resets.ts'
import type { Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'

const day = (text: string): Day => text as Day

const outcome = {
  instalment: paise(1_101_000n),
  instalments_left: 3,
  last_due_date: day('2027-03-05'),
  total_interest: paise(50_000n),
  balances: [
    { date: day('2026-12-20'), amount: paise(3_000_000n) },
    { date: day('2027-01-05'), amount: paise(2_000_000n) },
    { date: day('2027-02-05'), amount: paise(1_000_000n) },
    { date: day('2027-03-05'), amount: paise(0n) },
  ],
}

export const resetSample: RateReset = {
  id: '01930000-0000-7000-8000-000000000001',
  state: 'notified',
  from: 11,
  to: 11.75,
  effective_on: day('2027-01-15'),
  choose_until: day('2027-01-14'),
  default: 'keep_emi',
  default_instalment: outcome.instalment,
  choice: null,
  instalment: outcome.instalment,
  last_due_date: day('2027-04-05'),
  mandate_cap: null,
  preview_hash: 'hash',
  unchanged: outcome,
  options: [
    {
      ...outcome,
      option: 'keep_emi',
      exceeds_mandate_cap: false,
      instalments_left: 4,
      last_due_date: day('2027-04-05'),
      balances: [
        ...outcome.balances.slice(0, 3),
        { date: day('2027-03-05'), amount: paise(10_000n) },
        { date: day('2027-04-05'), amount: paise(0n) },
      ],
    },
    { ...outcome, exceeds_mandate_cap: false, option: 'keep_tenor', instalment: paise(1_130_000n) },
    {
      ...outcome,
      option: 'between',
      exceeds_mandate_cap: false,
      instalment: paise(1_115_500n),
      instalment_min: paise(1_101_000n),
      instalment_max: paise(1_130_000n),
    },
  ],
}
