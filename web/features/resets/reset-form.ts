import type { RateReset } from '#contract/rate-resets.ts'
import type { Paise } from '#domain/money.ts'
import type { ResetChoice } from '#domain/rate-resets.ts'
import type { ApiError } from '#web/api/api-error.ts'
import { formatRupeesInput, parseRupeesInput } from '#web/ui/format.ts'

export type ResetOption = RateReset['options'][number]

export type InstalmentCheck =
  | { isValid: true; instalment: Paise }
  | { isValid: false; problem: 'not_an_amount' | 'not_whole' | 'below_minimum' | 'above_maximum' }

const rupee = 100n

/** The option `between` with the EMIs that can be chosen; null if it is not on offer. */
export function findBounds({ options }: Pick<RateReset, 'options'>): { min: Paise; max: Paise } | null {
  const { instalment_min: min, instalment_max: max } = options.find(({ option }) => option === 'between') ?? {}
  return min === undefined || max === undefined ? null : { min, max }
}

/** The rules of an EMI in between: whole rupees within the bounds. */
export function checkInstalment(text: string, { min, max }: { min: Paise; max: Paise }): InstalmentCheck {
  const instalment = parseRupeesInput(text)
  if (instalment === null || instalment <= 0n) return { isValid: false, problem: 'not_an_amount' }
  if (instalment % rupee !== 0n) return { isValid: false, problem: 'not_whole' }
  if (instalment < min) return { isValid: false, problem: 'below_minimum' }
  if (instalment > max) return { isValid: false, problem: 'above_maximum' }
  return { isValid: true, instalment }
}

/** The comparison, its confirmation, and what can refuse it. */
export type ResetForm = {
  option: ResetChoice
  /** The EMI in between, as typed. */
  text: string
  step: 'comparing' | 'confirming' | 'sending' | 'closed'
  /** The loan has changed since the figures were shown, and newer ones are shown now. */
  isRenewed: boolean
  error: ApiError | null
}

export type ResetFormEvent =
  | { type: 'option_chosen'; option: ResetChoice }
  | { type: 'typed'; text: string }
  | { type: 'continued' }
  | { type: 'went_back' }
  | { type: 'submitted' }
  | { type: 'failed'; error: ApiError }

/** Begins with what applies now: the choice, else the default. */
export function startResetForm({ choice, default: fallback, options }: Pick<RateReset, 'choice' | 'default' | 'options'>): ResetForm {
  const wanted = choice ?? fallback
  const first = options.find(({ option }) => option === wanted) ?? options[0]
  const between = options.find(({ option }) => option === 'between')
  return {
    option: first?.option ?? wanted,
    text: between === undefined ? '' : formatRupeesInput(between.instalment),
    step: 'comparing',
    isRenewed: false,
    error: null,
  }
}

export function resetFormReducer(form: ResetForm, event: ResetFormEvent): ResetForm {
  if (form.step === 'closed') return form
  switch (event.type) {
    case 'option_chosen':
      return form.step === 'comparing' ? { ...form, option: event.option, error: null } : form
    case 'typed':
      return form.step === 'comparing' ? { ...form, text: event.text, error: null } : form
    case 'continued':
      return form.step === 'comparing' ? { ...form, step: 'confirming', isRenewed: false, error: null } : form
    case 'went_back':
      return form.step === 'confirming' ? { ...form, step: 'comparing', error: null } : form
    case 'submitted':
      return form.step === 'confirming' ? { ...form, step: 'sending', error: null } : form
    case 'failed':
      return form.step === 'sending' ? { ...form, ...readFailure(event.error) } : form
  }
}

/** What was entered stays after every failure. */
function readFailure(error: ApiError): Pick<ResetForm, 'step' | 'isRenewed' | 'error'> {
  switch (error.code) {
    case 'RateResetStale':
      return { step: 'comparing', isRenewed: true, error: null }
    case 'RateResetNotAllowed':
      return { step: 'comparing', isRenewed: false, error }
    case 'RateResetClosed':
    case 'NotFound':
      return { step: 'closed', isRenewed: false, error }
    default:
      return { step: 'confirming', isRenewed: false, error }
  }
}

/** Whether a valid EMI in between is typed, and its figures are not there yet. */
export function awaitsFigures(form: Pick<ResetForm, 'option' | 'text'>, reset: RateReset): boolean {
  const bounds = findBounds(reset)
  if (form.option !== 'between' || bounds === null || selectReadyOption(form, reset) !== null) return false
  return checkInstalment(form.text, bounds).isValid
}

/**
 * The option whose figures can be confirmed: on offer, and of `between` with the figures of exactly
 * the typed EMI. Null while there is none.
 */
export function selectReadyOption({ option, text }: Pick<ResetForm, 'option' | 'text'>, reset: RateReset): ResetOption | null {
  const found = reset.options.find((one) => one.option === option) ?? null
  if (found === null || found.option !== 'between') return found
  const bounds = findBounds(reset)
  const check = bounds && checkInstalment(text, bounds)
  return check?.isValid && check.instalment === found.instalment ? found : null
}
