import type { Day } from '#domain/calendar.ts'
import { paise, smallerPaise } from '#domain/money.ts'
import { chargeTypeOf, chargeTypesOf } from '#domain/payment-parts.ts'
import type { Column, DocumentPart } from '../../adapters/pdf/pdf-writer.ts'
import { dayText, rupees, rupeesOrBlank } from '#domain/written-figures.ts'
import { isFromProvider } from '#domain/payments.ts'
import { refundedByLedger, statementBetween, type Balance, type Movement, type AccountStatement, type StatementRow } from '../statement.ts'
import type { StatementTransaction } from '../statement-store.ts'
import {
  chargeText,
  fill,
  identityFacts,
  loanFacts,
  buildContent,
  getWords,
  type DocumentSource,
  type ComposedDocument,
} from './document-source.ts'
import type { Words } from './words-en.ts'

/**
 * Composes the statement of account: every posting of a period, its allocation, and the balances
 * before and after.
 */
export function composeStatementOfAccount(source: DocumentSource, from: Day, to: Day): ComposedDocument {
  const { language, ledger } = source
  const words = getWords(language)
  const { statement: texts, head } = words
  const statement = statementBetween(ledger, from, to)
  const { totals } = statement
  const period = { label: head.period, value: fill(words.to, { from: dayText(from, language), to: dayText(to, language) }) }
  const content = buildContent(
    source,
    'statement_of_account',
    [...identityFacts(source), period],
    [
      { kind: 'facts', facts: loanFacts(source) },
      { kind: 'heading', text: texts.balances },
      balanceTable(words, statement.opening, statement.closing),
      { kind: 'heading', text: texts.postings },
      withoutBlankColumns(
        { columns: buildColumns(words), rows: buildRows(source, words, statement), totals: totalCells(texts.totals, totals) },
        optionalColumns,
      ),
      {
        kind: 'text',
        text: fill(texts.recovered, {
          principal: rupees(totals.principal),
          interest: rupees(totals.interest),
          charges: rupees(totals.charges),
        }),
      },
      ...notPostedYet(source, statement),
      ...notRefundedYet(source, statement),
      ...refundedTooMuch(source, statement),
      { kind: 'text', text: texts.note },
    ],
    'landscape',
  )
  return { content, amountPaise: statement.closing.principal }
}

/** Derived charges enter the ledger when they are paid; the loan page shows them from their day. */
function notPostedYet({ language, state, today }: DocumentSource, { to, closing }: AccountStatement): DocumentPart[] {
  const { chargesPaise, taxPaise } = state.allowed.overdue.parts
  const amountPaise = paise(chargesPaise + taxPaise - closing.charges)
  if (to < today || amountPaise <= 0n) return []
  const { notPosted } = getWords(language).statement
  return [{ kind: 'text', text: fill(notPosted, { amount: rupees(amountPaise), date: dayText(today, language) }) }]
}

/** The loan page leaves out what goes back to its payer; the ledger has it until it is sent. */
function notRefundedYet({ language, ledger, state, today }: DocumentSource, { to, closing }: AccountStatement): DocumentPart[] {
  const amountPaise = smallerPaise(paise(state.heldPaise - refundedByLedger(ledger)), closing.credit)
  if (to < today || amountPaise <= 0n) return []
  return [{ kind: 'text', text: fill(getWords(language).statement.notRefunded, { amount: rupees(amountPaise) }) }]
}

/** Credit was refunded, and the bank has taken back the money of which it was a part. */
function refundedTooMuch({ language, state, today }: DocumentSource, { to, closing }: AccountStatement): DocumentPart[] {
  if (to < today || closing.credit >= 0n || state.refundShortPaise === 0n) return []
  return [{ kind: 'text', text: fill(getWords(language).statement.refundedTooMuch, { amount: rupees(paise(-closing.credit)) }) }]
}

function balanceTable({ statement: texts }: Words, opening: Balance, closing: Balance): DocumentPart {
  const cells = ({ principal, charges, credit }: Balance) => [rupees(principal), rupees(charges), rupees(credit)]
  return {
    kind: 'table',
    columns: [
      { title: '', align: 'start', width: 'rest' },
      ...[texts.principal, texts.chargesUnpaid, texts.advance].map((title): Column => ({ title, align: 'end', width: 'rest' })),
    ],
    rows: [
      [texts.opening, ...cells(opening)],
      [texts.closing, ...cells(closing)],
    ],
    totals: null,
  }
}

/**
 * Removes columns that are blank in the whole period: most loans have neither charges nor credit.
 */
