import type Razorpay from 'razorpay'
import * as z from 'zod/mini'
import {
  absentOrUnknown,
  isAbsent,
  isRefusal,
  formatReason,
  readRejection,
  unknownOnError,
  type RazorpayRejection,
} from './razorpay-client.ts'
import {
  checkId,
  collection,
  idOf,
  isCapturedOrRefunded,
  optionalText,
  paymentEntity,
  paiseNumber,
  referenceNote,
  toListedPayment,
} from './razorpay-entities.ts'
import type { Refused, Unknown } from './payment-gateway.ts'
import { readAllPages } from './razorpay-money.ts'
import type {
  Debit,
  DebitOrder,
  Dispute,
  RecurringGateway,
  RegistrationRequest,
  RegistrationSnapshot,
  TokenSnapshot,
} from './recurring-gateway.ts'

const optionalSeconds = z.optional(z.nullable(z.int()))
/** An unknown value becomes null. */
const knownStatus = <const Known extends string>(known: readonly Known[]) =>
  z.pipe(
    z.string(),
    z.transform((status): Known | null => known.find((one) => one === status) ?? null),
  )

/** A registration link, which the provider calls an invoice. */
const invoiceEntity = z.object({
  id: idOf('inv'),
  receipt: optionalText,
  status: knownStatus(['issued', 'paid', 'expired', 'cancelled']),
  order_id: idOf('order'),
  customer_id: idOf('cust'),
  short_url: z.url({ protocol: /^https?$/ }),
  payment_id: optionalText,
})

const tokenStatuses: Readonly<Record<string, TokenSnapshot['status']>> = {
  initiated: 'initiated',
  confirmed: 'confirmed',
  resumed: 'confirmed',
  rejected: 'rejected',
  paused: 'paused',
  cancellation_initiated: 'cancelling',
  cancelled: 'cancelled',
}
/** The fields of a token that Kist uses; not its bank details, with the account number. */
const tokenEntity = z.object({
  id: idOf('token'),
  recurring_details: z.object({ status: z.nullable(z.string()) }),
  vpa: z.optional(z.nullable(z.object({ handle: optionalText }))),
  expired_at: optionalSeconds,
})

const orderEntity = z.object({
  id: idOf('order'),
  amount: paiseNumber,
  receipt: optionalText,
  notification: z.optional(
    z.nullable(
      z.object({ status: z.optional(z.nullable(knownStatus(['pending', 'delivered', 'failed']))), delivered_at: optionalSeconds }),
    ),
  ),
})

const debitEntity = z.extend(paymentEntity, { error_reason: optionalText, token_id: optionalText, customer_id: optionalText })

const disputeEntity = z.object({
  id: z.string(),
  payment_id: z.string(),
  amount: paiseNumber,
  status: z.string(),
  reason_code: optionalText,
})

/** The most that the provider lists at once. */
const disputesOfPage = 100

/** The calls for mandates and debits. */
export const createRecurringCalls = (client: Razorpay): RecurringGateway => ({
  ...createTokenCalls(client),
  ...createOrderCalls(client),
  ...createDebitCalls(client),
})

const findNewest = async <T>(list: () => PromiseLike<unknown>, read: (item: unknown) => T, isWanted: (found: T) => boolean) =>
  collection
    .parse(await list())
    .items.map(read)
    .find(isWanted)

type TokenCall = 'createRegistration' | 'findRegistration' | 'fetchRegistration' | 'cancelRegistration' | 'fetchToken' | 'endToken'

