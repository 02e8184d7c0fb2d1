import { financialYearDays } from '#domain/calendar.ts'
import { paise, sumPaise } from '#domain/money.ts'
import { dayText, monthText, rupees } from '#domain/written-figures.ts'
import { paidByMonth } from '../statement.ts'
import { fill, identityFacts, buildContent, getWords, type DocumentSource, type ComposedDocument } from './document-source.ts'

/**
 * From the tax year 2026-27 the Act of 2025 governs the deduction, before that the Act of 1961
 * (india.md R10).
 */
const firstYearOfNewAct = '2026-27'

/**
 * Composes the interest certificate: what was paid, not what fell due, in an Indian financial year.
 * It names the section of the tax law for education loans only.
 *
 * @throws RangeError if the text names no year.
 */
export function composeInterestCertificate(source: DocumentSource, financialYear: string): ComposedDocument {
  const { language, ledger, today, lender, borrower } = source
  const { interest: texts, head } = getWords(language)
  const year = financialYearDays(financialYear)
  if (!year) throw new RangeError(`Not a financial year: ${financialYear}`)
  const to = year.to < today ? year.to : today
  const months = paidByMonth(ledger, year.from, to)
  const principal = sumPaise(months.map((month) => month.principal))
  const interest = sumPaise(months.map((month) => month.interest))
  const { columns } = texts
  const titles = [columns.principal, columns.interest, columns.total]
  const content = buildContent(
    source,
    'interest_certificate',
    [...identityFacts(source), { label: head.financialYear, value: financialYear }, { label: texts.lender, value: lender.name }],
    [
      { kind: 'text', text: fill(texts.statement, { name: borrower.name, year: financialYear }) },
      {
        kind: 'table',
        columns: [
          { title: columns.month, align: 'start', width: 'rest' },
          ...titles.map((title) => ({ title, align: 'end', width: 'rest' }) as const),
        ],
        rows:
          months.length === 0
            ? [[texts.none, '', '', '']]
            : months.map((month) => [
                monthText(month.firstDay, language),
                rupees(month.principal),
                rupees(month.interest),
                rupees(paise(month.principal + month.interest)),
              ]),
        totals: [texts.total, rupees(principal), rupees(interest), rupees(paise(principal + interest))],
      },
      { kind: 'text', text: texts.basis },
      ...(today <= year.to ? [{ kind: 'text', text: fill(texts.provisional, { date: dayText(to, language) }) } as const] : []),
      ...(source.isForEducation ? [{ kind: 'text', text: financialYear >= firstYearOfNewAct ? texts.law129 : texts.law80e } as const] : []),
    ],
  )
  return { content, amountPaise: interest }
}
