import type { readPaymentTrail as call } from '#contract/payments.ts'
import type { ResponseOf } from '#contract/endpoint.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import { paymentEffect, type PaymentEffect } from '#domain/payment-effect.ts'
import type { Sql } from '../../database/connect.ts'
import { notFound } from '../../http/failure.ts'
import type { UseCase } from '../../http/route.ts'
import { requireBorrower, readOwnLoanById, type OwnLoan } from '../../loans/own-loan.ts'
import { findReceipts } from '../../ledger/receipt-store.ts'
import { paymentLinkOnWire } from '../payment-link-on-wire.ts'
import { findLinkByProviderId, keyOf } from '../links/link-store.ts'
import { listLinkPayments } from '../provider-payment-store.ts'
import type { LinkRow } from '../../ledger/open-links-store.ts'
import { listLinkRefunds } from '../refund-store.ts'
import { buildTrail } from './trail-steps.ts'
import { listLinkSteps, listOpenReviewTimes, readPostingsById } from './trail-store.ts'

/** Reads the steps of a payment from the database; the status poll and the sweeper sync it. */
export const readPaymentTrail: UseCase<typeof call> = async ({ database, clock }, caller, { params }) => {
  const borrowerId = requireBorrower(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    const link = await findLinkByProviderId(sql, borrowerId, params.payment_link_id)
    if (!link || link.status === 'creating' || link.status === 'refused') throw notFound()
    const own = await readOwnLoanById(sql, borrowerId, link.loan_id)
    const { posted, ...trail } = await readTrail(sql, own, link, loanStateDuring(own.facts, dayInIndia(clock.now())))
    const effect = paymentEffect(own.facts, new Set(posted))
    return { lan: own.loan.lan, ...trail, effect: effect && effectOnWire(effect) }
  })
}

/** A link with its steps, and the ledger transactions of its payments. */
export async function readTrail(sql: Sql, { loan, facts }: OwnLoan, link: LinkRow, state: LoanState) {
  const { borrower_id: borrowerId } = loan
  const payments = await listLinkPayments(sql, borrowerId, [link.payment_intent_id])
  const refunds = await listLinkRefunds(sql, borrowerId, [link.payment_intent_id])
  const posted = payments.flatMap(({ transaction_id: id }) => (id === null ? [] : [id]))
  const steps = buildTrail({
    link,
    payments,
    refunds,
    history: await listLinkSteps(sql, keyOf(link)),
    postings: await readPostingsById(sql, loan, posted),
    receipts: await findReceipts(sql, borrowerId, posted),
    reviews: await listOpenReviewTimes(sql, keyOf(link)),
    loan: { facts, state },
  })
  return { posted, payment_link: paymentLinkOnWire(link, payments, refunds), steps }
}

const effectOnWire = (effect: PaymentEffect): NonNullable<ResponseOf<typeof call>['effect']> => ({
  received: effect.receivedPaise,
  principal_before: effect.principalBeforePaise,
  principal_after: effect.principalAfterPaise,
  instalments_left_before: effect.instalmentsLeftBefore,
  instalments_left_after: effect.instalmentsLeftAfter,
  ...(effect.instalment && {
    emi: { before: effect.instalment.beforePaise, after: effect.instalment.afterPaise, from: effect.instalment.from },
  }),
})
