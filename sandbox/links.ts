import type { Link, Order } from './entities.ts'
import { ProviderError, TEXT } from './errors.ts'
import type { LinkInput } from './link-input.ts'
import { deadlineOf, isOpen } from './link-state.ts'
import { record, type World } from './world.ts'

/** Makes a link; a reference id that any link ever had is refused. */
export function createLink(world: World, input: LinkInput): Link {
  if (input.reference_id && world.store.linkByReference(input.reference_id)) {
    throw new ProviderError(TEXT.referenceTaken, 'reference_id')
  }
  const now = world.clock.now()
  const link: Link = {
    ...input,
    id: world.chance.id('plink'),
    slug: world.chance.text(8),
    amount_paid: 0,
    expired_at: 0,
    cancelled_at: 0,
    created_at: now,
    updated_at: now,
    status: 'created',
    order_id: null,
    payments: null,
  }
  record(world, [['link', link]], [])
  return link
}

export function editLink(world: World, link: Link, input: Partial<LinkInput>): Link {
  if (link.status !== 'created' && link.status !== 'partially_paid') {
    throw new ProviderError(TEXT.updateState)
  }
  const holder = input.reference_id ? world.store.linkByReference(input.reference_id) : undefined
  if (holder && holder.id !== link.id) throw new ProviderError(TEXT.referenceTaken, 'reference_id')
  const edited: Link = { ...link, ...input, updated_at: world.clock.now() }
  record(world, [['link', edited]], [])
  return edited
}

export function cancelLink(world: World, link: Link): Link {
  if (link.status === 'paid' || link.status === 'partially_paid') {
    throw new ProviderError(TEXT.cancelPaid)
  }
  // The provider answers this for an already cancelled link too.
  if (link.status !== 'created') throw new ProviderError(TEXT.cancelExpired)
  const now = world.clock.now()
  const cancelled: Link = { ...link, status: 'cancelled', cancelled_at: now, updated_at: now }
  record(world, [['link', cancelled]], [{ event: 'payment_link.cancelled', link: cancelled }])
  return cancelled
}

/** Whether the page still takes money: the page looks at the clock, not at the sweeper. */
export function isPayable(world: World, link: Link): boolean {
  return isOpen(link) && world.clock.now() < deadlineOf(link)
}

/** Expires a link at once, whatever its deadline. */
export function expireLink(world: World, link: Link): Link {
  if (link.status === 'paid') throw new ProviderError(TEXT.cancelPaid)
  if (!isOpen(link)) throw new ProviderError(TEXT.cancelExpired)
  const now = world.clock.now()
  const expired: Link = { ...link, status: 'expired', expired_at: now, updated_at: now }
  record(world, [['link', expired]], [{ event: 'payment_link.expired', link: expired }])
  return expired
}

/** The link with its order; the order is made when the customer first opens the page or pays. */
export function openOrder(world: World, asked: Link): { link: Link; order: Order } {
  // Another attempt may have opened it since the caller looked.
  const link = world.store.get('link', asked.id) ?? asked
  const existing = world.store.get('order', link.order_id ?? '')
  if (existing) return { link, order: existing }
  const order: Order = {
    id: world.chance.id('order'),
    link_id: link.id,
    amount: link.amount,
    amount_paid: 0,
    currency: link.currency,
    receipt: link.reference_id,
    status: 'created',
    attempts: 0,
    notes: link.notes,
    created_at: world.clock.now(),
  }
  const opened: Link = { ...link, order_id: order.id }
  record(
    world,
    [
      ['link', opened],
      ['order', order],
    ],
    [],
  )
  return { link: opened, order }
}
