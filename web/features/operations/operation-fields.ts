import * as z from 'zod/mini'
import { referencePattern } from '#contract/identifier.ts'
import { operationInputs } from '#contract/operation-kinds.ts'
import type { OperationKind } from '#domain/operations.ts'
import { resetAheadDaysMax, resetNoticeDays } from '#domain/rate-resets.ts'
import { isLongEnough, tidyText } from '#web/session/access-reason.ts'
import { formatRupeesInput, parseRupeesInput } from '#web/ui/format.ts'
import { paiseToRupees, zeroPaise, type Paise } from '#domain/money.ts'

export type FieldType =
  | 'amount'
  | 'percent'
  | 'day'
  | 'charge_type'
  | 'benchmark'
  | 'reference'
  | 'words'
  | 'mode'
  | 'purpose'
  | 'cause'
  | 'charge'
  | 'payment'
  | 'tranche'
  | 'reset'
  | 'paper'

export type OperationField = {
  name: string
  type: FieldType
  optional?: true
  /** The cause for which the field is shown. Absent: all. */
  cause?: string
  /** The days that can be chosen, counted from today. Absent: those of a fact, in the past. */
  days?: { first: number; last: number }
}

/** How far back a fact can be dated: the time a bank statement may be late. */
const daysBack = 730
export const factDays = { first: -daysBack, last: 0 }
const resetDays = { first: resetNoticeDays, last: resetAheadDaysMax }

/** What a person enters for each kind. A dialog and the facts of a proposal are made from it. */
export const operationFields: Readonly<Record<OperationKind, readonly OperationField[]>> = {
  charge_add: [
    { name: 'charge_type', type: 'charge_type' },
    { name: 'amount', type: 'amount' },
    { name: 'tax_percent', type: 'percent', optional: true },
    { name: 'date', type: 'day', optional: true },
  ],
  charge_waive: [{ name: 'charge_id', type: 'charge' }],
  payment_record: [
    { name: 'mode', type: 'mode' },
    { name: 'amount', type: 'amount' },
    { name: 'value_date', type: 'day' },
    { name: 'reference', type: 'reference' },
    { name: 'purpose', type: 'purpose', optional: true },
  ],
  payment_reverse: [
    { name: 'payment_id', type: 'payment' },
    { name: 'cause', type: 'cause' },
    { name: 'amount', type: 'amount', optional: true, cause: 'chargeback' },
  ],
  tranche_approve: [{ name: 'partner_tranche_id', type: 'tranche' }],
  tranche_reject: [
    { name: 'partner_tranche_id', type: 'tranche' },
    { name: 'cause', type: 'words' },
  ],
  tranche_release: [
    { name: 'partner_tranche_id', type: 'tranche' },
    { name: 'date', type: 'day' },
  ],
  credit_refund: [{ name: 'amount', type: 'amount' }],
  credit_return: [
    { name: 'mode', type: 'mode' },
    { name: 'amount', type: 'amount' },
    { name: 'value_date', type: 'day' },
    { name: 'reference', type: 'reference' },
  ],
  foreclosure_waive: [],
  review_resolve: [{ name: 'resolution', type: 'words' }],
  benchmark_publish: [
    { name: 'code', type: 'benchmark' },
    { name: 'annual_rate_percent', type: 'percent' },
    { name: 'effective_on', type: 'day', days: { first: -daysBack, last: resetAheadDaysMax } },
  ],
  rate_reset_run: [
    { name: 'benchmark', type: 'benchmark' },
    { name: 'effective_on', type: 'day', days: resetDays },
  ],
  rate_reset_withdraw: [{ name: 'reset_id', type: 'reset' }],
  paper_publish: [{ name: 'paper_id', type: 'paper' }],
}

/** What was entered, by field, as text. */
export type Values = Readonly<Record<string, string>>

export type FieldProblemCode = 'missing' | 'amount' | 'percent' | 'charge_type' | 'reference' | 'words'

/** The fields that are shown for what was entered. */
export const selectFields = (kind: OperationKind, { cause }: Values): readonly OperationField[] =>
  operationFields[kind].filter((field) => field.cause === undefined || field.cause === cause)

/** 'Bounce charge' is BOUNCE_CHARGE on the wire. */
export const toCode = (text: string): string =>
  text
    .trim()
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')

const wordsMin = 3
const percentPattern = /^\d{1,2}(\.\d{1,7})?$/

/** What is wrong with a field's text; null if nothing is. */
export function findFieldProblem({ type, optional }: OperationField, text: string): FieldProblemCode | null {
  if (text.trim() === '') return optional ? null : 'missing'
  switch (type) {
    case 'amount':
      return (parseRupeesInput(text) ?? 0n) > 0n ? null : 'amount'
    case 'percent':
      return percentPattern.test(text.trim()) ? null : 'percent'
    case 'charge_type':
    case 'benchmark':
      return /^[A-Z][A-Z0-9_]{1,39}$/.test(toCode(text)) ? null : 'charge_type'
    case 'reference':
      return referencePattern.test(text.trim()) ? null : 'reference'
    case 'words':
      return isLongEnough(text, wordsMin) ? null : 'words'
    default:
      return null
  }
}

/**
 * The input on the wire; null while a field has a problem. Values without a field are kept; those
 * of a field that is not shown are left out.
 */
export function buildInput(kind: OperationKind, values: Values): Record<string, unknown> | null {
  const fields = selectFields(kind, values)
  if (fields.some((field) => findFieldProblem(field, values[field.name] ?? '') !== null)) return null
  const input: Record<string, unknown> = { ...values }
  for (const field of operationFields[kind]) if (!fields.includes(field)) delete input[field.name]
  for (const { name, type } of fields) {
    const text = (values[name] ?? '').trim()
    if (text === '') delete input[name]
    else if (type === 'amount') input[name] = paiseToRupees(parseRupeesInput(text) ?? zeroPaise)
    else if (type === 'percent') input[name] = Number(text)
    else if (type === 'charge_type' || type === 'benchmark') input[name] = toCode(text)
    else input[name] = type === 'words' ? tidyText(text) : text
  }
  return input
}

/** A stored input, decoded: amounts in paise. As it is, if it does not fit its kind. */
export function decodeInput(kind: OperationKind, input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const read = z.safeParse(operationInputs[kind], input)
  return read.success ? read.data : input
}

/** An amount to begin with, as a field holds it. */
export const startAmount = (amount: Paise): string => (amount > 0n ? formatRupeesInput(amount) : '')
