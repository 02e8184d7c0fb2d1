import { amountInWords } from '#domain/amount-in-words.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { maskedInstrument } from '#domain/instruments.ts'
import { findClosingDay } from '#domain/loan-closing.ts'
import { sumPaise } from '#domain/money.ts'
import { quoteOutcome, type PaymentPart } from '#domain/payment-parts.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import type { Fact, DocumentPart } from '../../adapters/pdf/pdf-writer.ts'
import type { Line } from '../../ledger/lines.ts'
import { isTakenByBank } from '../../loans/refund-facts-store.ts'
import { toPlainReference } from '../../ledger/repeated-payments.ts'
import { postedParts } from '../../ledger/posted-parts.ts'
import { dayText, instantText, rupees } from '#domain/written-figures.ts'
import type { ReceiptRefund } from '../receipt-store.ts'
import type { ReceiptFacts } from '../receipt.ts'
import {
  amountTable,
  chargeText,
  fill,
  buildContent,
  partyFacts,
  getWords,
  type DocumentSource,
  type ComposedDocument,
} from './document-source.ts'

/**
 * Composes a receipt: what was paid, how and when, and how it was allocated. The receipt of a
 * reversed payment says so first.
 */
export function composePaymentReceipt(source: DocumentSource, of: ReceiptFacts): ComposedDocument {
  const { language, borrower, loan } = source
  const { receipt: texts, head } = getWords(language)
  const { receipt, reallocated, cancelledAt } = of
  const amount = rupees(receipt.amount_paise)
  const cancelled = cancelledAt === null ? [] : [dayText(dayInIndia(cancelledAt), language)]
  const content = buildContent(
    source,
    'payment_receipt',
    [
      { label: texts.number, value: receipt.receipt_number },
      { label: head.issuedOn, value: dayText(dayInIndia(receipt.issued_at), language) },
      ...partyFacts(source),
    ],
    [
      ...cancelled.map((date): DocumentPart => ({ kind: 'notice', text: fill(texts.cancelled, { date }) })),
      { kind: 'text', text: fill(texts.statement, { name: borrower.name, amount, lan: loan.lan }) },
      { kind: 'text', text: fill(texts.inWords, { words: amountInWords(receipt.amount_paise, language) }) },
      { kind: 'facts', facts: paidFacts(source, of) },
      ...decisionTexts(source, of).map((text): DocumentPart => ({ kind: 'text', text })),
      ...of.returned.map((refund): DocumentPart => ({ kind: 'text', text: returnedText(source, refund) })),
      { kind: 'heading', text: texts.appliedTo },
      partsTable(source, of, of.lines),
      { kind: 'text', text: fill(texts.balance, { amount: rupees(of.principalAfter) }) },
      ...(reallocated === null || cancelledAt !== null
        ? []
        : [
            { kind: 'heading', text: fill(texts.reallocated, { date: dayText(dayInIndia(reallocated.at), language) }) } as const,
            { kind: 'text', text: texts.reallocatedWhy } as const,
            partsTable(source, of, reallocated.lines),
          ]),
    ],
  )
  return {
    content: cancelledAt === null ? content : { ...content, title: texts.cancelledTitle },
    amountPaise: receipt.amount_paise,
  }
}

/**
 * The special outcomes of the payment's day: a short foreclosure, a quote for the next day, a
 * waived late charge (decisions 54 and 55).
 */
function decisionTexts({ language, facts, state }: DocumentSource, { payment }: ReceiptFacts): string[] {
  const { receipt: texts } = getWords(language)
  const received = facts.payments.find(({ paymentId }) => paymentId === payment.transactionId)
  const { shortPaise, waivedPaise } = quoteOutcome(state, payment.transactionId)
  const date = dayText(payment.valueDate, language)
  return [
    ...(shortPaise === null ? [] : [fill(texts.foreclosureShort, { amount: rupees(shortPaise), date })]),
    ...(received?.quotedAheadFor !== undefined && received.quotedAheadFor > received.date && shortPaise === null
      ? earlierText(texts, received.purpose, { date, quoted: dayText(received.quotedAheadFor, language) })
      : []),
    ...(waivedPaise > 0n ? [fill(texts.lateChargeWaived, { amount: rupees(waivedPaise) })] : []),
  ]
}

