import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import type { Benchmark } from './measure.ts'
import { median, newContext, serveStatic, visitSlowly, withoutScripts, withPhone, type Visit } from './slow-phone.ts'

const pairs = 9

/**
 * The login on a cheap phone, compared with a static page of the same look: first paint, first
 * response, blocked time.
 */
export const loginLcpBenchmark: Benchmark = {
  name: 'login-lcp',
  run: () =>
    withLogin(async (url, phone) => {
      const html = withoutScripts(await (await fetch(url)).text())
      const floor = await serveStatic({ '/': { type: 'text/html; charset=utf-8', text: html } })
      const ours: Visit[] = []
      const floors: Visit[] = []
      try {
        // The first pair only warms up browser, server and disk.
        for (let pair = 0; pair <= pairs; pair++) {
          const [plain, login] = [await visitOnce(phone, `${floor.url}/`), await visitOnce(phone, url, pressAtOnce)]
          if (pair === 0) continue
          floors.push(plain)
          ours.push(login)
        }
      } finally {
        await floor.close()
      }
      const floorMs = median(floors.map(({ lcpMs }) => lcpMs))
      const line = (name: string, of: (visit: Visit) => number) => {
        const ratios = ours.map((visit, pair) => of(visit) / (floors[pair]?.lcpMs ?? 1))
        return `${name}: ratio ${median(ratios).toFixed(2)} (ours ${median(ours.map(of)).toFixed(0)} ms, floor ${floorMs.toFixed(0)} ms)`
      }
      return [
        line('login-lcp', ({ lcpMs }) => lcpMs),
        line('login-ready', ({ readyMs }) => readyMs ?? Infinity),
        line('login-code', ({ codeMs }) => codeMs ?? Infinity),
        `login-tbt: ${median(ours.map(({ blockedMs }) => blockedMs)).toFixed(0)} ms, login-cls: ${median(ours.map(({ layoutShift }) => layoutShift)).toFixed(3)}`,
      ].join('\n')
    }),
}

/** Size of the script that the login needs until React has taken over its form. */
export const loginJsBenchmark: Benchmark = {
  name: 'login-js',
  run: () =>
    withLogin(async (url, phone) => {
      const context = await newContext(phone)
      const { visit, page } = await visitSlowly(context, url, pressAtOnce)
      const scripts = await page.evaluate(() =>
        (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
          .filter(({ name }) => name.endsWith('.js'))
          .map(({ name, responseEnd }) => ({ name, endedAtMs: responseEnd })),
      )
      await context.close()
      let neededBytes = 0
      let laterBytes = 0
      for (const { name, endedAtMs } of scripts) {
        const bytes = gzipSync(Buffer.from(await (await fetch(name)).arrayBuffer()), { level: 9 }).length
        if (endedAtMs <= (visit.codeMs ?? 0)) neededBytes += bytes
        else laterBytes += bytes
      }
      return `login-js: ${Math.round(neededBytes / 1000)} kB gzip (until the login's code has taken over; ${Math.round(laterBytes / 1000)} kB more for the code's step)`
    }),
}

const withLogin = (measure: (url: string, phone: Browser) => Promise<string>): Promise<string> =>
  withPhone({ town: false }, ({ phone, origin }) => measure(`${origin}/login`, phone))

async function visitOnce(phone: Browser, url: string, watch?: () => void): Promise<Visit> {
  const context = await newContext(phone)
  const { visit } = await visitSlowly(context, url, watch)
  await context.close()
  return visit
}

/**
 * Runs in the page: submits the empty form as soon as it exists, and records the frame that shows
 * the error for the missing number, and when the page's code has taken over, which alone sets the
 * title.
 */
function pressAtOnce(): void {
  document.addEventListener('DOMContentLoaded', () => document.querySelector('form')?.requestSubmit())
  const record = (name: string): void => {
    if (!Reflect.has(window, name)) Reflect.set(window, name, performance.now())
  }
  new MutationObserver(() => {
    if (document.title.includes(' - ')) record('codeAtMs')
    if (document.querySelector('#phone-error p') !== null) requestAnimationFrame(() => record('readyAtMs'))
  }).observe(document, { childList: true, subtree: true })
}
