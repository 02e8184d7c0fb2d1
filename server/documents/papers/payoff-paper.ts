import type { Day } from '#domain/calendar.ts'
import type { AllowedPayments } from '#domain/payments.ts'
import { dayText, rupees } from '#domain/written-figures.ts'
import { fill, identityFacts, paperOf, wordsOf, type PaperSource, type UnverifiedDocument } from './paper-source.ts'

/** What closes the loan on a day, by its parts, and until when that holds (decision 24, india.md R4). */
export function payoffPaper(source: PaperSource, offer: NonNullable<AllowedPayments['foreclosure']>, quotedFor: Day): UnverifiedDocument {
  const { language, facts } = source
  const { payoff: said } = wordsOf(language)
  const { principalPaise, interestPaise, chargesPaise, taxPaise, creditPaise } = offer.parts
  const date = dayText(quotedFor, language)
  return paperOf(
    source,
    'payoff_letter',
    [...identityFacts(source), { label: said.validUntil, value: fill(said.untilText, { date }) }],
    [
      { kind: 'text', text: fill(said.statement, { date }) },
      {
        kind: 'table',
        columns: [
          { title: said.columns.part, align: 'start', width: 'rest' },
          { title: said.columns.amount, align: 'end', width: 'own' },
        ],
        rows: [
          [said.principal, rupees(principalPaise)],
          [said.interest, rupees(interestPaise)],
          [said.charges, rupees(chargesPaise)],
          [said.tax, rupees(taxPaise)],
        ],
        totals: [said.total, rupees(offer.amountPaise)],
      },
      { kind: 'text', text: facts.terms.prepaymentCharge === null ? said.noCharge : said.hasCharge },
      ...(creditPaise !== undefined && creditPaise > 0n
        ? [{ kind: 'text', text: fill(said.credit, { amount: rupees(creditPaise) }) } as const]
        : []),
      { kind: 'text', text: said.how },
      { kind: 'text', text: said.after },
    ],
  )
}
