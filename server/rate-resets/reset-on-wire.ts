import { hash } from 'node:crypto'
import type { RateReset } from '#contract/rate-resets.ts'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { stringifyExact, type Paise } from '#domain/money.ts'
import { chooseUntil, refuseChoice, resetStateOn } from '#domain/rate-resets.ts'
import { ppbToPercent } from '#domain/rates.ts'
import { computeResetOffer, type NewRate, type ResetOffer, type ResetOption } from '#domain/reset-offer.ts'
import type { ResetRow } from './reset-store.ts'

export const newRateOf = ({ effective_on, to_rate_ppb, instalments_max }: ResetRow): NewRate => ({
  effectiveOn: effective_on,
  toRatePpb: Number(to_rate_ppb),
  instalmentsMax: instalments_max,
})

/**
 * The hash covers what decides the effect of a choice: the rates, and the EMIs, last dates and
 * interest of the options that do not depend on a request.
 */
export function hashOffer(
  { reset_id, from_rate_ppb, to_rate_ppb, effective_on }: ResetRow,
  { options, bounds, unchanged }: ResetOffer,
): string {
  const figures = options
    .filter(({ choice }) => choice === 'keep_emi' || choice === 'keep_tenor')
    .map(({ choice, instalmentPaise, lastDueDate, totalInterestPaise }) => [choice, instalmentPaise, lastDueDate, totalInterestPaise])
  const content = [reset_id, from_rate_ppb, to_rate_ppb, effective_on, unchanged.instalmentPaise, figures, bounds]
  return hash('sha256', stringifyExact(content))
}

/** What a reset is on a day: its state, and its rates in percent. */
export const resetOnDay = ({ state, from_rate_ppb, to_rate_ppb, effective_on }: ResetRow, today: Day) => ({
  state: resetStateOn(state, effective_on, today),
  from: ppbToPercent(Number(from_rate_ppb)),
  to: ppbToPercent(Number(to_rate_ppb)),
  effective_on,
})

type ShownReset = {
  now: Date
  /** The largest debit of the loan's mandate; null without one. */
  capPaise: Paise | null
  /** The EMI of the option `between`. */
  wantedPaise: Paise | undefined
}

/** A reset as the API returns it, with its options if the borrower can choose now. */
export function resetOnWire(row: ResetRow, facts: LoanFacts, { now, capPaise, wantedPaise }: ShownReset): RateReset {
  const today = dayInIndia(now)
  const isClosed = refuseChoice(row.state, row.effective_on, today) !== null
  const offer = isClosed ? null : computeResetOffer(facts, today, newRateOf(row), wantedPaise)
  const open = offer === null || typeof offer === 'string' ? null : offer
  return {
    id: row.reset_id,
    ...resetOnDay(row, today),
    choose_until: chooseUntil(row.effective_on),
    default: row.default_choice,
    default_instalment: row.default_instalment_paise,
    choice: row.choice,
    instalment: row.instalment_paise,
    last_due_date: row.last_due_on,
    mandate_cap: capPaise,
    preview_hash: open && hashOffer(row, open),
    unchanged: open && outcomeOnWire(open.unchanged),
    options: open === null ? [] : open.options.map((option) => optionOnWire(option, open, capPaise)),
  }
}

function optionOnWire(option: ResetOption, { bounds }: ResetOffer, capPaise: Paise | null): RateReset['options'][number] {
  return {
    option: option.choice,
    ...outcomeOnWire(option),
    exceeds_mandate_cap: capPaise !== null && option.instalmentPaise > capPaise,
    ...(option.choice === 'between' && bounds !== null && { instalment_min: bounds.minimumPaise, instalment_max: bounds.maximumPaise }),
    ...(option.amountPaise !== undefined && { amount: option.amountPaise }),
  }
}

const outcomeOnWire = ({ instalmentPaise, instalmentsLeft, lastDueDate, totalInterestPaise, balances }: ResetOffer['unchanged']) => ({
  instalment: instalmentPaise,
  instalments_left: instalmentsLeft,
  last_due_date: lastDueDate,
  total_interest: totalInterestPaise,
  balances: balances.map(({ date, amountPaise }) => ({ date, amount: amountPaise })),
})
