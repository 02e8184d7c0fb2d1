import { addDays, type Day } from '#domain/calendar.ts'
import type { DocumentLanguage, GeneratedDocumentType } from '#domain/documents.ts'
import { isTax, type LoanFacts, type LoanState } from '#domain/loans.ts'
import type { Paise } from '#domain/money.ts'
import type { DocumentContent, DocumentPart, Fact } from '../../adapters/pdf/pdf-writer.ts'
import { rateOn } from '#domain/rates.ts'
import type { LoanRow } from '../../loans/loan-store.ts'
import { readApr } from '../../loans/apr-store.ts'
import { dayText, percentText, rupees } from '#domain/written-figures.ts'
import type { DocumentBorrower, StatementTransaction } from '../statement-store.ts'
import { en, type Words } from './words-en.ts'
import { hi } from './words-hi.ts'

/** The data from which documents are composed. */
export type DocumentSource = {
  language: DocumentLanguage
  lender: { name: string; lines: readonly string[] }
  borrower: DocumentBorrower
  loan: LoanRow
  facts: LoanFacts
  /** Whether the loan is for education, by its product. */
  isForEducation: boolean
  /** The state during `today`. */
  state: LoanState
  ledger: readonly StatementTransaction[]
  today: Day
}

/** A document without its verification code, which is computed from all the rest. */
type UnverifiedDocument = Omit<DocumentContent, 'verification'>

/** A document, and its amount, which the verification shows. */
export type ComposedDocument = { content: UnverifiedDocument; amountPaise: Paise }

export const getWords = (language: DocumentLanguage): Words => (language === 'hi' ? hi : en)

/** Replaces the `{placeholders}` of a text. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)

/** The last four characters of a PAN (india.md R8). */
const maskedPan = (pan: string | null, words: Words): string => (pan === null ? words.notOnFile : `XXXXXX${pan.slice(-4)}`)

/** The borrower and the loan. */
export function partyFacts({ language, borrower, loan }: DocumentSource): Fact[] {
  const words = getWords(language)
  return [
    { label: words.head.borrower, value: borrower.name },
    { label: words.head.loan, value: loan.lan },
    { label: words.head.pan, value: maskedPan(borrower.pan, words) },
    { label: words.head.purpose, value: loan.title },
  ]
}

/** The facts at the top of a document issued today. */
export const identityFacts = (source: DocumentSource): Fact[] => [
  ...partyFacts(source),
  { label: getWords(source.language).head.issuedOn, value: dayText(source.today, source.language) },
]

/** The name of a charge type; an unknown type is shown as it is written. */
export function chargeText(words: Words, type: string): string {
  if (isTax({ chargeType: type })) return fill(words.taxOn, { charge: lowerFirst(chargeText(words, type.replace(/_TAX$/, ''))) })
  return words.charges[type] ?? `${words.kinds.charge}: ${type.replaceAll('_', ' ').toLowerCase()}`
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/**
 * The loan's status and cost (india.md R5). Days past due name the day at whose end they are
 * counted: the last that has ended (decisions 22 and 0206).
 */
export function loanFacts({ language, loan, facts, state, today }: DocumentSource): Fact[] {
  const { head, statuses, oneDay, days } = getWords(language)
  const lastEnded = dayText(addDays(today, -1), language)
  const apr = readApr(loan, facts)
  return [
    { label: head.status, value: statuses[state.status] },
    { label: head.sanctioned, value: rupees(facts.sanctionedPaise) },
    { label: head.disbursed, value: rupees(state.disbursedPaise) },
    { label: head.rate, value: percentText(rateOn(facts, today)) },
    ...(apr === null ? [] : [{ label: head.apr, value: `${apr}%` }]),
    { label: head.emi, value: rupees(state.instalmentPaise) },
    { label: head.emisPaid, value: String(state.instalmentsPaid) },
    { label: head.emisLeft, value: String(state.instalmentsDue) },
    ...(state.dueDate === null
      ? []
      : [{ label: state.dpd > 0 ? head.overdueSince : head.nextDue, value: dayText(state.dueDate, language) }]),
    ...(state.duesPaise === 0n ? [] : [{ label: head.dues, value: rupees(state.duesPaise) }]),
    ...(state.dpd === 0
      ? []
      : [{ label: head.dpd, value: fill(state.dpd === 1 ? oneDay : days, { count: String(state.dpd), date: lastEnded }) }]),
  ]
}

export function buildContent(
  source: DocumentSource,
  type: GeneratedDocumentType,
  facts: readonly Fact[],
  parts: DocumentContent['parts'],
  orientation: DocumentContent['orientation'] = 'portrait',
): UnverifiedDocument {
  const words = getWords(source.language)
  return { language: source.language, orientation, title: words.titles[type], sender: source.lender, facts, parts, foot: words.foot }
}

/** A table of parts with their amounts and their total. */
export const amountTable = (
  { columns, total }: { columns: { part: string; amount: string }; total: string },
  rows: readonly (readonly [part: string, amountPaise: Paise])[],
  totalPaise: Paise,
): DocumentPart => ({
  kind: 'table',
  columns: [
    { title: columns.part, align: 'start', width: 'rest' },
    { title: columns.amount, align: 'end', width: 'own' },
  ],
  rows: rows.map(([part, amountPaise]) => [part, rupees(amountPaise)]),
  totals: [total, rupees(totalPaise)],
})
