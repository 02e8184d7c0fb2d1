import type Razorpay from 'razorpay'
import type {
  CancelOutcome,
  CreateOutcome,
  FindOutcome,
  LinkRequest,
  LinkSnapshot,
  PaymentGateway,
  TakenPayment,
} from './payment-gateway.ts'
import {
  isAbsent,
  isRefusal,
  razorpayClient,
  reasonOf,
  rejectionOf,
  type RazorpayRejection,
  type RazorpaySettings,
} from './razorpay-client.ts'
import { isTaken, linkCollection, linkEntity, listedPaymentOf, paymentEntity, referenceNote, takenPaymentIds } from './razorpay-entities.ts'
import { moneyCalls } from './razorpay-money.ts'

type LinkParameters = Parameters<Razorpay['paymentLink']['create']>[0]

/** Payment links by Razorpay. The sandbox and the real provider differ only in the settings. */
export function razorpayGateway(settings: RazorpaySettings): PaymentGateway {
  const client = razorpayClient(settings)

  const findLinkByReference = (reference: string): Promise<FindOutcome> =>
    ask(async () => {
      const answer = linkCollection.parse(await client.paymentLink.all({ reference_id: reference } as never))
      const links = await Promise.all(answer.payment_links.map((link) => snapshotOf(client, link)))
      const link = links.find((candidate) => candidate.reference === reference)
      return link ? { kind: 'found', link } : { kind: 'absent' }
    })

  return {
    ...moneyCalls(client),
    findLinkByReference,

    async createLink(request: LinkRequest): Promise<CreateOutcome> {
      try {
        return { kind: 'created', link: await snapshotOf(client, await client.paymentLink.create(parametersOf(request))) }
      } catch (error) {
        const rejection = rejectionOf(error)
        if (isReferenceTaken(rejection)) {
          const earlier = await findLinkByReference(request.reference)
          return earlier.kind === 'found'
            ? { kind: 'created', link: earlier.link }
            : { kind: 'unknown', reason: 'made before, not found now' }
        }
        return isRefusal(rejection) ? { kind: 'refused', reason: reasonOf(rejection) } : { kind: 'unknown', reason: reasonOf(rejection) }
      }
    },

    fetchLink: (paymentLinkId) =>
      ask(async () => ({ kind: 'found', link: await snapshotOf(client, await client.paymentLink.fetch(safeLinkId(paymentLinkId))) })),

    async cancelLink(paymentLinkId): Promise<CancelOutcome> {
      try {
        return { kind: 'cancelled', link: await snapshotOf(client, await client.paymentLink.cancel(safeLinkId(paymentLinkId))) }
      } catch (error) {
        const rejection = rejectionOf(error)
        return isRefusal(rejection) ? { kind: 'not_cancellable' } : { kind: 'unknown', reason: reasonOf(rejection) }
      }
    },
  }
}

async function ask(work: () => Promise<FindOutcome>): Promise<FindOutcome> {
  try {
    return await work()
  } catch (error) {
    const rejection = rejectionOf(error)
    return isAbsent(rejection) ? { kind: 'absent' } : { kind: 'unknown', reason: reasonOf(rejection) }
  }
}

/**
 * A link with the payments it took; each is fetched by itself, since the link does not tell when and how it was paid.
 * A payment whose details cannot be had yet is left out: that the link is paid is known all the same, and the sweeper
 * asks for the payment again.
 */
async function snapshotOf(client: Razorpay, answer: unknown): Promise<LinkSnapshot> {
  const link = linkEntity.parse(answer)
  const payments = await Promise.all(takenPaymentIds(link).map((paymentId) => fetchPayment(client, paymentId)))
  return {
    paymentLinkId: link.id,
    reference: link.reference_id,
    status: link.status,
    amountPaise: link.amount,
    redirectUrl: link.short_url,
    payments: payments.filter((payment) => payment !== null).sort((one, other) => one.paidAt.getTime() - other.paidAt.getTime()),
  }
}

async function fetchPayment(client: Razorpay, paymentId: string): Promise<TakenPayment | null> {
  try {
    const payment = paymentEntity.parse(await client.payments.fetch(paymentId))
    return isTaken(payment) ? listedPaymentOf(payment) : null
  } catch {
    return null
  }
}

function parametersOf({ reference, amountPaise, description, callbackUrl, expiresAt }: LinkRequest): LinkParameters {
  return {
    amount: Number(amountPaise),
    currency: 'INR',
    accept_partial: false,
    description,
    reference_id: reference,
    expire_by: Math.floor(expiresAt.getTime() / 1_000),
    callback_url: callbackUrl,
    notes: { [referenceNote]: reference },
    callback_method: 'get',
    notify: { sms: false, email: false },
    reminder_enable: false,
  } as unknown as LinkParameters
}

/** The SDK puts the id into the path as it is. */
function safeLinkId(paymentLinkId: string): string {
  if (!/^plink_[A-Za-z0-9]{14}$/.test(paymentLinkId)) throw new Error(`Not a payment link id: ${paymentLinkId}`)
  return paymentLinkId
}

const isReferenceTaken = ({ error }: RazorpayRejection) =>
  error?.description === 'payment link creation with reference ID already attempted'
