import type { Link, Payment, Refund } from './entities.ts'
import { expireLink } from './links.ts'
import { comeTrue } from './payments.ts'
import { endRefund } from './refunds.ts'
import type { Due } from './store.ts'
import type { World } from './world.ts'

/** Everything that happens because time has passed; called a few times a second and whenever the clock is moved. */
export function passTime(world: World): void {
  const { store, clock } = world
  for (let due = store.takeDue(clock.nowMs()); due; due = store.takeDue(clock.nowMs())) {
    try {
      comeDue(world, due)
    } catch (error) {
      store.putBack(due)
      throw error
    }
  }
  world.deliverer.sendDue()
}

function comeDue(world: World, { kind, id }: Due): void {
  const record = world.store.get(kind, id)
  if (kind === 'link') expireLink(world, record as Link)
  if (kind === 'payment') comeTrue(world, record as Payment)
  if (kind === 'refund') endRefund(world, record as Refund, (record as Refund).planned?.to ?? 'processed')
}
