import { amountInWords } from '#domain/amount-in-words.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { maskedInstrument } from '#domain/instruments.ts'
import { sumPaise } from '#domain/money.ts'
import type { PaymentPart } from '#domain/payment-parts.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import type { Fact, PaperPart } from '../../adapters/pdf/pdf-writer.ts'
import type { Line } from '../../ledger/lines.ts'
import { postedParts } from '../../ledger/posted-parts.ts'
import { dayText, instantText, rupees } from '#domain/written-figures.ts'
import type { Returned } from '../receipt-store.ts'
import type { ReceiptFacts } from '../receipt.ts'
import { chargeText, fill, paperOf, partyFacts, wordsOf, type PaperSource, type UnverifiedDocument } from './paper-source.ts'

/** What was paid, by what and when, and where it went. One whose payment was taken back says so before anything else. */
export function receiptPaper(source: PaperSource, of: ReceiptFacts): UnverifiedDocument {
  const { language, borrower, loan } = source
  const { receipt: said, head } = wordsOf(language)
  const { receipt, reallocated, cancelledAt } = of
  const amount = rupees(receipt.amount_paise)
  const cancelled = cancelledAt === null ? [] : [dayText(dayInIndia(cancelledAt), language)]
  const paper = paperOf(
    source,
    'payment_receipt',
    [
      { label: said.number, value: receipt.receipt_number },
      { label: head.issuedOn, value: dayText(dayInIndia(receipt.issued_at), language) },
      ...partyFacts(source),
    ],
    [
      ...cancelled.map((date): PaperPart => ({ kind: 'notice', text: fill(said.cancelled, { date }) })),
      { kind: 'text', text: fill(said.statement, { name: borrower.name, amount, lan: loan.lan }) },
      { kind: 'text', text: fill(said.inWords, { words: amountInWords(receipt.amount_paise, language) }) },
      { kind: 'facts', facts: paidFacts(source, of) },
      ...decisionTexts(source, of).map((text): PaperPart => ({ kind: 'text', text })),
      ...of.returned.map((refund): PaperPart => ({ kind: 'text', text: returnedText(source, refund) })),
      { kind: 'heading', text: said.appliedTo },
      partsTable(source, of, of.lines),
      { kind: 'text', text: fill(said.balance, { amount: rupees(of.principalAfter) }) },
      ...(reallocated === null || cancelledAt !== null
        ? []
        : [
            { kind: 'heading', text: fill(said.reallocated, { date: dayText(dayInIndia(reallocated.at), language) }) } as const,
            { kind: 'text', text: said.reallocatedWhy } as const,
            partsTable(source, of, reallocated.lines),
          ]),
    ],
  )
  return cancelledAt === null ? paper : { ...paper, title: said.cancelledTitle }
}

/** What the payment's own day decided: a foreclosure that fell short, a quote for the next day, a late charge waived (decisions 54 and 55). */
function decisionTexts({ language, facts, state }: PaperSource, { payment }: ReceiptFacts): string[] {
  const { receipt: said } = wordsOf(language)
  const received = facts.payments.find(({ paymentId }) => paymentId === payment.transactionId)
  const short = state.shortForeclosures.find(({ paymentId }) => paymentId === payment.transactionId)
  const waived = state.adjustments.filter(
    ({ reason, paymentId }) => reason === 'late_charge_within_quote' && paymentId === payment.transactionId,
  )
  const waivedPaise = sumPaise(waived.flatMap(({ lines }) => lines.map(({ amountPaise }) => amountPaise)))
  const date = dayText(payment.valueDate, language)
  return [
    ...(short ? [fill(said.foreclosureShort, { amount: rupees(short.shortPaise), date })] : []),
    ...(received?.quotedAheadFor !== undefined && received.quotedAheadFor > received.date && short === undefined
      ? earlierText(said, received.purpose, { date, quoted: dayText(received.quotedAheadFor, language) })
      : []),
    ...(waivedPaise > 0n ? [fill(said.lateChargeWaived, { amount: rupees(waivedPaise) })] : []),
  ]
}

/** Only purposes that reduce principal before its time depend on the day. */
function earlierText(
  said: ReturnType<typeof wordsOf>['receipt'],
  purpose: PaymentPurpose | null,
  days: { date: string; quoted: string },
): string[] {
  switch (purpose) {
    case 'FORECLOSURE':
      return [fill(said.dayEarlierForeclosure, days)]
    case 'PART_PAYMENT__REDUCE_EMI':
    case 'PART_PAYMENT__REDUCE_TENOR':
      return [fill(said.dayEarlier, days)]
    default:
      return []
  }
}

function paidFacts({ language }: PaperSource, { receipt, payment, capture }: ReceiptFacts): Fact[] {
  const { receipt: said, purposes, methods } = wordsOf(language)
  const some = (label: string, value: string | null | undefined): Fact[] => (value ? [{ label, value }] : [])
  const method = capture === null ? payment.source : capture.method
  return [
    capture === null
      ? { label: said.valueDate, value: dayText(payment.valueDate, language) }
      : { label: said.paidAt, value: instantText(capture.paid_at, language) },
    ...some(said.purpose, payment.purpose && purposes[payment.purpose]),
    ...some(said.method, method && (methods[method] ?? method)),
    ...some(said.instrument, capture?.instrument && maskedInstrument(capture.instrument)),
    ...some(isRrn(receipt.bank_reference) ? said.rrn : said.bankReference, receipt.bank_reference),
    ...some(said.providerPayment, capture?.provider_payment_id),
    ...some(said.reference, capture?.reference),
  ]
}

/** A retrieval reference number, which UPI, IMPS and cards have, is twelve digits; other references have names of their own. */
const isRrn = (reference: string | null): boolean => reference !== null && /^\d{12}$/.test(reference)

function returnedText({ language }: PaperSource, { amount_paise, status, processed_at, bank_reference }: Returned): string {
  const words = wordsOf(language)
  const { returned } = words.receipt
  const text = fill(returned[status], {
    amount: rupees(amount_paise),
    date: processed_at === null ? '' : dayText(dayInIndia(processed_at), language),
  })
  return bank_reference === null ? text : `${text} (${fill(words.bankReference, { number: bank_reference })})`
}

function partsTable(source: PaperSource, { payment }: ReceiptFacts, lines: readonly Line[]): PaperPart {
  const { receipt: said } = wordsOf(source.language)
  const parts = postedParts(source, payment, lines)
  return {
    kind: 'table',
    columns: [
      { title: said.columns.part, align: 'start', width: 'rest' },
      { title: said.columns.amount, align: 'end', width: 'own' },
    ],
    rows: parts.map((part) => [partText(source, part), rupees(part.amountPaise)]),
    totals: [said.total, rupees(sumPaise(parts.map(({ amountPaise }) => amountPaise)))],
  }
}

function partText({ language }: PaperSource, { component, instalmentNumber, dueDate, chargeType }: PaymentPart): string {
  const words = wordsOf(language)
  const { components, ofInstalment, principalAhead } = words.receipt
  if (chargeType !== null) return chargeText(words, chargeType)
  if (instalmentNumber === null || dueDate === null) return component === 'principal' ? principalAhead : components[component]
  return fill(ofInstalment, { part: components[component], number: String(instalmentNumber), date: dayText(dueDate, language) })
}
