import type { Day } from '#domain/calendar.ts'
import { paise, type Paise } from '#domain/money.ts'
import type { ForeclosureOffer } from '#domain/payments.ts'
import type { DocumentPart } from '../../adapters/pdf/pdf-writer.ts'
import { dayText, rupees } from '#domain/written-figures.ts'
import { amountTable, fill, identityFacts, buildContent, getWords, type DocumentSource, type ComposedDocument } from './document-source.ts'

/** What closes the loan on a day, and how it can be paid. */
export type Payoff = {
  offer: ForeclosureOffer
  quotedFor: Day
  /** Payments under way, which are not deducted. */
  startedPaise: Paise
  /** The lender's account for transfers, if it has configured one. */
  repaymentAccount: { name: string; number: string; ifsc: string } | undefined
}

/**
 * Composes the payoff letter: what closes the loan on a day, by its parts, and how long that is
 * valid (decision 24, india.md R4).
 */
export function composePayoffLetter(source: DocumentSource, payoff: Payoff): ComposedDocument {
  const { language, facts } = source
  const { offer, quotedFor, startedPaise } = payoff
  const { payoff: texts } = getWords(language)
  const { creditPaise, rebatePaise } = offer
  const { principalPaise, interestPaise, chargesPaise, taxPaise } = offer.owedParts
  const deducted = (label: string, amountPaise: Paise) => (amountPaise > 0n ? [[label, paise(-amountPaise)] as const] : [])
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
          ...deducted(texts.rebate, rebatePaise),
          ...deducted(texts.credit, creditPaise),
        ],
        offer.amountPaise,
      ),
      { kind: 'text', text: facts.terms.prepaymentCharge === null ? texts.noCharge : texts.hasCharge },
      ...(startedPaise > 0n ? [{ kind: 'text', text: fill(texts.started, { amount: rupees(startedPaise) }) } as const] : []),
      ...howToPay(source, payoff),
      { kind: 'text', text: texts.after },
    ],
  )
  return { content, amountPaise: offer.amountPaise }
}

/** A payment link carries the amount up to its limit, a transfer any amount. */
function howToPay({ language, loan }: DocumentSource, { offer, repaymentAccount }: Payoff): DocumentPart[] {
  const { how, credited, account: labels } = getWords(language).payoff
  if (repaymentAccount === undefined) return [{ kind: 'text', text: `${offer.isLimited ? how.askForAccount : how.link} ${credited}` }]
  const { name, number, ifsc } = repaymentAccount
  return [
    { kind: 'text', text: `${offer.isLimited ? how.transfer : how.linkOrTransfer} ${credited}` },
    {
      kind: 'facts',
      facts: [
        { label: labels.name, value: name },
        { label: labels.number, value: number },
        { label: labels.ifsc, value: ifsc },
        { label: labels.reference, value: loan.lan },
      ],
    },
  ]
}