/** Only early repayments of principal depend on the day. */
function earlierText(
  texts: ReturnType<typeof getWords>['receipt'],
  purpose: PaymentPurpose | null,
  days: { date: string; quoted: string },
): string[] {
  switch (purpose) {
    case 'FORECLOSURE':
      return [fill(texts.dayEarlierForeclosure, days)]
    case 'PART_PAYMENT__REDUCE_EMI':
    case 'PART_PAYMENT__REDUCE_TENOR':
      return [fill(texts.dayEarlier, days)]
    default:
      return []
  }
}

function paidFacts({ language }: DocumentSource, { receipt, payment, capture }: ReceiptFacts): Fact[] {
  const { receipt: texts, purposes, methods } = getWords(language)
  const some = (label: string, value: string | null | undefined): Fact[] => (value ? [{ label, value }] : [])
  const reference = receipt.bank_reference && toPlainReference(receipt.bank_reference)
  const method = capture === null ? payment.source : capture.method
  return [
    capture === null
      ? { label: texts.valueDate, value: dayText(payment.valueDate, language) }
      : { label: texts.paidAt, value: instantText(capture.paid_at, language) },
    ...some(texts.purpose, payment.purpose && purposes[payment.purpose]),
    ...some(texts.method, method && (methods[method] ?? method)),
    ...some(texts.instrument, capture?.instrument && maskedInstrument(capture.instrument)),
    ...some(isRrn(reference) ? texts.rrn : texts.bankReference, reference),
    ...some(texts.paymentReference, capture?.payment_link_id),
    ...some(texts.providerPayment, capture?.provider_payment_id),
    ...some(texts.reference, capture?.reference),
  ]
}

/**
 * A retrieval reference number (UPI, IMPS, cards) has twelve digits; other references have other
 * formats.
 */
const isRrn = (reference: string | null): boolean => reference !== null && /^\d{12}$/.test(reference)

function returnedText({ language }: DocumentSource, refund: ReceiptRefund): string {
  const { amount_paise, status, processed_at, bank_reference } = refund
  const words = getWords(language)
  const { returned, takenByBank } = words.receipt
  const text = fill(isTakenByBank(refund) ? takenByBank : returned[status], {
    amount: rupees(amount_paise),
    date: processed_at === null ? '' : dayText(dayInIndia(processed_at), language),
  })
  return bank_reference === null ? text : `${text} (${fill(words.bankReference, { number: bank_reference })})`
}

function partsTable(source: DocumentSource, { payment, principalAfter }: ReceiptFacts, lines: readonly Line[]): DocumentPart {
  const { receipt: texts } = getWords(source.language)
  const parts = postedParts(source, payment, lines)
  const isClosing = principalAfter === 0n && findClosingDay(source.facts, source.state) !== null
  const rows = parts.map((part) => [partText(source, part, isClosing), part.amountPaise] as const)
  return amountTable(texts, rows, sumPaise(parts.map(({ amountPaise }) => amountPaise)))
}

function partText({ language }: DocumentSource, part: PaymentPart, isClosing: boolean): string {
  const { component, instalmentNumber, dueDate, chargeType } = part
  const words = getWords(language)
  const { components, ofInstalment, principalAhead } = words.receipt
  if (chargeType !== null) return chargeText(words, chargeType)
  // No amount will be due that it could be kept for.
  if (component === 'credit' && isClosing) return components.creditAfterClosing
  if (instalmentNumber === null || dueDate === null) return component === 'principal' ? principalAhead : components[component]
  return fill(ofInstalment, { part: components[component], number: String(instalmentNumber), date: dayText(dueDate, language) })
}
