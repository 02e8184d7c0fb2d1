import type { PaymentGateway } from './payment-gateway.ts'

export type ProviderCall = keyof PaymentGateway

/** Runs `work`, which calls the provider, and records its duration and outcome. */
export type Measure = <T extends { kind: string }>(call: ProviderCall, work: () => Promise<T>) => Promise<T>

/** Wraps a gateway so that each call goes wrap `measure`. */
export function measureGateway(gateway: PaymentGateway, measure: Measure): PaymentGateway {
  const wrap = ([call, ask]: [string, (...given: never[]) => Promise<{ kind: string }>]) => [
    call,
    (...given: never[]) => measure(call as ProviderCall, () => ask(...given)),
  ]
  return Object.fromEntries(Object.entries(gateway).map((entry) => wrap(entry as Parameters<typeof wrap>[0]))) as PaymentGateway
}
