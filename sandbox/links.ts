import type { Change, Link, Order } from './entities.ts'
import { ProviderError, TEXT } from './errors.ts'
import type { NewEvent } from './events.ts'
import { newId, randomText } from './ids.ts'
import { LINK_LIFE_MAX_S, type LinkInput } from './link-input.ts'
import { record, type World } from './world.ts'

/** Makes a link; a reference id that any link ever had is refused. */
export function createLink(world: World, input: LinkInput): Link {
  if (input.reference_id && world.store.linkByReference(input.reference_id)) {
    throw new ProviderError(TEXT.referenceTaken, 'reference_id')
  }
  const now = world.clock.now()
  const link: Link = {
    ...input,
    id: newId('plink'),
    slug: randomText(8),
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

/** When the link stops taking money, Unix seconds. */
export function deadlineOf(link: Link): number {
  return link.expire_by || link.created_at + LINK_LIFE_MAX_S
}

export function isOpen(link: Link): boolean {
  return link.status === 'created' || link.status === 'partially_paid'
}

/** Whether the page still takes money: the page looks at the clock, not at the sweeper. */
export function isPayable(world: World, link: Link): boolean {
  return isOpen(link) && world.clock.now() < deadlineOf(link)
}

/** Expires a link at once, whatever its deadline. */
export function expireLink(world: World, link: Link): Link {
  if (link.status === 'paid') throw new ProviderError(TEXT.cancelPaid)
  if (!isOpen(link)) throw new ProviderError(TEXT.cancelExpired)
  const expired = expiredLink(world, link)
  record(world, [['link', expired]], [{ event: 'payment_link.expired', link: expired }])
  return expired
}

/** Expires every link whose time has come. */
export function expireDueLinks(world: World): void {
  const now = world.clock.now()
  const expired = world.store
    .all('link')
    .filter((link) => isOpen(link) && deadlineOf(link) <= now)
    .map((link) => expiredLink(world, link))
  const events = expired.map((link): NewEvent => ({ event: 'payment_link.expired', link }))
  record(
    world,
    expired.map((link): Change => ['link', link]),
    events,
  )
}

function expiredLink(world: World, link: Link): Link {
  const now = world.clock.now()
  return { ...link, status: 'expired', expired_at: now, updated_at: now }
}

/** The link with its order; the order is made when the customer first opens the page or pays. */
export function openOrder(world: World, link: Link): { link: Link; order: Order } {
  const existing = world.store.get('order', link.order_id ?? '')
  if (existing) return { link, order: existing }
  const order: Order = {
    id: newId('order'),
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
