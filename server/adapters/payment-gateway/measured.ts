import type { PaymentGateway } from './payment-gateway.ts'

export type ProviderCall = keyof PaymentGateway

/** Does `work`, the provider's answer to `call`, and looks at it from outside: its time, what came of it. */
export type Measure = <T extends { kind: string }>(call: ProviderCall, work: () => Promise<T>) => Promise<T>

/** The same gateway, each of whose calls goes through `measure`. */
export function measured(gateway: PaymentGateway, measure: Measure): PaymentGateway {
  const through = ([call, ask]: [string, (...given: never[]) => Promise<{ kind: string }>]) => [
    call,
    (...given: never[]) => measure(call as ProviderCall, () => ask(...given)),
  ]
  return Object.fromEntries(Object.entries(gateway).map((entry) => through(entry as Parameters<typeof through>[0]))) as PaymentGateway
}
