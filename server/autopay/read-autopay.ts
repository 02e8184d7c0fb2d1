import type { AutopayOfferOnWire, readAutopay as call } from '#contract/autopay.ts'
import { isOpenCollection } from '#domain/autopay.ts'
import { autopayOffer } from '#domain/autopay-offer.ts'
import { dayInIndia } from '#domain/calendar.ts'
import type { DocumentLanguage } from '#domain/documents.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import type { Context } from '../context.ts'
import { defineReading } from '../http/reading.ts'
import { buildOwnLoan, ownLoanReads } from '../loans/own-loan.ts'
import { collectionOnWire, expectedDebit, mandateOnWire } from './autopay-on-wire.ts'
import { collectionsOfBorrower } from './collection-store.ts'
import { consentText, consentVersion } from './consent.ts'
import { mandatesOfBorrower } from './mandate-store.ts'

/** Reads autopay of a loan: its latest mandate, the offer, and the debit that comes next. */
export const readAutopay = defineReading<typeof call>()(
  (borrowerId) => [...ownLoanReads(borrowerId), mandatesOfBorrower.with({ borrowerId }), collectionsOfBorrower.with({ borrowerId })],
  ({ clock, config }, _caller, { query }, [loans, facts, allMandates, allCollections]) => {
    const own = buildOwnLoan([loans, facts], query.application_id)
    const isOfLoan = ({ loan_id }: { loan_id: string }) => loan_id === own.loan.loan_id
    const mandates = allMandates.filter(isOfLoan)
    const collections = allCollections.filter(isOfLoan)
    const now = clock.now()
    const { rules, holidays } = config.autopay
    const around = { lan: own.loan.lan, facts: own.facts, rules, holidays, now, mandates, collections }
    const next = collections
      .filter(isOpenCollection)
      .toSorted((left, right) => (left.debit_on < right.debit_on ? -1 : 1))
      .find((row) => expectedDebit(row, around) !== null)
    return {
      mandate: mandates[0] ? mandateOnWire(mandates[0], own.loan.lan, config.autopay.rules) : null,
      offer: offerOnWire(config, own.facts, now, query.language ?? config.portal.default_language),
      next_collection: next ? collectionOnWire(next, around) : null,
    }
  },
)

function offerOnWire(
  { autopay, portal }: Context['config'],
  facts: LoanFacts,
  now: Date,
  language: DocumentLanguage,
): AutopayOfferOnWire | null {
  const today = dayInIndia(now)
  const offer = autopayOffer(facts, loanStateDuring(facts, today), autopay.rules, today)
  return (
    offer && {
      methods: offer.methods.map(({ method, maximumPaise, limitPaise, needsPinEachTime }) => ({
        method,
        max_amount: maximumPaise,
        limit: limitPaise,
        pin_each_time: needsPinEachTime,
      })),
      debit_day: offer.debitDay,
      first_debit_on: offer.firstDebitOn,
      consent_version: consentVersion,
      consent_text: consentText(language, portal.brand.lender),
    }
  )
}