/** Registrations of mandates, and the tokens that they become. */
function createTokenCalls(client: Razorpay): Pick<RecurringGateway, TokenCall> {
  return {
    createRegistration: (request) =>
      answerOf(async () => ({
        kind: 'created',
        registration: toRegistration(await client.subscriptions.createRegistrationLink(toRegistrationParameters(request))),
      })),

    findRegistration: (reference) =>
      catchAbsent(async () => {
        const list = () => client.invoices.all({ receipt: reference } as never)
        const registration = await findNewest(list, toRegistration, (found) => found.reference === reference)
        return registration ? { kind: 'found', registration } : { kind: 'absent' }
      }),

    fetchRegistration: (invoiceId) =>
      catchAbsent(async () => ({ kind: 'found', registration: toRegistration(await client.invoices.fetch(checkId('inv', invoiceId))) })),

    cancelRegistration: (invoiceId) =>
      answerOf(async () => ({ kind: 'cancelled', registration: toRegistration(await client.invoices.cancel(checkId('inv', invoiceId))) })),

    fetchToken: (customerId, tokenId) =>
      catchAbsent(async () => {
        const token = await client.customers.fetchToken(checkId('cust', customerId), checkId('token', tokenId))
        return { kind: 'found', token: toToken(token, customerId) }
      }),

    endToken: async (method, customerId, tokenId) => {
      const ids = [checkId('cust', customerId), checkId('token', tokenId)] as const
      const outcome = await answerOf(async () => {
        // Deleting a UPI token only makes the provider forget it: the mandate would live on.
        if (method === 'upi') await put(client, `/customers/${ids[0]}/tokens/${ids[1]}/cancel`)
        else await client.customers.deleteToken(...ids)
        return { kind: 'accepted' }
      })
      return outcome.kind === 'refused' && outcome.isAbsent ? { kind: 'absent' } : outcome
    },
  }
}

type OrderCall = 'createDebitOrder' | 'findDebitOrder' | 'fetchDebitOrder'

function createOrderCalls(client: Razorpay): Pick<RecurringGateway, OrderCall> {
  return {
    createDebitOrder: ({ reference, amountPaise, notification, namesToken }) =>
      answerOf(async () => {
        const answer = await client.orders.create({
          amount: Number(amountPaise),
          currency: 'INR',
          payment_capture: true,
          receipt: reference,
          notes: { [referenceNote]: reference },
          ...(notification && {
            notification: { token_id: notification.tokenId, payment_after: Math.floor(notification.paymentAfter.getTime() / 1_000) },
            ...(namesToken && { token_id: notification.tokenId }),
          }),
        } as never)
        return { kind: 'created', order: toOrder(answer) }
      }),

    findDebitOrder: (reference) =>
      catchAbsent(async () => {
        const list = () => client.orders.all({ receipt: reference } as never)
        const order = await findNewest(list, toOrder, (found) => found.reference === reference)
        return order ? { kind: 'found', order } : { kind: 'absent' }
      }),

    fetchDebitOrder: (orderId) =>
      catchAbsent(async () => ({ kind: 'found', order: toOrder(await client.orders.fetch(checkId('order', orderId))) })),
  }
}

function createDebitCalls(client: Razorpay): Omit<RecurringGateway, TokenCall | OrderCall> {
  return {
    requestDebit: ({ orderId, tokenId, customerId, customer, amountPaise, reference, description }) =>
      answerOf(async () => {
        const answer = await client.payments.createRecurringPayment({
          email: customer.email,
          contact: customer.phone,
          amount: Number(amountPaise),
          currency: 'INR',
          order_id: checkId('order', orderId),
          customer_id: checkId('cust', customerId),
          token: checkId('token', tokenId),
          recurring: true,
          description,
          notes: { [referenceNote]: reference },
        } as never)
        return { kind: 'requested', paymentId: z.object({ razorpay_payment_id: idOf('pay') }).parse(answer).razorpay_payment_id }
      }),

    debitsOfOrder: (orderId) =>
      catchAbsent(async () => {
        const { items } = collection.parse(await client.orders.fetchPayments(checkId('order', orderId)))
        return { kind: 'found', debits: items.map(toDebit) }
      }),

    fetchDebit: (paymentId) =>
      catchAbsent(async () => ({ kind: 'found', debit: toDebit(await client.payments.fetch(checkId('pay', paymentId))) })),

    listDisputes: () =>
      unknownOnError(async () => {
        const disputes = await readAllPages(disputesOfPage, (page) => listDisputes(client, page))
        return { kind: 'found', disputes: disputes.map(toDispute) }
      }, withoutNumbers),
  }
}

type Outcome = { kind: string }

/** A malformed answer is unknown: the call has had its effect. */
async function answerOf<const Done extends Outcome>(
  work: () => Promise<Done>,
): Promise<Done | (Refused & { isAbsent: boolean }) | Unknown> {
  try {
    return await work()
  } catch (error) {
    const rejection = readRejection(error)
    const reason = withoutNumbers(rejection)
    return isRefusal(rejection) ? { kind: 'refused', reason, isAbsent: isAbsent(rejection) } : { kind: 'unknown', reason }
  }
}

