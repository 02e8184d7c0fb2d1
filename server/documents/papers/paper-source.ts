import type { Day } from '#domain/calendar.ts'
import type { DocumentLanguage, GeneratedDocumentType } from '#domain/documents.ts'
import type { LoanFacts, LoanState } from '#domain/loans.ts'
import type { Fact, Paper } from '../../adapters/pdf/pdf-writer.ts'
import type { LoanRow } from '../../loans/loan-store.ts'
import { aprOf } from '../../loans/loan-on-wire.ts'
import { dayText, percentText, rupees } from '#domain/written-figures.ts'
import type { PaperBorrower, StatementTransaction } from '../statement-store.ts'
import { en, type Words } from './words-en.ts'
import { hi } from './words-hi.ts'

/** Everything a document may say something of. */
export type PaperSource = {
  language: DocumentLanguage
  lender: { name: string; lines: readonly string[] }
  borrower: PaperBorrower
  loan: LoanRow
  facts: LoanFacts
  /** During `today`. */
  state: LoanState
  ledger: readonly StatementTransaction[]
  today: Day
}

/** A document without its seal, which is made of all the rest. */
export type UnverifiedDocument = Omit<Paper, 'seal'>

export const wordsOf = (language: DocumentLanguage): Words => (language === 'hi' ? hi : en)

/** Puts values into a text's `{places}`. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)

/** Enough of a PAN to know it by (india.md R8). */
const maskedPan = (pan: string | null, words: Words): string => (pan === null ? words.notOnFile : `XXXXXX${pan.slice(-4)}`)

/** Who and which loan. */
export function partyFacts({ language, borrower, loan }: PaperSource): Fact[] {
  const words = wordsOf(language)
  return [
    { label: words.head.borrower, value: borrower.name },
    { label: words.head.loan, value: loan.lan },
    { label: words.head.pan, value: maskedPan(borrower.pan, words) },
    { label: words.head.purpose, value: loan.title },
  ]
}

/** At the head of a document that is of today. */
export const identityFacts = (source: PaperSource): Fact[] => [
  ...partyFacts(source),
  { label: wordsOf(source.language).head.issuedOn, value: dayText(source.today, source.language) },
]

/** A charge by its type; one that has no words of its own is said as it is written. */
export const chargeText = (words: Words, type: string): string =>
  words.charges[type] ?? `${words.kinds.charge}: ${type.replaceAll('_', ' ').toLowerCase()}`

/** How the loan stands and what it costs (india.md R5). */
export function loanFacts({ language, loan, facts, state, today }: PaperSource): Fact[] {
  const { head, statuses, days } = wordsOf(language)
  const rate = facts.rateChanges.findLast((change) => change.date <= today)?.annualRatePpb ?? facts.terms.annualRatePpb
  const apr = aprOf(facts, loan.upfront_fees_paise)
  return [
    { label: head.status, value: statuses[state.status] },
    { label: head.sanctioned, value: rupees(facts.sanctionedPaise) },
    { label: head.disbursed, value: rupees(state.disbursedPaise) },
    { label: head.rate, value: percentText(rate) },
    ...(apr === null ? [] : [{ label: head.apr, value: `${apr} %` }]),
    { label: head.emi, value: rupees(state.instalmentPaise) },
    { label: head.emisPaid, value: String(state.instalmentsPaid) },
    { label: head.emisLeft, value: String(state.instalmentsDue) },
    ...(state.dueDate === null ? [] : [{ label: head.nextDue, value: dayText(state.dueDate, language) }]),
    ...(state.duesPaise === 0n ? [] : [{ label: head.dues, value: rupees(state.duesPaise) }]),
    ...(state.dpd === 0 ? [] : [{ label: head.dpd, value: fill(days, { count: String(state.dpd) }) }]),
  ]
}

export function paperOf(
  source: PaperSource,
  type: GeneratedDocumentType,
  facts: readonly Fact[],
  parts: Paper['parts'],
  orientation: Paper['orientation'] = 'portrait',
): UnverifiedDocument {
  const words = wordsOf(source.language)
  return { language: source.language, orientation, title: words.titles[type], sender: source.lender, facts, parts, foot: words.foot }
}
