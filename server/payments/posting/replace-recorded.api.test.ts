import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { addMonths, dayInIndia, toDay } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { paise, rupeesToPaise, type Paise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { noon, startApp, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../../loan-changes/change-loan.ts'
import type { Sql } from '../../database/connect.ts'
import { recordPayment, type ManualPayment } from '../../loan-changes/record-payment.ts'
import { reversePayment } from '../../loan-changes/reverse-payment.ts'
import { readOwnLoanById } from '../../loans/own-loan.ts'
import { sendNotices } from '../../notices/send-notices.ts'
import { sweepPaymentLinks } from '../links/sweep-payment-links.ts'
import { refreshLink } from '../links/sync-link.ts'
import { findLinkByProviderId } from '../links/link-store.ts'
import { returnByBank } from '../refunds/return-by-bank.ts'
import { followUpLoans } from './follow-up-loans.ts'

/** Noon in India, on a day on which an instalment falls due. */
const dueOn = toDay('2026-11-20')
/** The instalment of a loan of ₹1,00,000. */
const instalmentPaise = rupeesToPaise(4_708)
let app: App
let people = 0

beforeAll(async () => {
  // The provider's events are lost and the tests sweep themselves: people record what it took.
  app = await startApp(inject('cluster'), {
    now: noon,
    settings: { KIST_SWEEP_INTERVAL_MS: '600000', KIST_SWEEP_AFTER_SECONDS: '60' },
  })
  await addProduct(app.database, noon, 'education', educationLoan)
  await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

const nextLan = () => {
  people += 1
  return { phone: `+9198764${String(people).padStart(5, '0')}`, lan: `KST-RR-${String(people).padStart(6, '0')}` }
}
const addPaidLoan = async (borrowerId: string, lan: string): Promise<AddedLoan> => {
  const firstDueDate = addMonths(dueOn, -4)
  const key = await addLoan(app.database, noon, borrowerId, {
    lan,
    title: 'B.Sc. in physics',
    sanctionedRupees: 100_000,
    disbursals: [{ date: addMonths(firstDueDate, -1), rupees: 100_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate,
  })
  await payInstalments(app.database, key, 4)
  return key
}

/** A borrower whose loan has an instalment due today, with a link that is paid at the provider. */
async function paidLink({ purpose = 'PAY_EMI' as PaymentPurpose, pay = {} as object } = {}) {
  const { phone, lan } = nextLan()
  const borrowerId = await addPerson(app.database, noon, { phone, firstName: 'Meera', lastName: 'Joshi' })
  const key = await addPaidLoan(borrowerId, lan)
  const token = await app.signIn(phone)
  const link = await openLink(app, token, { lan, purpose })
  await payLink(app, link, pay)
  const { payments } = (await app.sandbox('/state')) as {
    payments: { id: string; link_id: string; amount: number; acquirer_data: { rrn?: string; auth_code?: string } }[]
  }
  const payment = payments.at(-1)!
  return { ...atLoan(key), key, token, link, payment, amountPaise: paise(BigInt(payment.amount)), rrn: String(payment.acquirer_data.rrn) }
}

/** What staff do with a loan, and what is stored of it. */
function atLoan({ borrowerId, loanId }: AddedLoan) {
  const write = <T>(work: (loan: LoanTransaction) => Promise<T>) =>
    withLockedLoan(app.database, { borrowerId, loanId }, app.clock.now(), work)
  const record = (reference: string, amountPaise: Paise, more: Partial<ManualPayment> = {}) =>
    write((loan) => {
      const payment = { mode: 'upi', reference, amountPaise, date: dayInIndia(app.clock.now()), purpose: null, ...more } as const
      return recordPayment(loan, payment)
    })
  const reverse = (reference: string) => write((loan) => reversePayment(loan, 'upi', reference))
  const sendBack = (amountPaise: Paise) =>
    write((loan) => {
      const sent = { mode: 'neft', reference: `UTRSENT${loanId}`, amountPaise, date: dayInIndia(app.clock.now()) } as const
      return returnByBank(loan, sent)
    })
  const state = async () => {
    const { facts } = await app.database.asBorrower(borrowerId, (sql) => readOwnLoanById(sql, borrowerId, loanId))
    return loanStateDuring(facts, dayInIndia(app.clock.now()))
  }
  const stored = <T>(read: (sql: Sql) => Promise<T>): Promise<T> => app.database.asSystem(read)
  const reviews = () =>
    stored((sql) => sql.selectFrom('payment_reviews').selectAll().where('loan_id', '=', loanId).orderBy('review_id').execute())
  const refunds = () => stored((sql) => sql.selectFrom('refunds').selectAll().where('loan_id', '=', loanId).orderBy('refund_id').execute())
  /** Source and id of each payment of the last instalment that is not reversed. */
  const counted = async () => {
    const ledger = await stored((sql) =>
      sql.selectFrom('ledger_transactions').selectAll().where('loan_id', '=', loanId).orderBy('sequence').execute(),
    )
    const reversed = new Set(ledger.map((row) => row.reverses_transaction_id))
    const ofToday = ledger.filter(({ kind, value_date }) => kind === 'repayment' && value_date >= dueOn)
    return ofToday.filter(({ transaction_id }) => !reversed.has(transaction_id)).map(({ source, source_id }) => [source, source_id])
  }
  const noticesOf = async (kind: string) => {
    const rows = await stored((sql) =>
      sql.selectFrom('notices').selectAll().where('borrower_id', '=', borrowerId).orderBy('notice_id').execute(),
    )
    return rows.filter((row) => row.kind === kind)
  }
  const notices = () => noticesOf('payment_reversed')
  const closings = () => noticesOf('loan_closed')
  const log = async () => {
    const entries = await stored((sql) =>
      sql.selectFrom('access_log').selectAll().where('subject_id', '=', borrowerId).orderBy('sequence').execute(),
    )
    return entries.filter(({ action }) => action === 'payment_reversed')
  }
  return { record, reverse, sendBack, state, reviews, refunds, counted, notices, closings, log }
}

/** Later than the next check of every link. */
async function sweep(minutes = 3): Promise<void> {
  await app.clock.advance(minutes * 60_000)
  await sweepPaymentLinks(app.context)
}
const withDashes = (reference: string) => `${reference.slice(0, 4)}-${reference.slice(4)}`

describe('a payment that staff record before the provider reports it', () => {
  it('is replaced: the money counts once, staff and borrower read why, and it cannot be recorded again', async () => {
    const { record, state, counted, reviews, refunds, notices, log, payment, rrn, amountPaise } = await paidLink()
    const recorded = await record(withDashes(rrn), amountPaise)
    await sweep()
    expect(await counted()).toEqual([['razorpay', payment.id]])
    expect(await state()).toMatchObject({ duesPaise: 0n, creditPaise: 0n, derivedCharges: [] })
    const transaction_id = recorded.paymentId
    expect(await reviews()).toMatchObject([
      {
        kind: 'duplicate_bank_reference',
        resolved_at: null,
        detail: {
          payment: payment.id,
          bank_reference: rrn,
          amount_paise: String(amountPaise),
          recorded_transaction: transaction_id,
          recorded_paise: String(amountPaise),
          recorded: 'reversed',
        },
      },
    ])
    await sendNotices(app.context)
    const notice = { about: `reversed:${transaction_id}`, amount_paise: amountPaise, sms: 'unwanted' }
    expect(await notices()).toMatchObject([notice])
    expect(await log()).toMatchObject([{ actor_id: 'system', detail: { transaction_id, payment: payment.id, cause: 'recorded_twice' } }])
    await sweep(60)
    expect([await counted(), (await reviews()).length, (await log()).length]).toEqual([[['razorpay', payment.id]], 1, 1])
    expect(await refunds()).toEqual([])
    await expect(record(rrn, amountPaise)).rejects.toThrow('by link or autopay')
    await expect(record(payment.id, amountPaise)).rejects.toThrow('by link or autopay')
  })

  it('is replaced by the provider’s amount, also under the provider’s id', async () => {
    const { record, state, counted, payment, amountPaise } = await paidLink()
    await record(payment.id, paise(amountPaise + rupeesToPaise(100)))
    await sweep()
    expect(await counted()).toEqual([['razorpay', payment.id]])
    expect(await state()).toMatchObject({ duesPaise: 0n, creditPaise: 0n })
  })

  it('that nobody records, to close the loan: the borrower is told that it is closed', async () => {
    const { state, closings, key } = await paidLink({ purpose: 'FORECLOSURE' })
    await sweep()
    expect(await state()).toMatchObject({ status: 'CLOSED' })
    expect(await closings()).toMatchObject([{ about: `closed:${key.loanId}:${dueOn}` }])
  })

  it('to close the loan: it stays closed, and nothing is refunded', async () => {
    const { record, state, counted, refunds, closings, payment, rrn, amountPaise } = await paidLink({ purpose: 'FORECLOSURE' })
    await record(rrn, amountPaise, { purpose: 'FORECLOSURE' })
    expect(await state()).toMatchObject({ status: 'CLOSED' })
    // The link has expired when the provider is asked.
    await sweep(60)
    await followUpLoans(app.context)
    expect([await counted(), await refunds()]).toEqual([[['razorpay', payment.id]], []])
    expect(await state()).toMatchObject({ status: 'CLOSED', creditPaise: 0n })
    expect((await closings()).length).toBe(1)
  })

  it('to close the loan, which cancelled the link: the late success counts as it was recorded', async () => {
    const pay = { method: 'upi', outcome: 'pending_success', after_seconds: 600 }
    const { record, state, counted, refunds, payment, link, amountPaise, token } = await paidLink({ purpose: 'FORECLOSURE', pay })
    await record(payment.id, amountPaise, { purpose: 'FORECLOSURE' })
    const cancelled = await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, token)
    expect(cancelled).toMatchObject({ status: 200, body: { payment_link: { status: 'cancelled' } } })
    await sweep(30)
    await sweep(60)
    await followUpLoans(app.context)
    expect([await counted(), await refunds()]).toEqual([[['razorpay', payment.id]], []])
    expect(await state()).toMatchObject({ status: 'CLOSED', creditPaise: 0n })
  })

  it('by a link that expired, with another payment since: the late success counts as it was recorded', async () => {
    const pay = { method: 'upi', outcome: 'pending_success', after_seconds: 5_400 }
    const { record, state, counted, refunds, reviews, payment, amountPaise } = await paidLink({ purpose: 'FORECLOSURE', pay })
    await sweep(65)
    await record('UTRSINCE1', rupeesToPaise(100))
    await record(payment.id, paise(amountPaise - rupeesToPaise(100)), { purpose: 'FORECLOSURE' })
    expect(await state()).toMatchObject({ status: 'CLOSED' })
    await sweep(30)
    await sweep(60)
    expect(await counted()).toContainEqual(['razorpay', payment.id])
    expect([await state(), await refunds()]).toMatchObject([{ status: 'CLOSED', creditPaise: rupeesToPaise(100) }, []])
    expect(await reviews()).toMatchObject([{ kind: 'duplicate_bank_reference', detail: { recorded: 'reversed' } }])
  })

  it('on another loan of the borrower is only reviewed', async () => {
    const { counted, reviews, payment, rrn, amountPaise, key } = await paidLink()
    const sibling = atLoan(await addPaidLoan(key.borrowerId, nextLan().lan))
    await sibling.record(rrn, amountPaise)
    await sweep()
    expect(await counted()).toEqual([['razorpay', payment.id]])
    expect(await sibling.counted()).toEqual([['upi', rrn]])
    expect(await reviews()).toMatchObject([{ kind: 'duplicate_bank_reference', detail: { recorded: 'counts on another loan' } }])
  })

  it('is replaced also where credit of the loan was refunded since', async () => {
    const { record, sendBack, state, counted, reviews, refunds, payment, rrn, amountPaise } = await paidLink()
    await record(rrn, amountPaise)
    await record(`UTRMORE${rrn}`, rupeesToPaise(500))
    await sendBack(rupeesToPaise(500))
    await sweep()
    expect(await counted()).toEqual([
      ['upi', `UTRMORE${rrn}`],
      ['razorpay', payment.id],
    ])
    expect([await state(), await refunds()]).toMatchObject([{ duesPaise: 0n, creditPaise: 0n, refundShortPaise: 0n }, []])
    expect(await reviews()).toMatchObject([{ kind: 'duplicate_bank_reference', detail: { recorded: 'reversed' } }])
  })

  it('without a purpose, whose credit was refunded since: the link’s purpose does not use that credit again', async () => {
    const { record, sendBack, state, counted, refunds, payment, rrn, amountPaise } = await paidLink({ purpose: 'FORECLOSURE' })
    await record(rrn, amountPaise)
    const { creditPaise } = await state()
    await sendBack(creditPaise)
    await sweep()
    expect([await counted(), await refunds()]).toEqual([[['razorpay', payment.id]], []])
    expect(await state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, creditPaise: 0n, refundShortPaise: 0n })
  })

  it('of a second capture counts, and is not sent back as well', async () => {
    const { record, sendBack, state, counted, refunds, payment: first, link, amountPaise } = await paidLink()
    await sweep()
    await payLink(app, link, { second_capture: 'keep' })
    const { payments } = (await app.sandbox('/state')) as { payments: { id: string; acquirer_data: { rrn: string } }[] }
    const second = payments.at(-1)!
    expect(second.id).not.toBe(first.id)
    await record(second.acquirer_data.rrn, amountPaise)
    await sendBack(amountPaise)
    await sweep()
    await sweep(60)
    expect(await counted()).toEqual([first, second].map(({ id }) => ['razorpay', id]))
    expect([await state(), await refunds()]).toMatchObject([{ duesPaise: 0n, creditPaise: 0n, refundShortPaise: 0n }, []])
  })

  it('is only reviewed where the provider’s amount would not leave the credit that was refunded since', async () => {
    const { record, sendBack, state, counted, reviews, payment, rrn, amountPaise } = await paidLink()
    await record(rrn, paise(amountPaise + rupeesToPaise(500)))
    await sendBack(rupeesToPaise(500))
    await sweep()
    expect(await counted()).toContainEqual(['upi', rrn])
    expect(await counted()).toContainEqual(['razorpay', payment.id])
    expect(await state()).toMatchObject({ duesPaise: 0n, refundShortPaise: 0n })
    expect(await reviews()).toMatchObject([{ kind: 'duplicate_bank_reference', detail: { recorded: 'counts too' } }])
  })

  it('counts alone if the provider’s payment was sent back before its bank reference came, and is reviewed', async () => {
    const pay = { method: 'upi', outcome: 'pending_success', after_seconds: 5_400 }
    const { record, counted, refunds, reviews, payment, link, amountPaise, key } = await paidLink({ pay })
    await sweep(65)
    await app.clock.advance(30 * 60_000)
    const { payments } = (await app.sandbox(`/state`)) as { payments: { id: string; acquirer_data: { rrn: string } }[] }
    const rrn = payments.find(({ id }) => id === payment.id)!.acquirer_data.rrn
    await record(rrn, amountPaise)
    const { gateway } = app.context
    const fetchLink = gateway.fetchLink.bind(gateway)
    gateway.fetchLink = async (id) => {
      const outcome = await fetchLink(id)
      if (outcome.kind !== 'found') return outcome
      return { ...outcome, link: { ...outcome.link, payments: outcome.link.payments.map((one) => ({ ...one, bankReference: null })) } }
    }
    onTestFinished(() => void (gateway.fetchLink = fetchLink))
    await sweep()
    expect(await refunds()).toMatchObject([{ reason: 'nothing_due', provider_payment_id: payment.id }])
    gateway.fetchLink = fetchLink
    const row = await app.database.asSystem((sql) => findLinkByProviderId(sql, key.borrowerId, link))
    await refreshLink(app.context, row!, { source: 'sweep', actorId: 'system' })
    expect(await counted()).toContainEqual(['upi', rrn])
    const detail = { payment: payment.id, bank_reference: rrn, recorded: 'counts alone: the provider’s payment was sent back' }
    expect((await reviews()).filter(({ kind }) => kind === 'duplicate_bank_reference')).toMatchObject([{ detail }])
  })

  it('whose reversal by staff came first is not reviewed, nor a card’s approval code', async () => {
    const { record, reverse, counted, reviews, payment, rrn, amountPaise } = await paidLink()
    await record(rrn, amountPaise)
    await reverse(rrn)
    const card = await paidLink({ pay: { method: 'card', outcome: 'success' } })
    const code = String(Object.values(card.payment.acquirer_data)[0])
    await card.record(code, instalmentPaise)
    await sweep()
    expect([await counted(), await reviews()]).toEqual([[['razorpay', payment.id]], []])
    expect((await card.counted()).length).toBe(2)
    expect(await card.reviews()).toEqual([])
  })

  it('is reversed together with the posting or not at all', async () => {
    const { record, counted, reviews, rrn, amountPaise } = await paidLink()
    await record(rrn, amountPaise)
    const failPoint = (name: string) => (name === 'posting_written' ? Promise.reject(new Error('it stops')) : Promise.resolve())
    await app.clock.advance(180_000)
    await expect(sweepPaymentLinks({ ...app.context, failPoint })).rejects.toThrow('could not be checked')
    expect(await counted()).toEqual([['upi', rrn]])
    expect((await reviews()).map(({ kind }) => kind)).toEqual(['not_posted'])
    await sweep()
    expect((await counted()).map(([source]) => source)).toEqual(['razorpay'])
  })
})
