import { setImmediate as nextTurn } from 'node:timers/promises'
import type {
  CapturedOrRefundedPayment,
  LinkSnapshot,
  PaymentGateway,
  ProviderRefund,
} from '#server/adapters/payment-gateway/payment-gateway.ts'
import type { Debit, DebitOrder, RegistrationSnapshot, TokenSnapshot } from '#server/adapters/payment-gateway/recurring-gateway.ts'
import { paise, zeroPaise, type Paise } from '#domain/money.ts'
import {
  drawOutcomes,
  isPayable,
  isReturned,
  outcomeAt,
  refundedOf,
  type DebitRecord,
  type LinkRecord,
  type MandateRecord,
  type MoneyRecord,
  type OrderRecord,
} from './records.ts'

/** What is noticed of the requests as they arrive, before the provider acts on them. */
export type Observer = {
  loanOfLink(reference: string): Promise<string>
  linkRequested(loanId: string, nowMs: number): void
  debitRequested(order: OrderRecord, mandate: MandateRecord, nowMs: number): Promise<{ loanId: string; dueOn: string }>
}

type Options = { nowMs(): number; below(end: number): number; observer: Observer }

/**
 * The payment provider of random histories, in memory: it loses requests and answers, its banks
 * fail, answer late, take money back, and confirm what they refused. It refuses no second debit of
 * an order, so that one would be seen.
 */
export class SimulatedProvider {
  readonly links = new Map<string, LinkRecord>()
  readonly mandates = new Map<string, MandateRecord>()
  readonly orders = new Map<string, OrderRecord>()
  readonly debits = new Map<string, DebitRecord>()
  /** True while no request arrives. */
  isDown = false
  /** Of a thousand requests, how many are lost before their effect, and how many answers after. */
  faultsPerMille = 25
  private readonly options: Options
  private ids = 0

  constructor(options: Options) {
    this.options = options
  }

  nowMs = (): number => this.options.nowMs()
  private newId = (prefix: string): string => `${prefix}_${String((this.ids += 1)).padStart(14, '0')}`

  /** The borrower pays a link, on its page or, if it is closed, by a slow bank. */
  pay(link: LinkRecord): void {
    link.payments.push({ id: this.newId('pay'), amountPaise: link.amountPaise, paidMs: this.nowMs(), refunds: [] })
  }

  approve(mandate: MandateRecord): void {
    const status = mandate.method === 'upi' ? 'confirmed' : 'initiated'
    mandate.token = { id: this.newId('token'), paymentId: this.newId('pay'), status, toldConfirmedMs: null }
  }

  findToken = (tokenId: string): MandateRecord | undefined => [...this.mandates.values()].find(({ token }) => token?.id === tokenId)

  /** The debits of a loan whose outcome no bank has reported. */
  pendingDebits = (loanId: string): DebitRecord[] =>
    [...this.debits.values()].filter((debit) => debit.loanId === loanId && outcomeAt(debit, this.nowMs()) === null)

  payableLinks = (loanId: string): LinkRecord[] =>
    [...this.links.values()].filter((link) => link.loanId === loanId && isPayable(link, this.nowMs()))

  /** A request can be lost, and so can its answer after the effect. */
  private async answer<T>(work: () => T | Promise<T>): Promise<T | { kind: 'unknown'; reason: string }> {
    await nextTurn()
    const drawn = this.options.below(1_000)
    const unknown = { kind: 'unknown', reason: 'no answer' } as const
    if (this.isDown || drawn < this.faultsPerMille) return unknown
    const done = await work()
    return drawn < 2 * this.faultsPerMille ? unknown : done
  }

