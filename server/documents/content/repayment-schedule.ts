import type { Column } from '../../adapters/pdf/pdf-writer.ts'
import { sumPaise } from '#domain/money.ts'
import { dayText, rupees, rupeesOrBlank } from '#domain/written-figures.ts'
import { identityFacts, loanFacts, buildContent, getWords, type DocumentSource, type ComposedDocument } from './document-source.ts'

/** Composes the repayment schedule with the rows that the portal shows. */
export function composeRepaymentSchedule(source: DocumentSource): ComposedDocument {
  const { language, state } = source
  const { schedule: texts } = getWords(language)
  const { columns } = texts
  const figures = [columns.amount, columns.principal, columns.interest, columns.charges, columns.balance]
  const rows = state.rows.map((row) => ({ ...row, chargesPaise: sumPaise(row.charges.map((charge) => charge.pendingPaise)) }))
  const total = (of: 'repaymentAmountPaise' | 'principalPaise' | 'interestPaise' | 'chargesPaise') =>
    rupees(sumPaise(rows.map((row) => row[of])))
  const content = buildContent(source, 'repayment_schedule', identityFacts(source), [
    { kind: 'facts', facts: loanFacts(source) },
    {
      kind: 'table',
      columns: [
        { title: columns.number, align: 'end', width: 'own' },
        { title: columns.date, align: 'start', width: 'own' },
        ...figures.map((title): Column => ({ title, align: 'end', width: 'rest' })),
        { title: columns.status, align: 'start', width: 'own' },
      ],
      rows: rows.map((row) => [
        String(row.number),
        dayText(row.dueDate, language),
        rupees(row.repaymentAmountPaise),
        rupees(row.principalPaise),
        rupees(row.interestPaise),
        rupeesOrBlank(row.chargesPaise),
        rupees(row.closingBalancePaise),
        texts.rows[row.status],
      ]),
      totals: [
        '',
        texts.total,
        total('repaymentAmountPaise'),
        total('principalPaise'),
        total('interestPaise'),
        total('chargesPaise'),
        '',
        '',
      ],
    },
    { kind: 'text', text: texts.note },
  ])
  return { content, amountPaise: state.disbursedPaise }
}