/** The provider's text may repeat an account number. */
const withoutNumbers = (rejection: RazorpayRejection): string =>
  formatReason(rejection)
    .replaceAll(/\d{6,}/g, '…')
    .slice(0, 300)

const catchAbsent = <const Found extends Outcome>(work: () => Promise<Found>) => absentOrUnknown(work, withoutNumbers)

function toRegistrationParameters({ reference, customer, method, authType, account, maximumPaise, ...rest }: RegistrationRequest): never {
  const { description, expiresAt, endsAt } = rest
  const seconds = (at: Date) => Math.floor(at.getTime() / 1_000)
  const terms = { method, max_amount: Number(maximumPaise), expire_at: seconds(endsAt) }
  return {
    customer: { name: customer.name, email: customer.email, contact: customer.phone },
    type: 'link',
    amount: method === 'upi' ? 100 : 0,
    currency: 'INR',
    description,
    receipt: reference,
    expire_by: seconds(expiresAt),
    sms_notify: false,
    email_notify: false,
    notes: { [referenceNote]: reference },
    subscription_registration:
      account === null
        ? // A monthly mandate takes one debit a cycle and fails on its last day.
          { ...terms, frequency: 'as_presented' }
        : {
            ...terms,
            auth_type: authType,
            bank_account: {
              beneficiary_name: account.beneficiaryName,
              account_number: account.accountNumber,
              account_type: account.accountType,
              ifsc_code: account.ifsc,
            },
          },
  } as never
}

function toRegistration(answer: unknown): RegistrationSnapshot {
  const invoice = invoiceEntity.parse(answer)
  return {
    invoiceId: invoice.id,
    reference: invoice.receipt ?? '',
    status: invoice.status,
    orderId: invoice.order_id,
    customerId: invoice.customer_id,
    redirectUrl: invoice.short_url,
    paymentId: invoice.payment_id ?? null,
  }
}

function toToken(answer: unknown, customerId: string): TokenSnapshot {
  const token = tokenEntity.parse(answer)
  const handle = token.vpa?.handle
  return {
    tokenId: token.id,
    customerId,
    status: tokenStatuses[token.recurring_details.status ?? ''] ?? null,
    upiHandle: handle ? `@${handle}` : null,
    expiresAt: token.expired_at ? new Date(token.expired_at * 1_000) : null,
  }
}

function toOrder(answer: unknown): DebitOrder {
  const { id, amount, receipt, notification } = orderEntity.parse(answer)
  return {
    orderId: id,
    reference: receipt ?? '',
    amountPaise: amount,
    notification: notification
      ? {
          // The answer of the creation has no status yet.
          status: notification.status === undefined ? 'pending' : notification.status,
          deliveredAt: notification.delivered_at ? new Date(notification.delivered_at * 1_000) : null,
        }
      : null,
  }
}

const debitStatuses: Readonly<Record<string, Debit['status']>> = {
  created: 'pending',
  pending: 'pending',
  authorized: 'pending',
  captured: 'captured',
  refunded: 'captured',
  failed: 'failed',
}

function toDebit(answer: unknown): Debit {
  const payment = debitEntity.parse(answer)
  return {
    paymentId: payment.id,
    amountPaise: payment.amount,
    status: debitStatuses[payment.status] ?? null,
    reason: payment.error_reason ?? null,
    tokenId: payment.token_id ?? null,
    customerId: payment.customer_id ?? null,
    payment: isCapturedOrRefunded(payment) ? toListedPayment(payment) : null,
  }
}

function toDispute(answer: unknown): Dispute {
  const { id, payment_id, amount, status, reason_code } = disputeEntity.parse(answer)
  return { disputeId: id, paymentId: payment_id, amountPaise: amount, isLost: status === 'lost', reason: reason_code ?? '' }
}

type SdkApi = { put(request: { url: string }): Promise<unknown>; get(request: { url: string; data: object }): Promise<unknown> }

/** The SDK has no method for ending a UPI mandate. */
const put = (client: Razorpay, url: string): Promise<unknown> => (client.api as unknown as SdkApi).put({ url })

/** The SDK's types lack its own disputes. */
const listDisputes = (client: Razorpay, page: { count: number; skip: number }): Promise<unknown> =>
  (client.api as unknown as SdkApi).get({ url: '/disputes', data: page })
