import { describe, expect, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { factsOf, termsOf } from '#domain/facts.testing.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { paise, rupeesToPaise } from '#domain/money.ts'
import { rupees } from '#domain/written-figures.ts'
import type { ReceiptFacts } from '../receipt.ts'
import type { StatementTransaction } from '../statement-store.ts'
import { composeClosureCertificate } from './closure-certificate.ts'
import type { ComposedDocument, DocumentSource } from './document-source.ts'
import { composePaymentReceipt } from './payment-receipt.ts'
import { composePayoffLetter, type Payoff } from './payoff-letter.ts'
import { composeRepaymentSchedule } from './repayment-schedule.ts'
import { composeStatementOfAccount } from './statement-of-account.ts'

/** 30,000 at 12 % in 3 instalments from 5 February 2024. */
const loan = (payments: Parameters<typeof factsOf>[2] = [], more: Partial<LoanFacts> = {}): LoanFacts =>
  factsOf(termsOf({ annualRatePercent: 12, instalments: 3, firstDueDate: '2024-02-05' }), [['2024-01-05', 30_000]], payments, more)

const sourceOf = (facts: LoanFacts, day: string, more: Partial<DocumentSource> = {}): DocumentSource =>
  ({
    language: 'en',
    lender: { name: 'Meghdoot Education Finance Ltd', lines: [] },
    borrower: { name: 'Esha Kulkarni', pan: null },
    loan: { lan: 'KST-24-000001', title: 'B.Sc.', apr_basis_points: 1_200n, apr_disbursed_on: toDay('2024-01-05') },
    isForEducation: true,
    ledger: [],
    facts,
    state: loanStateDuring(facts, toDay(day)),
    today: toDay(day),
    ...more,
  }) as unknown as DocumentSource

const textOf = ({ content }: ComposedDocument): string => JSON.stringify([content.facts, content.parts])

const paid = (more: Partial<StatementTransaction>): StatementTransaction => ({
  transactionId: 'p1',
  sequence: 1n,
  kind: 'repayment',
  rootId: null,
  valueDate: toDay('2024-02-05'),
  receivedOn: toDay('2024-02-05'),
  postedAt: new Date('2024-02-05T06:00:00Z'),
  source: 'neft',
  sourceId: 'HDFCN52024020500001',
  purpose: null,
  bankReference: null,
  amountPaise: rupeesToPaise(100),
  lines: [],
  ...more,
})

describe('a closure certificate', () => {
  const day = '2024-01-20'
  it('of a loan that was repaid says so', () => {
    const text = textOf(composeClosureCertificate(sourceOf(loan([[day, 30_145.16, 'FORECLOSURE']]), day)))
    expect(text).toContain('Esha Kulkarni has repaid the loan named above in full.')
  })

  it('of a loan whose rest was waived does not say that it was repaid', () => {
    const waiver = { waiverId: 'w1', date: toDay(day), amountPaise: paise(10_000n) }
    const source = sourceOf(loan([[day, 30_100, 'FORECLOSURE']], { foreclosureWaivers: [waiver] }), day)
    const english = textOf(composeClosureCertificate(source))
    expect(english).toContain('the loan of Esha Kulkarni named above was closed on 20 Jan 2024; ₹45.16 of it was waived.')
    expect(english).not.toContain('in full')
    expect(textOf(composeClosureCertificate({ ...source, language: 'hi' }))).toContain('₹45.16 माफ़ किए गए')
  })
})

describe('a payoff letter', () => {
  const repaymentAccount = { name: 'Meghdoot Education Finance Ltd', number: '50200012345678', ifsc: 'MEGH0000001' }
  const letter = (isLimited: boolean, account: Payoff['repaymentAccount'], language: 'en' | 'hi' = 'en') => {
    const source = sourceOf(loan(), '2024-01-20', { language })
    const offer = source.state.allowed.foreclosure
    if (offer === null) throw new Error('the loan has nothing to pay off')
    const payoff = { offer: { ...offer, isLimited }, quotedFor: source.today, startedPaise: paise(0n), repaymentAccount: account }
    return textOf(composePayoffLetter(source, payoff))
  }

  it('names the account for transfers', () => {
    for (const language of ['en', 'hi'] as const)
      for (const text of [repaymentAccount.number, repaymentAccount.ifsc, repaymentAccount.name])
        expect(letter(false, repaymentAccount, language)).toContain(`"value":"${text}"`)
    expect(letter(false, repaymentAccount)).toContain('Pay by a payment link of the portal, or by NEFT or RTGS to the account below.')
    const limited = letter(true, repaymentAccount)
    expect(limited).toContain('The amount is above the limit of a payment link: pay by NEFT or RTGS to the account below.')
    expect(limited).not.toContain('Pay by a payment link')
  })

  it('names no transfer without an account, unless the amount is above the limit of a link', () => {
    expect(letter(false, undefined)).toContain('Pay by a payment link of the portal. The amount is credited')
    for (const language of ['en', 'hi'] as const) expect(letter(false, undefined, language)).not.toMatch(/NEFT|RTGS|IFSC/)
    expect(letter(true, undefined)).toContain('pay by NEFT or RTGS. Ask support for the account details.')
    for (const language of ['en', 'hi'] as const) expect(letter(true, undefined, language)).not.toContain('IFSC')
  })
})

describe('a payoff letter deducts the borrower’s own money', () => {
  /** February's EMI is paid, and March's ahead on 10 February: it bills interest up to 5 March. */
  const rows = (advance: number, language: 'en' | 'hi' = 'en') => {
    const paidAhead = [
      ['2024-02-05', 10_201],
      ['2024-02-10', 10_201, 'PAY_EMI'],
      ...(advance > 0 ? [['2024-02-11', advance]] : []),
    ] as const
    const source = sourceOf(loan(paidAhead as Parameters<typeof loan>[0]), '2024-02-20', { language })
    const { foreclosure: offer } = source.state.allowed
    if (offer === null) throw new Error('the loan has nothing to pay off')
    const { content } = composePayoffLetter(source, {
      offer,
      quotedFor: source.today,
      startedPaise: paise(0n),
      repaymentAccount: undefined,
    })
    const table = content.parts.find(({ kind }) => kind === 'table')
    return { table: table?.kind === 'table' ? [...table.rows, table.totals] : [], principal: source.state.principalOutstandingPaise }
  }

  it('a rebate of interest is not called an advance, and the principal is the outstanding one', () => {
    const { table, principal } = rows(0)
    expect(table).toEqual([
      ['Outstanding principal', rupees(principal)],
      ['Interest up to that day, and unpaid interest', '₹0.00'],
      ['Unpaid charges, and prepayment charge', '₹0.00'],
      ['GST on charges', '₹0.00'],
      ['Less interest paid ahead for later days', '−₹97.03'],
      ['Total payable', '₹10,001.96'],
    ])
  })

  it('beside an advance, each is a row of its own', () => {
    const { table } = rows(1_000, 'hi')
    expect(table.slice(4, 6)).toEqual([
      ['घटाया गया: आगे के दिनों के लिए पहले से चुकाया गया ब्याज', '−₹97.03'],
      ['घटाई गई: अग्रिम राशि', '−₹1,000.00'],
    ])
  })
})

describe('the facts of a loan', () => {
  const on = (day: string, language: 'en' | 'hi' = 'en') => textOf(composeRepaymentSchedule(sourceOf(loan(), day, { language })))

  it('call the oldest unpaid day overdue once it has passed', () => {
    expect(on('2024-02-05')).toContain('"label":"Next due date","value":"05 Feb 2024"')
    expect(on('2024-02-06')).toContain('"label":"Overdue since","value":"05 Feb 2024"')
    expect(on('2024-02-06')).not.toContain('Next due date')
    expect(on('2024-02-06', 'hi')).toContain('इस तारीख़ से अतिदेय')
  })

  it('count one day as a day', () => {
    expect(on('2024-02-06')).toContain('"1 day, up to the end of 05 Feb 2024"')
    expect(on('2024-02-07')).toContain('"2 days, up to the end of 06 Feb 2024"')
    expect(on('2024-02-06', 'hi')).toContain('1 दिन, ')
  })
})

describe('a statement of account', () => {
  const textOfPaid = (more: Partial<StatementTransaction>, language: 'en' | 'hi' = 'en') => {
    const source = sourceOf(loan(), '2024-02-06', { ledger: [paid(more)], language })
    return textOf(composeStatementOfAccount(source, toDay('2024-02-01'), toDay('2024-02-06')))
  }

  it('says why the advance is below zero', () => {
    const refunded = paid({
      kind: 'refund',
      lines: [{ account: 'excess', amountPaise: paise(-500_000n), instalmentNumber: null, chargeId: null }],
    })
    const textIn = (language: 'en' | 'hi', refundShortPaise: bigint) => {
      const source = sourceOf(loan(), '2024-02-06', { ledger: [refunded], language })
      const state = { ...source.state, refundShortPaise: paise(refundShortPaise) }
      return textOf(composeStatementOfAccount({ ...source, state }, toDay('2024-02-01'), toDay('2024-02-06')))
    }
    expect(textIn('en', 500_000n)).toContain('₹5,000.00 was refunded out of a payment that the bank has taken back since')
    expect(textIn('hi', 500_000n)).toContain('₹5,000.00 ऐसे भुगतान में से लौटाए गए थे जिसे बैंक ने बाद में वापस ले लिया')
    expect(textIn('en', 0n)).not.toContain('below zero')
  })

  it('names in words how a payment came', () => {
    expect(textOfPaid({})).toContain('Payment received, NEFT HDFCN52024020500001')
    expect(textOfPaid({ source: 'mandate', sourceId: 'M1' }, 'hi')).toContain('भुगतान प्राप्त हुआ, बैंक मैंडेट M1')
    expect(textOfPaid({ source: 'razorpay', sourceId: 'pay_1' })).toContain('Payment received, Razorpay payment pay_1')
    expect(textOfPaid({ source: 'razorpay', sourceId: 'pay_1', bankReference: '612345678901' })).toContain('bank reference 612345678901')
  })
})

describe('a receipt', () => {
  const receiptOf = (capture: Partial<ReceiptFacts['capture']>, language: 'en' | 'hi' = 'en', more: Partial<ReceiptFacts> = {}) => {
    const issued = { receipt_number: 'KST-24-000001-R1', issued_at: new Date('2024-02-05T06:00:00Z'), amount_paise: rupeesToPaise(100) }
    const paidBy = { provider_payment_id: 'pay_1', instrument: null, paid_at: issued.issued_at, reference: 'K1', method: null, ...capture }
    const of = { receipt: { ...issued, bank_reference: null }, payment: paid({}), capture: paidBy, lines: [], reallocated: null, ...more }
    const facts = { returned: [], cancelledAt: null, principalAfter: rupeesToPaise(0), ...of } as unknown as ReceiptFacts
    return textOf(composePaymentReceipt(sourceOf(loan(), '2024-02-06', { language }), facts))
  }

  it.each([
    ['emandate', 'Bank mandate', 'बैंक मैंडेट'],
    ['nach', 'Bank mandate', 'बैंक मैंडेट'],
    ['paylater', 'Pay later', 'बाद में भुगतान (Pay Later)'],
    ['cardless_emi', 'Cardless EMI', 'बिना कार्ड की ईएमआई'],
  ])('names the method %s of the provider in words', (method, english, hindi) => {
    expect(receiptOf({ method })).toContain(`"label":"Paid by","value":"${english}"`)
    expect(receiptOf({ method }, 'hi')).toContain(`"value":"${hindi}"`)
  })

  it('calls nothing a refund that the payer’s bank took back', () => {
    const at = new Date('2024-02-20T06:00:00Z')
    const row = { status: 'processed', processed_at: at, bank_reference: null } as const
    const taken = { ...row, amount_paise: rupeesToPaise(50), provider_refund_id: 'returned:1' }
    const refunded = { ...row, amount_paise: rupeesToPaise(20), provider_refund_id: 'rfnd_1' }
    const text = (language: 'en' | 'hi') => receiptOf({}, language, { returned: [taken, refunded] })
    expect(text('en')).toContain('The payer’s bank took back ₹50.00 of it on 20 Feb 2024.')
    expect(text('en')).toContain('₹20.00 of it was refunded on 20 Feb 2024.')
    expect(text('en')).not.toContain('₹50.00 of it was refunded')
    expect(text('hi')).toContain('भुगतान करने वाले के बैंक ने 20 फ़रवरी 2024 को इसमें से ₹50.00 वापस ले लिए।')
  })
})