function withoutBlankColumns(table: PostingsTable, optional: readonly number[]): DocumentPart {
  const hasValues = (index: number) => !optional.includes(index) || table.rows.some((row) => row[index] !== '')
  const kept = <T>(cells: readonly T[]): T[] => cells.filter((_cell, index) => hasValues(index))
  return { kind: 'table', columns: kept(table.columns), rows: table.rows.map(kept), totals: kept(table.totals) }
}

type PostingsTable = { columns: readonly Column[]; rows: readonly (readonly string[])[]; totals: readonly string[] }
/** The columns "To charges" and "To advance". */
const optionalColumns = [6, 7]

function buildColumns({ statement: { columns } }: Words): Column[] {
  const figures = [columns.debit, columns.received, columns.principal, columns.interest, columns.charges, columns.credit, columns.balance]
  return [
    { title: columns.date, align: 'start', width: 'own' },
    { title: columns.particulars, align: 'start', width: 'rest' },
    ...figures.map((title): Column => ({ title, align: 'end', width: 'own' })),
  ]
}

/** The look-up tables for the particulars of a posting. */
type PostingLookup = { words: Words; transactions: ReadonlyMap<string, StatementTransaction>; chargeTypes: ReadonlyMap<string, string> }

function buildRows({ language, ledger, facts, state }: DocumentSource, words: Words, statement: AccountStatement): string[][] {
  const blank = ['', '', '', '', '', '']
  const lookup: PostingLookup = {
    words,
    transactions: new Map(ledger.map((transaction) => [transaction.transactionId, transaction])),
    chargeTypes: chargeTypesOf(facts, state),
  }
  return [
    [dayText(statement.from, language), words.statement.opening, ...blank, rupees(statement.opening.principal)],
    ...statement.rows.map((row) => [dayText(row.transaction.valueDate, language), particulars(lookup, row.transaction), ...figures(row)]),
    [dayText(statement.to, language), words.statement.closing, ...blank, rupees(statement.closing.principal)],
  ]
}

const cells = ({ debited, received, principal, interest, charges, credit }: Movement): string[] =>
  [debited, received, principal, interest, charges, credit].map(rupeesOrBlank)

const figures = ({ movement, principalOutstanding }: StatementRow): string[] => [...cells(movement), rupees(principalOutstanding)]

const totalCells = (label: string, totals: Movement): string[] => {
  const { debited, received, principal, interest, charges, credit } = totals
  return ['', label, ...[debited, received, principal, interest, charges, credit].map((amount) => rupees(paise(amount))), '']
}

/** Describes a posting, with the reference of the payer's bank or the provider. */
function particulars(lookup: PostingLookup, transaction: StatementTransaction): string {
  const { words } = lookup
  const root = transaction.rootId === null ? undefined : lookup.transactions.get(transaction.rootId)
  if (root && transaction.kind === 'reversal') return fill(words.taken, { what: particulars(lookup, root) })
  if (root) return `${particulars(lookup, root)}: ${words.kinds.reallocation}`
  switch (transaction.kind) {
    case 'repayment':
      return `${words.kinds.repayment}, ${paidBy(words, transaction)}`
    case 'charge':
      return chargeName(lookup, transaction)
    case 'adjustment':
      return words.adjustments[findReason(transaction)] ?? words.kinds.adjustment
    default:
      return words.kinds[transaction.kind]
  }
}

function paidBy(words: Words, transaction: StatementTransaction): string {
  const { source, sourceId, bankReference } = transaction
  if (bankReference !== null) return fill(words.bankReference, { number: bankReference })
  const method = isFromProvider(transaction) ? words.receipt.providerPayment : (words.methods[source] ?? source)
  return `${method} ${sourceId}`
}

type Reason = keyof Words['adjustments']
const reasons: readonly Reason[] = ['credit_used', 'interest_rebated', 'interest_waived', 'foreclosure_waive', 'late_charge_within_quote']

/** An adjustment's source id is `<loan>:<reason>:…` (server/ledger/plan.ts). */
const findReason = ({ sourceId }: StatementTransaction): Reason =>
  reasons.find((reason) => sourceId.includes(`:${reason}:`)) ?? 'credit_used'

function chargeName({ words, chargeTypes }: PostingLookup, { lines }: StatementTransaction): string {
  const type = chargeTypeOf(chargeTypes, lines.find(({ chargeId }) => chargeId !== null)?.chargeId ?? '')
  return type === null ? words.kinds.charge : chargeText(words, type)
}
