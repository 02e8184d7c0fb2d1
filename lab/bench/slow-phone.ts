import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync } from 'node:zlib'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { findBrowser } from '#testkit/browser.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { startTestCluster } from '#testkit/test-database.ts'
import { buildWebWhenStale } from '#tools/web-build.ts'

/** A cheap phone on a slow network, by Chromium's own emulation. */
const network = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const cpuTimesSlower = 4
const viewport = { width: 360, height: 740 }

/**
 * Timings of a visit, ms since the start of its navigation; `layoutShift` has no unit. `codeMs`:
 * from when on the page's own code answers instead of the script in its HTML.
 */
export type Visit = { fcpMs: number; lcpMs: number; blockedMs: number; layoutShift: number; readyMs: number | null; codeMs: number | null }

const startPhone = (): Promise<Browser> => chromium.launch(findBrowser())

/**
 * Measures on a phone beside a portal of its own; with `town`, one with the demo town.
 *
 * @param measure receives the portal's address as the phone opens it.
 */
export async function withPhone(
  { town }: { town: boolean },
  measure: (stage: { phone: Browser; app: App; origin: string }) => Promise<string>,
): Promise<string> {
  buildWebWhenStale()
  const cluster = await startTestCluster()
  const app = await startApp(cluster, { town })
  const phone = await startPhone()
  try {
    return await measure({ phone, app, origin: app.url.replace('127.0.0.1', 'localhost') })
  } finally {
    await phone.close()
    await app.close()
    await cluster.stop()
  }
}

/**
 * A browser with an empty profile and without service workers, whose requests would not be
 * emulated.
 */
export const newContext = (phone: Browser): Promise<BrowserContext> =>
  phone.newContext({ viewport, locale: 'en-IN', timezoneId: 'Asia/Kolkata', serviceWorkers: 'block', deviceScaleFactor: 2 })

/**
 * Opens a page with emulation and waits until it is idle. `watch` runs in the page first and sets
 * `window.readyAtMs` and `window.codeAtMs`.
 */
export async function visitSlowly(context: BrowserContext, url: string, watch?: () => void): Promise<{ visit: Visit; page: Page }> {
  const page = await context.newPage()
  const client = await context.newCDPSession(page)
  await client.send('Network.enable')
  await client.send('Network.emulateNetworkConditions', network)
  await slowDown(context, page)
  await page.addInitScript(collect)
  if (watch) await page.addInitScript(watch)
  await page.goto(url, { waitUntil: 'networkidle' })
  if (watch) await page.waitForFunction(() => Reflect.has(window, 'readyAtMs') && Reflect.has(window, 'codeAtMs'))
  const visit = await page.evaluate(() => (Reflect.get(window, 'measuredVisit') as () => Visit)())
  return { visit, page }
}

/** Emulates the phone's processor. */
export async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  const client = await context.newCDPSession(page)
  await client.send('Emulation.setCPUThrottlingRate', { rate: cpuTimesSlower })
}

/** Runs in the page before its own scripts. */
function collect(): void {
  const seen: Record<string, PerformanceEntry[]> = {}
  for (const type of ['paint', 'largest-contentful-paint', 'longtask', 'layout-shift']) {
    const entries: PerformanceEntry[] = (seen[type] = [])
    new PerformanceObserver((list) => entries.push(...list.getEntries())).observe({ type, buffered: true })
  }
  const measuredVisit = (): Visit => {
    const firstPaintMs = seen['paint']?.find(({ name }) => name === 'first-contentful-paint')?.startTime ?? 0
    // Total blocking time: the part of each long task above 50 ms, after the first paint.
    const blockedMs = (seen['longtask'] ?? [])
      .filter(({ startTime, duration }) => startTime + duration > firstPaintMs)
      .reduce((sum, { startTime, duration }) => sum + Math.max(0, startTime + duration - Math.max(startTime, firstPaintMs) - 50), 0)
    const shifts = (seen['layout-shift'] ?? []) as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]
    return {
      fcpMs: firstPaintMs,
      lcpMs: seen['largest-contentful-paint']?.at(-1)?.startTime ?? 0,
      blockedMs,
      layoutShift: shifts.filter(({ hadRecentInput }) => !hadRecentInput).reduce((sum, { value }) => sum + value, 0),
      readyMs: (Reflect.get(window, 'readyAtMs') as number | undefined) ?? null,
      codeMs: (Reflect.get(window, 'codeAtMs') as number | undefined) ?? null,
    }
  }
  Reflect.set(window, 'measuredVisit', measuredVisit)
}

type StaticSite = { url: string; close: () => Promise<void> }

/** The floor: fixed, precompressed answers of a minimal server. */
export async function serveStatic(files: Record<string, { type: string; text: string }>): Promise<StaticSite> {
  const bodies = new Map(
    Object.entries(files).map(([path, { type, text }]) => [path, { type, body: brotliCompressSync(Buffer.from(text)) }] as const),
  )
  const server = createServer(({ url = '/' }, response) => {
    const file = bodies.get(url)
    if (file === undefined) {
      response.writeHead(404).end()
      return
    }
    const cached = url.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    // Kist's pages must have the policy of windows (docs/security.md, H06), for which Chromium
    // starts a process at each visit: part of the floor.
    const headers = { 'cache-control': cached, 'cross-origin-opener-policy': 'same-origin' }
    response.writeHead(200, { 'content-type': file.type, 'content-encoding': 'br', ...headers }).end(file.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** The HTML of a page without scripts, which would show it. */
export const withoutScripts = (html: string): string =>
  html
    .replace(/(<div id="root"[^>]*) hidden(="")?>/, '$1>')
    .replaceAll(/<script\b[^>]*>[^]*?<\/script>/g, '')
    .replaceAll(/<template\b[^>]*>[^]*?<\/template>/g, '')
    .replaceAll(/<link rel="modulepreload"[^>]*>/g, '')

export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
