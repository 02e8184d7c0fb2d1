import type { MoneyContext } from '../context.ts'
import { isDatabaseUnavailable } from '../database/unavailable.ts'
import { collectFailures } from '../jobs/collect-failures.ts'

/** Each item waits for the provider most of its time. */
const itemsAtOnce = 8
const errorWaitMs = 60_000

type Steps<Item> = {
  /** The plural of the items, for the error. */
  items: string
  check: (item: Item) => Promise<void>
  /** Stores when the item is due again. */
  postpone: (item: Item, until: Date) => Promise<void>
  logError: (error: unknown, item: Item) => void
}

/**
 * Checks items that are due, a few at a time. One with an error is due again a minute later, so
 * that it does not keep the others waiting.
 *
 * @returns the number of items.
 * @throws Error at the end if some items had an error; at once if the whole database is
 * unavailable.
 */
export async function checkEach<Item>({ clock }: Pick<MoneyContext, 'clock'>, items: readonly Item[], steps: Steps<Item>): Promise<number> {
  const waiting = [...items]
  const failures = collectFailures()
  const checkOne = async (item: Item): Promise<void> => {
    try {
      await steps.check(item)
    } catch (error) {
      failures.add(error)
      steps.logError(error, item)
      // A node that is away cannot store it, and its items are not found while it is.
      if (!isDatabaseUnavailable(error)) await steps.postpone(item, new Date(clock.now().getTime() + errorWaitMs))
    }
  }
  const checkNext = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await checkOne(item)
  }
  await Promise.all(Array.from({ length: Math.min(itemsAtOnce, items.length) }, checkNext))
  failures.throwIfAny(items.length, `${steps.items} could not be checked`)
  return items.length
}