  readonly gateway: PaymentGateway = {
    createLink: ({ reference, amountPaise, expiresAt }) =>
      this.answer(async () => {
        const loanId = await this.options.observer.loanOfLink(reference)
        this.options.observer.linkRequested(loanId, this.nowMs())
        const link: LinkRecord = {
          id: this.newId('plink'),
          reference,
          loanId,
          amountPaise,
          expiresMs: expiresAt.getTime(),
          isCancelled: false,
          payments: [],
        }
        this.links.set(link.id, link)
        return { kind: 'created', link: this.linkSnapshot(link) }
      }),
    findLinkByReference: (reference) => this.foundLink([...this.links.values()].find((link) => link.reference === reference)),
    fetchLink: (id) => this.foundLink(this.links.get(id)),
    cancelLink: (id) =>
      this.answer(() => {
        const link = this.links.get(id)
        if (!link || !isPayable(link, this.nowMs())) return { kind: 'not_cancellable' }
        link.isCancelled = true
        return { kind: 'cancelled', link: this.linkSnapshot(link) }
      }),
    fetchPayment: () => this.answer(() => ({ kind: 'absent' })),
    paymentsBetween: () => this.answer(() => ({ kind: 'found', payments: [] })),
    refundPayment: ({ providerPaymentId, amountPaise, refundId, tryNumber, key }) =>
      this.answer(() => {
        const money = this.findMoney(providerPaymentId)
        if (!money) return { kind: 'refused', reason: 'The id provided does not exist' }
        let refund = money.refunds.find((one) => one.key === key)
        if (!refund) {
          if (refundedOf(money) + amountPaise > money.amountPaise) return { kind: 'refused', reason: 'The payment has been fully refunded' }
          refund = { id: this.newId('rfnd'), key, refundId, tryNumber, amountPaise, createdMs: this.nowMs() }
          money.refunds.push(refund)
        }
        return { kind: 'accepted', refund: toRefund(money, refund) }
      }),
    refundsOf: (id) =>
      this.answer(() => {
        const money = this.findMoney(id)
        return { kind: 'found', refunds: money ? money.refunds.map((refund) => toRefund(money, refund)) : [] }
      }),
    settlementLinesOf: () => this.answer(() => ({ kind: 'found', lines: [] })),
    fetchSettlement: () => Promise.resolve({ kind: 'unknown', reason: 'there are no settlements' }),

    createRegistration: ({ reference, method, maximumPaise, expiresAt }) =>
      this.answer(() => {
        const mandate: MandateRecord = {
          invoiceId: this.newId('inv'),
          orderId: this.newId('order'),
          customerId: this.newId('cust'),
          reference,
          method,
          maximumPaise,
          expiresMs: expiresAt.getTime(),
          isCancelled: false,
          token: null,
        }
        this.mandates.set(mandate.invoiceId, mandate)
        return { kind: 'created', registration: this.registrationOf(mandate) }
      }),
    findRegistration: (reference) => this.foundRegistration([...this.mandates.values()].find((one) => one.reference === reference)),
    fetchRegistration: (id) => this.foundRegistration(this.mandates.get(id)),
    cancelRegistration: (id) =>
      this.answer(() => {
        const mandate = this.mandates.get(id)
        if (!mandate || this.registrationOf(mandate).status !== 'issued')
          return { kind: 'refused', reason: 'Only an issued link is cancelled' }
        mandate.isCancelled = true
        return { kind: 'cancelled', registration: this.registrationOf(mandate) }
      }),
    fetchToken: (_customer, id) =>
      this.answer(() => {
        const mandate = this.findToken(id)
        if (mandate?.token?.status === 'confirmed') mandate.token.toldConfirmedMs = this.nowMs()
        return mandate ? { kind: 'found', token: toToken(mandate) } : { kind: 'absent' }
      }),
    endToken: (_method, _customer, id) =>
      this.answer(() => {
        const token = this.findToken(id)?.token
        if (!token) return { kind: 'absent' }
        token.status = 'cancelled'
        return { kind: 'accepted' }
      }),
    createDebitOrder: ({ reference, amountPaise, notification }) =>
      this.answer(() => {
        const order: OrderRecord = {
          id: this.newId('order'),
          receipt: reference,
          amountPaise,
          tokenId: notification?.tokenId ?? null,
          // One of twenty notifications reaches nobody.
          deliveredMs: notification === null || this.options.below(20) === 0 ? null : this.nowMs() + this.options.below(120) * 60_000,
        }
        this.orders.set(order.id, order)
        return { kind: 'created', order: this.orderSnapshot(order) }
      }),
    findDebitOrder: (reference) => this.foundOrder([...this.orders.values()].findLast(({ receipt }) => receipt === reference)),
    fetchDebitOrder: (id) => this.foundOrder(this.orders.get(id)),
    requestDebit: ({ orderId, tokenId }) =>
      this.answer(async () => {
        const [order, mandate] = [this.orders.get(orderId), this.findToken(tokenId)]
        if (!order || !mandate) return { kind: 'refused', reason: 'The id provided does not exist' }
        const requestedMs = this.nowMs()
        const named = await this.options.observer.debitRequested(order, mandate, requestedMs)
        return { kind: 'requested', paymentId: this.addDebit(order, mandate, named, requestedMs).money.id }
      }),
    debitsOfOrder: (id) =>
      this.answer(() => ({
        kind: 'found',
        debits: [...this.debits.values()].filter(({ orderId }) => orderId === id).map((debit) => this.debitSnapshot(debit)),
      })),
    fetchDebit: (id) =>
      this.answer(() => {
        const debit = this.debits.get(id)
        if (debit) return { kind: 'found', debit: this.debitSnapshot(debit) }
        const mandate = [...this.mandates.values()].find(({ token }) => token?.paymentId === id)
        return mandate ? { kind: 'found', debit: approvalOf(mandate) } : { kind: 'absent' }
      }),
    listDisputes: () =>
      this.answer(() => ({
        kind: 'found',
        disputes: [...this.debits.values()]
          .filter((debit) => isReturned(debit, this.nowMs()))
          .map(({ money }) => ({
            disputeId: money.id.replace('pay_', 'disp_'),
            paymentId: money.id,
            amountPaise: money.amountPaise,
            isLost: true,
            reason: 'debit_returned',
          })),
      })),
  }

