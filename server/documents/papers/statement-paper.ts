import type { Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import type { Column, PaperPart } from '../../adapters/pdf/pdf-writer.ts'
import { dayText, rupees, rupeesOrBlank } from '#domain/written-figures.ts'
import { statementBetween, type Balance, type Movement, type Statement, type StatementRow } from '../statement.ts'
import type { StatementTransaction } from '../statement-store.ts'
import { chargeText, fill, identityFacts, loanFacts, paperOf, wordsOf, type PaperSource, type UnverifiedDocument } from './paper-source.ts'
import type { Words } from './words-en.ts'

/** Statement of account: every posting of a period, where each went, and what was owed before and after. */
export function statementPaper(source: PaperSource, from: Day, to: Day): UnverifiedDocument {
  const { language, ledger } = source
  const words = wordsOf(language)
  const { statement: said, head } = words
  const statement = statementBetween(ledger, from, to)
  const { totals } = statement
  const period = { label: head.period, value: fill(words.to, { from: dayText(from, language), to: dayText(to, language) }) }
  return paperOf(
    source,
    'statement_of_account',
    [...identityFacts(source), period],
    [
      { kind: 'facts', facts: loanFacts(source) },
      { kind: 'heading', text: said.balances },
      balanceTable(words, statement.opening, statement.closing),
      { kind: 'heading', text: said.postings },
      withoutBlankColumns(
        { columns: columnsOf(words), rows: rowsOf(source, words, statement), totals: totalCells(said.totals, totals) },
        optionalColumns,
      ),
      {
        kind: 'text',
        text: fill(said.recovered, {
          principal: rupees(totals.principal),
          interest: rupees(totals.interest),
          charges: rupees(totals.charges),
        }),
      },
      { kind: 'text', text: said.note },
    ],
    'landscape',
  )
}

function balanceTable({ statement: said }: Words, opening: Balance, closing: Balance): PaperPart {
  const cells = ({ principal, charges, credit }: Balance) => [rupees(principal), rupees(charges), rupees(credit)]
  return {
    kind: 'table',
    columns: [
      { title: '', align: 'start', width: 'rest' },
      ...[said.principal, said.chargesUnpaid, said.advance].map((title): Column => ({ title, align: 'end', width: 'rest' })),
    ],
    rows: [
      [said.opening, ...cells(opening)],
      [said.closing, ...cells(closing)],
    ],
    totals: null,
  }
}

/** Without the columns that say nothing in the whole period: most loans have neither charges nor advance money. */
function withoutBlankColumns(table: PostingsTable, optional: readonly number[]): PaperPart {
  const isSaid = (index: number) => !optional.includes(index) || table.rows.some((row) => row[index] !== '')
  const kept = <T>(cells: readonly T[]): T[] => cells.filter((_cell, index) => isSaid(index))
  return { kind: 'table', columns: kept(table.columns), rows: table.rows.map(kept), totals: kept(table.totals) }
}

type PostingsTable = { columns: readonly Column[]; rows: readonly (readonly string[])[]; totals: readonly string[] }
/** To charges, to advance. */
const optionalColumns = [6, 7]

function columnsOf({ statement: { columns } }: Words): Column[] {
  const figures = [columns.debit, columns.received, columns.principal, columns.interest, columns.charges, columns.credit, columns.balance]
  return [
    { title: columns.date, align: 'start', width: 'own' },
    { title: columns.particulars, align: 'start', width: 'rest' },
    ...figures.map((title): Column => ({ title, align: 'end', width: 'own' })),
  ]
}

/** What the particulars of a posting are looked up in. */
type Book = { words: Words; transactions: ReadonlyMap<string, StatementTransaction>; chargeTypes: ReadonlyMap<string, string> }

function rowsOf({ language, ledger, facts, state }: PaperSource, words: Words, statement: Statement): string[][] {
  const blank = ['', '', '', '', '', '']
  const book: Book = {
    words,
    transactions: new Map(ledger.map((transaction) => [transaction.transactionId, transaction])),
    chargeTypes: new Map([...state.derivedCharges, ...facts.charges].map(({ chargeId, chargeType }) => [chargeId, chargeType])),
  }
  return [
    [dayText(statement.from, language), words.statement.opening, ...blank, rupees(statement.opening.principal)],
    ...statement.rows.map((row) => [dayText(row.transaction.valueDate, language), particulars(book, row.transaction), ...figures(row)]),
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

/** What a posting was, and under which number the payer's bank or the provider knows it. */
function particulars(book: Book, transaction: StatementTransaction): string {
  const { words } = book
  const root = transaction.rootId === null ? undefined : book.transactions.get(transaction.rootId)
  if (root && transaction.kind === 'reversal') return fill(words.taken, { what: particulars(book, root) })
  if (root) return `${particulars(book, root)}: ${words.kinds.reallocation}`
  switch (transaction.kind) {
    case 'repayment':
      return `${words.kinds.repayment}, ${paidBy(words, transaction)}`
    case 'charge':
      return chargeName(book, transaction)
    case 'adjustment':
      return words.adjustments[reasonOf(transaction)] ?? words.kinds.adjustment
    default:
      return words.kinds[transaction.kind]
  }
}

const paidBy = (words: Words, { source, sourceId, bankReference }: StatementTransaction): string =>
  bankReference === null ? `${source} ${sourceId}` : fill(words.bankReference, { number: bankReference })

type Reason = keyof Words['adjustments']
const reasons: readonly Reason[] = ['credit_used', 'interest_rebated', 'interest_waived', 'foreclosure_waive', 'late_charge_within_quote']

/** An adjustment's source id is `<loan>:<reason>:…` (server/ledger/plan.ts). */
const reasonOf = ({ sourceId }: StatementTransaction): Reason => reasons.find((reason) => sourceId.includes(`:${reason}:`)) ?? 'credit_used'

function chargeName({ words, chargeTypes }: Book, { lines }: StatementTransaction): string {
  const type = chargeTypes.get(lines.find(({ chargeId }) => chargeId !== null)?.chargeId ?? '')
  return type === undefined ? words.kinds.charge : chargeText(words, type)
}
