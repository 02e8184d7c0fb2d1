import type { Link, Order } from './entities.ts'
import { ProviderError, providerTexts } from './errors.ts'
import type { LinkInput } from './link-input.ts'
import { deadlineOf, isOpen } from './link-state.ts'
import { commitChanges, type SandboxContext } from './context.ts'

/** Creates a link. Refuses a reference id that any link has ever had. */
export function createLink(context: SandboxContext, input: LinkInput): Link {
  if (input.reference_id && context.store.linkByReference(input.reference_id)) {
    throw new ProviderError(providerTexts.referenceTaken, 'reference_id')
  }
  const now = context.clock.now()
  const link: Link = {
    ...input,
    id: context.chance.id('plink'),
    slug: context.chance.text(8),
    amount_paid: 0,
    expired_at: 0,
    cancelled_at: 0,
    created_at: now,
    updated_at: now,
    status: 'created',
    order_id: null,
    payments: null,
  }
  commitChanges(context, [['link', link]], [])
  return link
}

export function editLink(context: SandboxContext, link: Link, input: Partial<LinkInput>): Link {
  if (link.status !== 'created' && link.status !== 'partially_paid') {
    throw new ProviderError(providerTexts.updateState)
  }
  const holder = input.reference_id ? context.store.linkByReference(input.reference_id) : undefined
  if (holder && holder.id !== link.id) throw new ProviderError(providerTexts.referenceTaken, 'reference_id')
  const edited: Link = { ...link, ...input, updated_at: context.clock.now() }
  commitChanges(context, [['link', edited]], [])
  return edited
}

export function cancelLink(context: SandboxContext, link: Link): Link {
  if (link.status === 'paid' || link.status === 'partially_paid') {
    throw new ProviderError(providerTexts.cancelPaid)
  }
  // The provider answers this for an already cancelled link too.
  if (link.status !== 'created') throw new ProviderError(providerTexts.cancelExpired)
  const now = context.clock.now()
  const cancelled: Link = { ...link, status: 'cancelled', cancelled_at: now, updated_at: now }
  commitChanges(context, [['link', cancelled]], [{ event: 'payment_link.cancelled', link: cancelled }])
  return cancelled
}

/**
 * Whether the page accepts a payment: by the clock, before the sweep has marked the link as
 * expired.
 */
export function isPayable(context: SandboxContext, link: Link): boolean {
  return isOpen(link) && context.clock.now() < deadlineOf(link)
}

/** Expires a link at once, whatever its deadline. */
export function expireLink(context: SandboxContext, link: Link): Link {
  if (link.status === 'paid') throw new ProviderError(providerTexts.cancelPaid)
  if (!isOpen(link)) throw new ProviderError(providerTexts.cancelExpired)
  const now = context.clock.now()
  const expired: Link = { ...link, status: 'expired', expired_at: now, updated_at: now }
  commitChanges(context, [['link', expired]], [{ event: 'payment_link.expired', link: expired }])
  return expired
}

/** The link with its order; the order is made when the customer first opens the page or pays. */
export function openOrder(context: SandboxContext, asked: Link): { link: Link; order: Order } {
  // Another attempt may have created it since the caller read the link.
  const link = context.store.get('link', asked.id) ?? asked
  const existing = context.store.get('order', link.order_id ?? '')
  if (existing) return { link, order: existing }
  const order: Order = {
    id: context.chance.id('order'),
    link_id: link.id,
    amount: link.amount,
    amount_paid: 0,
    currency: link.currency,
    receipt: link.reference_id,
    status: 'created',
    attempts: 0,
    notes: link.notes,
    created_at: context.clock.now(),
  }
  const opened: Link = { ...link, order_id: order.id }
  commitChanges(
    context,
    [
      ['link', opened],
      ['order', order],
    ],
    [],
  )
  return { link: opened, order }
}
