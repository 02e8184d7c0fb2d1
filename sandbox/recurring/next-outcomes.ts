import type { MandatePayment } from './entities.ts'

/** How a debit that was ordered by hand ends. */
export type NextDebit = Pick<MandatePayment, 'outcome' | 'reason'> & {
  /** The receipt of its order; null is the next debit of any order. */
  readonly receipt: string | null
  /** Sandbox seconds until a late success or a return; null is the usual time. */
  readonly afterwardsSeconds: number | null
  /** Sandbox seconds by which the bank's first answer is late. */
  readonly delaySeconds: number
  /** The captured amount in paise where it differs from the asked one. */
  readonly amount: number | null
}

/** How a pre-debit notification that was ordered by hand ends. */
type NextNotification = {
  readonly outcome: 'delivered' | 'failed' | 'late'
  readonly receipt: string | null
  /** Sandbox seconds until then; null is the usual time. */
  readonly afterSeconds: number | null
}

/** Ordered outcomes, in memory only, as faults are. */
export class NextOutcomes {
  #debits: NextDebit[] = []
  #notifications: NextNotification[] = []

  addDebit(debit: NextDebit): void {
    this.#debits.push(debit)
  }

  addNotification(notification: NextNotification): void {
    this.#notifications.push(notification)
  }

  /** Removes and returns the first that is for this receipt or for any. */
  takeDebit(receipt: string): NextDebit | undefined {
    return take(this.#debits, receipt)
  }

  takeNotification(receipt: string): NextNotification | undefined {
    return take(this.#notifications, receipt)
  }

  list(): { readonly debits: readonly NextDebit[]; readonly notifications: readonly NextNotification[] } {
    return { debits: this.#debits, notifications: this.#notifications }
  }

  clear(): void {
    this.#debits = []
    this.#notifications = []
  }
}

function take<T extends { readonly receipt: string | null }>(ordered: T[], receipt: string): T | undefined {
  const at = ordered.findIndex((one) => one.receipt === null || one.receipt === receipt)
  return at === -1 ? undefined : ordered.splice(at, 1)[0]
}
