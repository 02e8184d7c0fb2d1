import type Razorpay from 'razorpay'
import type {
  CancelOutcome,
  CreateOutcome,
  FindOutcome,
  LinkRequest,
  LinkSnapshot,
  PaymentGateway,
  CapturedOrRefundedPayment,
  UnreadPayment,
} from './payment-gateway.ts'
import {
  absentOrUnknown,
  isRefusal,
  createRazorpayClient,
  formatReason,
  readRejection,
  type RazorpayRejection,
  type RazorpaySettings,
} from './razorpay-client.ts'
import {
  checkId,
  isCapturedOrRefunded,
  linkCollection,
  linkEntity,
  toListedPayment,
  paymentEntity,
  languageNote,
  referenceNote,
  listCapturedOrRefundedIds,
} from './razorpay-entities.ts'
import { createMoneyCalls } from './razorpay-money.ts'
import { createRecurringCalls } from './razorpay-recurring.ts'

type LinkParameters = Parameters<Razorpay['paymentLink']['create']>[0]

/** The payment gateway for Razorpay. The sandbox differs only in the settings. */
export function razorpayGateway(settings: RazorpaySettings): PaymentGateway {
  const client = createRazorpayClient(settings)

  const findLinkByReference = (reference: string): Promise<FindOutcome> =>
    absentOrUnknown(async () => {
      const answer = linkCollection.parse(await client.paymentLink.all({ reference_id: reference } as never))
      const links = await Promise.all(answer.payment_links.map((link) => readSnapshot(client, link)))
      const link = links.find((candidate) => candidate.reference === reference)
      return link ? { kind: 'found', link } : { kind: 'absent' }
    })

  return {
    ...createMoneyCalls(client),
    ...createRecurringCalls(client),
    findLinkByReference,

    async createLink(request: LinkRequest): Promise<CreateOutcome> {
      try {
        return { kind: 'created', link: await readSnapshot(client, await client.paymentLink.create(toLinkParameters(request))) }
      } catch (error) {
        const rejection = readRejection(error)
        if (isReferenceTaken(rejection)) {
          const earlier = await findLinkByReference(request.reference)
          return earlier.kind === 'found'
            ? { kind: 'created', link: earlier.link }
            : { kind: 'unknown', reason: 'created before, but not found' }
        }
        return isRefusal(rejection)
          ? { kind: 'refused', reason: formatReason(rejection) }
          : { kind: 'unknown', reason: formatReason(rejection) }
      }
    },

    fetchLink: (paymentLinkId) =>
      absentOrUnknown(async () => ({
        kind: 'found',
        link: await readSnapshot(client, await client.paymentLink.fetch(checkId('plink', paymentLinkId))),
      })),

    async cancelLink(paymentLinkId): Promise<CancelOutcome> {
      try {
        return { kind: 'cancelled', link: await readSnapshot(client, await client.paymentLink.cancel(checkId('plink', paymentLinkId))) }
      } catch (error) {
        const rejection = readRejection(error)
        return isRefusal(rejection) ? { kind: 'not_cancellable' } : { kind: 'unknown', reason: formatReason(rejection) }
      }
    },
  }
}

/**
 * Reads a link with its payments. Each payment is fetched, because the link lacks when and how it
 * was paid. A payment that cannot be fetched yet is omitted: the link's status is known anyway, and
 * the sweeper fetches the payment again.
 */
async function readSnapshot(client: Razorpay, answer: unknown): Promise<LinkSnapshot> {
  const link = linkEntity.parse(answer)
  const answers = await Promise.all(listCapturedOrRefundedIds(link).map((paymentId) => fetchPayment(client, paymentId)))
  const payments = answers.filter((answer) => answer !== null && 'paidAt' in answer)
  return {
    paymentLinkId: link.id,
    reference: link.reference_id,
    status: link.status,
    amountPaise: link.amount,
    redirectUrl: link.short_url,
    payments: payments.toSorted((one, other) => one.paidAt.getTime() - other.paidAt.getTime()),
    unread: answers.filter((answer) => answer !== null && 'reason' in answer),
  }
}

async function fetchPayment(client: Razorpay, paymentId: string): Promise<CapturedOrRefundedPayment | UnreadPayment | null> {
  try {
    const payment = paymentEntity.parse(await client.payments.fetch(paymentId))
    return isCapturedOrRefunded(payment) ? toListedPayment(payment) : null
  } catch (error) {
    return { providerPaymentId: paymentId, reason: formatReason(readRejection(error)) }
  }
}

function toLinkParameters({ reference, amountPaise, description, callbackUrl, expiresAt, language }: LinkRequest): LinkParameters {
  return {
    amount: Number(amountPaise),
    currency: 'INR',
    accept_partial: false,
    description,
    reference_id: reference,
    expire_by: Math.floor(expiresAt.getTime() / 1_000),
    callback_url: callbackUrl,
    notes: { [referenceNote]: reference, ...(language !== undefined && { [languageNote]: language }) },
    callback_method: 'get',
    notify: { sms: false, email: false },
    reminder_enable: false,
  } as unknown as LinkParameters
}

const isReferenceTaken = ({ error }: RazorpayRejection) =>
  error?.description === 'payment link creation with reference ID already attempted'
