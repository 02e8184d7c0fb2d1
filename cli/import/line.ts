import { isPlainText } from '#contract/text.ts'
import { parseDay, type Day } from '#domain/calendar.ts'
import { parseRupees, zeroPaise, type Paise } from '#domain/money.ts'
import { parsePercent } from '#domain/rates.ts'
import type { Faults } from './faults.ts'

/** The columns of a book in the order of documentation and sample. A file may omit unused ones. */
export const columns = [
  'record',
  'phone',
  'first_name',
  'last_name',
  'email',
  'email_verified',
  'pan',
  'lan',
  'lead_id',
  'partner_loan_id',
  'title',
  'product',
  'product_version',
  'sanctioned_on',
  'sanctioned_amount',
  'upfront_fees',
  'annual_rate_percent',
  'instalments',
  'first_due_date',
  'due_day',
  'principal_grace_instalments',
  'fixed_instalment',
  'moratorium_until',
  'moratorium_interest',
  'allow_tranche_request',
  'reference',
  'date',
  'amount',
  'mode',
  'purpose',
  'keep',
  'application_id',
  'stage',
  'awaited',
  'closed_on',
] as const
export type Column = (typeof columns)[number]

const charactersMax = 200

/**
 * One line of a book or of a list of papers. Records faults with line and column; the values of a
 * faulty line are not used.
 */
export class Line<Name extends string = Column> {
  readonly number: number
  readonly #fields: readonly string[]
  readonly #places: ReadonlyMap<string, number>
  readonly #faults: Faults
  isGood = true

  constructor(number: number, fields: readonly string[], places: ReadonlyMap<string, number>, faults: Faults) {
    this.number = number
    this.#fields = fields
    this.#places = places
    this.#faults = faults
  }

  refuse(column: Name | null, reason: string): void {
    this.isGood = false
    this.#faults.add(this.number, column, reason)
  }

  /** Null for an empty or missing column. */
  optional(column: Name, lengthMax = charactersMax): string | null {
    const place = this.#places.get(column)
    const text = place === undefined ? '' : (this.#fields[place] ?? '').trim()
    if (text.length > lengthMax) this.refuse(column, `is longer than ${lengthMax} characters`)
    if (!isPlainText(text)) this.refuse(column, 'has a character that cannot be shown')
    return text === '' ? null : text
  }

  text(column: Name, lengthMax = charactersMax): string {
    const text = this.optional(column, lengthMax)
    if (text === null) this.refuse(column, 'is missing')
    return text ?? ''
  }

  /** Text that matches `pattern`, which `what` describes. */
  matching(column: Name, pattern: RegExp, what: string): string {
    return this.optionalMatching(column, pattern, what) ?? this.text(column)
  }

  /** As {@link matching}; null for an empty or missing column. */
  optionalMatching(column: Name, pattern: RegExp, what: string): string | null {
    const text = this.optional(column)
    if (text !== null && !pattern.test(text)) this.refuse(column, `${quoted(text)} is not ${what}`)
    return text
  }

  /** Null for an empty or missing column. */
  oneOf<Choice extends string>(column: Name, choices: readonly Choice[]): Choice | null {
    return this.#choiceFrom(column, this.optional(column), choices)
  }

  /** As {@link oneOf}, and an empty column is a fault. */
  requiredOneOf<Choice extends string>(column: Name, choices: readonly Choice[]): Choice | null {
    return this.#choiceFrom(column, this.text(column) || null, choices)
  }

  #choiceFrom<Choice extends string>(column: Name, text: string | null, choices: readonly Choice[]): Choice | null {
    if (text === null) return null
    const choice = choices.find((known) => known === text)
    if (choice === undefined) this.refuse(column, `${quoted(text)} is not one of ${choices.join(', ')}`)
    return choice ?? null
  }

  /** A list of choices separated by spaces; empty for an empty column. */
  severalOf<Choice extends string>(column: Name, choices: readonly Choice[]): Choice[] {
    const words = new Set((this.optional(column) ?? '').split(/\s+/).filter(Boolean))
    for (const word of words)
      if (!(choices as readonly string[]).includes(word)) this.refuse(column, `${quoted(word)} is not one of ${choices.join(', ')}`)
    return choices.filter((choice) => words.has(choice))
  }

  flag(column: Name, otherwise: boolean): boolean {
    const choice = this.oneOf(column, ['yes', 'no'])
    return choice === null ? otherwise : choice === 'yes'
  }

  day(column: Name): Day {
    return this.#dayFrom(column, this.text(column))
  }

  optionalDay(column: Name): Day | null {
    const text = this.optional(column)
    return text === null ? null : this.#dayFrom(column, text)
  }

  #dayFrom(column: Name, text: string): Day {
    const day = parseDay(text)
    if (day === null && text !== '') this.refuse(column, `${quoted(text)} is not a date YYYY-MM-DD`)
    return day ?? ('1970-01-01' as Day)
  }

  amount(column: Name): Paise {
    return this.#amountFrom(column, this.text(column))
  }

  optionalAmount(column: Name): Paise | null {
    const text = this.optional(column)
    return text === null ? null : this.#amountFrom(column, text)
  }

  #amountFrom(column: Name, text: string): Paise {
    const amount = parseRupees(text)
    if ((amount === null || amount <= zeroPaise) && text !== '')
      this.refuse(column, `${quoted(text)} is not an amount of rupees above 0 with at most two decimals`)
    return amount ?? zeroPaise
  }

  whole(column: Name, from: number, to: number, otherwise: number | null = null): number {
    const text = otherwise === null ? this.text(column) : this.optional(column)
    if (text === null) return otherwise ?? from
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN
    const isRight = value >= from && value <= to
    if (!isRight && text !== '') this.refuse(column, `${quoted(text)} is not a whole number from ${from} to ${to}`)
    return isRight ? value : from
  }

  /** A yearly rate in percent with at most seven decimals, in parts per billion. */
  rate(column: Name): bigint {
    const text = this.text(column)
    const ratePpb = parsePercent(text)
    if (ratePpb === null && text !== '')
      this.refuse(column, `${quoted(text)} is not a percentage from 0 to 1000 with at most seven decimals`)
    return BigInt(ratePpb ?? 0)
  }

  /** Refuses values in columns that this kind of line does not use: they are probably misplaced. */
  refuseOthers(record: string, known: readonly Name[]): void {
    for (const [column, place] of this.#places) {
      if ((this.#fields[place] ?? '').trim() !== '' && !known.includes(column as Name))
        this.refuse(column as Name, `a ${record} line has none`)
    }
  }
}

export const quoted = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