  private addDebit(order: OrderRecord, mandate: MandateRecord, named: { loanId: string; dueOn: string }, requestedMs: number): DebitRecord {
    const { below } = this.options
    const drawn = drawOutcomes(below, mandate.method, requestedMs)
    const isPaused = mandate.token?.status !== 'confirmed'
    const refusal = [{ fromMs: requestedMs + 60_000, status: 'failed', reason: 'mandate_paused' } as const]
    const amountPaise = drawn.wrongAmount ? paise(order.amountPaise - BigInt(1 + below(9)) * 10_000n) : order.amountPaise
    const debit: DebitRecord = {
      money: { id: this.newId('pay'), amountPaise: amountPaise > 0n ? amountPaise : order.amountPaise, paidMs: requestedMs, refunds: [] },
      orderId: order.id,
      mandate,
      ...named,
      requestedMs,
      outcomes: isPaused ? refusal : drawn.outcomes,
      returnedMs: isPaused ? null : drawn.returnedMs,
    }
    this.debits.set(debit.money.id, debit)
    return debit
  }

  private findMoney = (id: string): MoneyRecord | undefined =>
    this.debits.get(id)?.money ?? [...this.links.values()].flatMap(({ payments }) => payments).find((money) => money.id === id)

  private foundLink = (link: LinkRecord | undefined) =>
    this.answer(() => (link ? ({ kind: 'found', link: this.linkSnapshot(link) } as const) : ({ kind: 'absent' } as const)))
  private foundRegistration = (mandate: MandateRecord | undefined) =>
    this.answer(() => (mandate ? ({ kind: 'found', registration: this.registrationOf(mandate) } as const) : ({ kind: 'absent' } as const)))
  private foundOrder = (order: OrderRecord | undefined) =>
    this.answer(() => (order ? ({ kind: 'found', order: this.orderSnapshot(order) } as const) : ({ kind: 'absent' } as const)))

