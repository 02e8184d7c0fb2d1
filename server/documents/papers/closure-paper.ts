import { addDays } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { dayText, rupees } from '#domain/written-figures.ts'
import { statementBetween } from '../statement.ts'
import { fill, identityFacts, paperOf, wordsOf, type PaperSource, type UnverifiedDocument } from './paper-source.ts'

/** Original documents go back within so many days of the closure (india.md R6). */
const daysToReturnPapers = 30

/** That a loan is repaid in full, when it was, and what was paid. */
export function closurePaper(source: PaperSource): UnverifiedDocument {
  const { language, ledger, borrower, state, facts, today } = source
  const { closure: said, head } = wordsOf(language)
  const { totals, rows } = statementBetween(ledger, ledger[0]?.valueDate ?? today, today)
  // Not the day of money that went back afterwards, nor of what was only put elsewhere.
  const closedOn =
    rows.findLast(
      ({ transaction: { kind }, movement }) =>
        kind !== 'reallocation' && (movement.principal !== 0n || movement.interest !== 0n || movement.charges !== 0n),
    )?.transaction.valueDate ?? today
  const total = paise(totals.principal + totals.interest + totals.charges)
  return paperOf(
    source,
    'loan_closure_certificate',
    [
      ...identityFacts(source),
      { label: head.sanctioned, value: rupees(facts.sanctionedPaise) },
      { label: head.disbursed, value: rupees(state.disbursedPaise) },
      { label: said.closedOn, value: dayText(closedOn, language) },
    ],
    [
      { kind: 'text', text: fill(said.statement, { name: borrower.name, date: dayText(closedOn, language) }) },
      { kind: 'heading', text: said.paid },
      {
        kind: 'table',
        columns: [
          { title: said.columns.part, align: 'start', width: 'rest' },
          { title: said.columns.amount, align: 'end', width: 'own' },
        ],
        rows: [
          [said.principal, rupees(totals.principal)],
          [said.interest, rupees(totals.interest)],
          [said.charges, rupees(totals.charges)],
        ],
        totals: [said.total, rupees(total)],
      },
      ...(state.creditPaise > 0n ? [{ kind: 'text', text: fill(said.refund, { amount: rupees(state.creditPaise) }) } as const] : []),
      { kind: 'text', text: fill(said.papers, { date: dayText(addDays(closedOn, daysToReturnPapers), language) }) },
    ],
  )
}
