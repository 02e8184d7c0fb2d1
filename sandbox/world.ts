import type { Chance } from './chance.ts'
import type { Clock } from './clock.ts'
import type { SandboxConfig } from './config.ts'
import type { Change } from './entities.ts'
import type { Faults } from './faults.ts'
import type { Store } from './store.ts'
import type { NewEvent } from './events.ts'
import { eventChanges } from './events.ts'
import type { Deliverer } from './deliver.ts'

/** What every handler can reach. */
export type World = {
  readonly config: SandboxConfig
  /** Origin of the hosted pages. */
  readonly publicUrl: string
  readonly store: Store
  readonly clock: Clock
  readonly chance: Chance
  readonly faults: Faults
  readonly deliverer: Deliverer
  /** Idempotency keys of refunds that are being answered. */
  readonly refundKeysUnderWay: Set<string>
}

/** Stores changes and the events they cause as one, then sends the events. */
export function record(world: World, changes: readonly Change[], events: readonly NewEvent[]): void {
  const caused = eventChanges(world, events)
  world.store.commit([...changes, ...caused])
  world.deliverer.enqueue(caused.flatMap(([kind, record]) => (kind === 'delivery' ? [record] : [])))
}