  private linkSnapshot(link: LinkRecord): LinkSnapshot {
    const isOver = this.nowMs() >= link.expiresMs
    const status = link.payments.length > 0 ? 'paid' : link.isCancelled ? 'cancelled' : isOver ? 'expired' : 'created'
    return {
      paymentLinkId: link.id,
      reference: link.reference,
      status,
      amountPaise: link.amountPaise,
      redirectUrl: `http://localhost/i/${link.id}`,
      payments: link.payments.map(toPayment),
    }
  }

  private registrationOf(mandate: MandateRecord): RegistrationSnapshot {
    const { invoiceId, orderId, customerId, reference, token, isCancelled, expiresMs } = mandate
    const isOver = this.nowMs() >= expiresMs
    return {
      invoiceId,
      orderId,
      customerId,
      reference,
      redirectUrl: `http://localhost/i/${invoiceId}`,
      status: token ? 'paid' : isCancelled ? 'cancelled' : isOver ? 'expired' : 'issued',
      paymentId: token?.paymentId ?? null,
    }
  }

  private orderSnapshot({ id, receipt, amountPaise, tokenId, deliveredMs }: OrderRecord): DebitOrder {
    const isDelivered = deliveredMs !== null && deliveredMs <= this.nowMs()
    return {
      orderId: id,
      reference: receipt,
      amountPaise,
      notification:
        tokenId === null
          ? null
          : { status: isDelivered ? 'delivered' : 'pending', deliveredAt: isDelivered ? new Date(deliveredMs) : null },
    }
  }

  private debitSnapshot(debit: DebitRecord): Debit {
    const outcome = outcomeAt(debit, this.nowMs())
    return {
      paymentId: debit.money.id,
      amountPaise: debit.money.amountPaise,
      status: outcome?.status ?? 'pending',
      reason: outcome?.reason ?? null,
      tokenId: debit.mandate.token?.id ?? null,
      customerId: debit.mandate.customerId,
      payment: outcome?.status === 'captured' ? { ...toPayment(debit.money), paidAt: new Date(outcome.fromMs) } : null,
    }
  }
}

const toPayment = (money: MoneyRecord): CapturedOrRefundedPayment => ({
  providerPaymentId: money.id,
  amountPaise: money.amountPaise,
  currency: 'INR',
  captured: true,
  refundedPaise: refundedOf(money),
  method: 'upi',
  instrument: 'success@razorpay',
  bankReference: money.id.slice(-12),
  feePaise: zeroPaise,
  taxPaise: zeroPaise,
  paidAt: new Date(money.paidMs),
})

const toRefund = (money: MoneyRecord, refund: MoneyRecord['refunds'][number]): ProviderRefund => ({
  providerRefundId: refund.id,
  providerPaymentId: money.id,
  amountPaise: refund.amountPaise,
  status: 'processed',
  refundId: refund.refundId,
  tryNumber: refund.tryNumber,
  bankReference: refund.id.slice(-12),
  createdAt: new Date(refund.createdMs),
})

const toToken = ({ customerId, method, token }: MandateRecord): TokenSnapshot => ({
  tokenId: token?.id ?? '',
  customerId,
  status: token?.status ?? null,
  upiHandle: method === 'upi' ? '@razorpay' : null,
  expiresAt: null,
})

/** The payment by which a mandate was approved: ₹1, or nothing for an eMandate. */
const approvalOf = ({ method, customerId, token }: MandateRecord): Debit => ({
  paymentId: token?.paymentId ?? '',
  amountPaise: (method === 'upi' ? paise(100n) : zeroPaise) as Paise,
  status: 'captured',
  reason: null,
  tokenId: token?.id ?? null,
  customerId,
  payment: null,
})
