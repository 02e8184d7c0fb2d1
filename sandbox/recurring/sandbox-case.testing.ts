import type { SandboxOptions } from '../sandbox.ts'
import type { Stage } from './stage.testing.ts'

/**
 * A case of the contract that only the sandbox runs: why, title, the case itself, and the sandbox's
 * settings and its first moment in India where they matter.
 */
export type SandboxCase = readonly [
  why: string,
  title: string,
  run: (stage: Stage) => Promise<void>,
  more?: { readonly options?: Partial<SandboxOptions>; readonly at?: string },
]

// Why the provider cannot run a case.
export const needsPerson = 'a mandate is approved by a person, in a UPI app or on the page of a bank'
export const takesDays = 'the answer comes after a day or more'
export const cannotBeOrdered = 'test mode has no call that orders this outcome'

/** The events of a paid registration link. */
export const registeredEvents = ['payment.authorized', 'payment.captured', 'order.paid', 'invoice.paid']
