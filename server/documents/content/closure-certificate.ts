import { addDays } from '#domain/calendar.ts'
import { findClosingDay } from '#domain/loan-closing.ts'
import { paise, sumPaise } from '#domain/money.ts'
import { dayText, rupees } from '#domain/written-figures.ts'
import { statementBetween } from '../statement.ts'
import { amountTable, fill, identityFacts, buildContent, getWords, type DocumentSource, type ComposedDocument } from './document-source.ts'

/** The lender returns original documents within this time after the closure (india.md R6). */
const originalsReturnedWithinDays = 30

/** Composes the closure certificate: the day on which the loan was repaid, and what was paid. */
export function composeClosureCertificate(source: DocumentSource): ComposedDocument {
  const { language, ledger, borrower, state, facts, today } = source
  const { closure: texts, head } = getWords(language)
  const { totals } = statementBetween(ledger, ledger[0]?.valueDate ?? today, today)
  const closedOn = findClosingDay(facts, state) ?? today
  // What was left of the loan, which may be less than what the lender allowed.
  const waivedPaise = sumPaise(
    state.adjustments.filter(({ reason }) => reason === 'foreclosure_waive').flatMap(({ lines }) => lines.map((line) => line.amountPaise)),
  )
  const statement = fill(waivedPaise > 0n ? texts.waived : texts.statement, {
    name: borrower.name,
    date: dayText(closedOn, language),
    amount: rupees(waivedPaise),
  })
  const total = paise(totals.principal + totals.interest + totals.charges)
  const content = buildContent(
    source,
    'loan_closure_certificate',
    [
      ...identityFacts(source),
      { label: head.sanctioned, value: rupees(facts.sanctionedPaise) },
      { label: head.disbursed, value: rupees(state.disbursedPaise) },
      { label: texts.closedOn, value: dayText(closedOn, language) },
    ],
    [
      { kind: 'text', text: statement },
      { kind: 'heading', text: texts.paid },
      amountTable(
        texts,
        [
          [texts.principal, totals.principal],
          [texts.interest, totals.interest],
          [texts.charges, totals.charges],
        ],
        total,
      ),
      ...(state.creditPaise > 0n ? [{ kind: 'text', text: fill(texts.refund, { amount: rupees(state.creditPaise) }) } as const] : []),
      { kind: 'text', text: fill(texts.papers, { date: dayText(addDays(closedOn, originalsReturnedWithinDays), language) }) },
    ],
  )
  return { content, amountPaise: total }
}
