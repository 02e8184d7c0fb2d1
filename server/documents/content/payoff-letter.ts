import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { AllowedPayments } from '#domain/payments.ts'
import { dayText, rupees } from '#domain/written-figures.ts'
import { amountTable, fill, identityFacts, buildContent, getWords, type DocumentSource, type ComposedDocument } from './document-source.ts'

/** What closes the loan on a day. `startedPaise`: payments under way, which are not deducted. */
export type Payoff = { offer: NonNullable<AllowedPayments['foreclosure']>; quotedFor: Day; startedPaise: Paise }

/**
 * Composes the payoff letter: what closes the loan on a day, by its parts, and how long that is
 * valid (decision 24, india.md R4).
 */
export function composePayoffLetter(source: DocumentSource, { offer, quotedFor, startedPaise }: Payoff): ComposedDocument {
  const { language, facts } = source
  const { payoff: texts } = getWords(language)
  const { principalPaise, interestPaise, chargesPaise, taxPaise, creditPaise } = offer.parts
  const date = dayText(quotedFor, language)
  const content = buildContent(
    source,
    'payoff_letter',
    [...identityFacts(source), { label: texts.validUntil, value: fill(texts.untilText, { date }) }],
    [
      { kind: 'text', text: fill(texts.statement, { date }) },
      amountTable(
        texts,
        [
          [texts.principal, principalPaise],
          [texts.interest, interestPaise],
          [texts.charges, chargesPaise],
          [texts.tax, taxPaise],
        ],
        offer.amountPaise,
      ),
      { kind: 'text', text: facts.terms.prepaymentCharge === null ? texts.noCharge : texts.hasCharge },
      ...(creditPaise !== undefined && creditPaise > 0n
        ? [{ kind: 'text', text: fill(texts.credit, { amount: rupees(creditPaise) }) } as const]
        : []),
      ...(startedPaise > 0n ? [{ kind: 'text', text: fill(texts.started, { amount: rupees(startedPaise) }) } as const] : []),
      { kind: 'text', text: texts.how },
      { kind: 'text', text: texts.after },
    ],
  )
  return { content, amountPaise: offer.amountPaise }
}
