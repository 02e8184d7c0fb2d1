import type { Payment } from './payments-controller.ts'

/** A press of 'Make payment', by the key under which the server knows it (decision 52). */
export type Press = { key: string; order: string }

/** Pressed again for the same order while nobody knows what became of the first press, it is still that press. */
export function pressFor(payment: Payment, unheard: Press | null, newKey: () => string): Press {
  const order = `${payment.purpose} ${payment.amount}`
  return unheard?.order === order ? unheard : { key: newKey(), order }
}
