import type { Chance } from './chance.ts'
import type { Clock } from './clock.ts'
import type { SandboxConfig } from './config.ts'
import type { Change } from './entities.ts'
import type { Faults } from './faults.ts'
import type { Store } from './store.ts'
import type { NewEvent } from './events.ts'
import { eventChanges } from './events.ts'
import type { Deliverer } from './deliver.ts'
import type { NextOutcomes } from './recurring/next-outcomes.ts'
import type { Holidays } from './recurring/working-days.ts'

/** What every handler receives. */
export type SandboxContext = {
  readonly config: SandboxConfig
  /** Origin of the hosted pages. */
  readonly publicUrl: string
  readonly store: Store
  readonly clock: Clock
  readonly chance: Chance
  readonly faults: Faults
  readonly deliverer: Deliverer
  readonly nextOutcomes: NextOutcomes
  readonly holidays: Holidays
  /** Idempotency keys of refund requests in progress. */
  readonly refundKeysUnderWay: Set<string>
}

/** Stores changes and their events in one write, then sends the events. */
export function commitChanges(context: SandboxContext, changes: readonly Change[], events: readonly NewEvent[]): void {
  const caused = eventChanges(context, events)
  context.store.commit([...changes, ...caused])
  context.deliverer.enqueue(caused.flatMap(([kind, record]) => (kind === 'delivery' ? [record] : [])))
}
