import type { Browser } from 'playwright-core'
import { demoPhone } from '#testkit/demo-phone.ts'
import type { App } from '#testkit/start-app.ts'
import { keepSession } from './loan-page.ts'
import type { Benchmark } from './measure.ts'
import { median, newContext, visitSlowly, withPhone } from './slow-phone.ts'

const rounds = 7
const pages: readonly { path: string; phone: string | null }[] = [
  { path: '/login', phone: null },
  { path: '/active-loans', phone: demoPhone(1) },
  { path: '/active-loans/payments', phone: demoPhone(1) },
  { path: '/active-loans/documents', phone: demoPhone(1) },
  { path: '/users', phone: demoPhone(9) },
]

/**
 * The first paint of signed-in pages on a cheap phone with an empty cache, compared with the
 * login's. The session is the only thing that the phone has kept.
 */
export const coldFcpBenchmark: Benchmark = {
  name: 'cold-fcp',
  run: () =>
    withPhone({ town: true }, async ({ phone, app, origin }) => {
      const measured = pages.map((): number[] => [])
      // The first round only warms up.
      for (let round = 0; round <= rounds; round++)
        for (const [index, page] of pages.entries()) {
          const fcpMs = await visitCold(phone, app, origin, page)
          if (round > 0) measured[index]?.push(fcpMs)
        }
      const [login = [], ...signedIn] = measured
      return signedIn.map((ours, index) => lineOf(pages[index + 1]?.path ?? '', ours, login)).join('\n')
    }),
}

async function visitCold(phone: Browser, app: App, origin: string, { path, phone: number }: (typeof pages)[number]): Promise<number> {
  const context = await newContext(phone)
  try {
    if (number !== null) await keepSession(context, app, origin, number)
    const { visit } = await visitSlowly(context, `${origin}${path}`)
    return visit.fcpMs
  } finally {
    await context.close()
  }
}

function lineOf(path: string, ours: readonly number[], login: readonly number[]): string {
  const ratios = ours.map((ms, round) => ms / (login[round] ?? 1))
  return `cold-fcp: ratio ${median(ratios).toFixed(2)} (ours ${median(ours).toFixed(0)} ms, floor ${median(login).toFixed(0)} ms of the login: ${path})`
}
