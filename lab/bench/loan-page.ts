import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { demoPhone } from '#testkit/demo-town.ts'
import type { App } from '#testkit/start-app.ts'
import type { Benchmark } from './measure.ts'
import { median, newContext, serveStatic, visitSlowly, withoutScripts, withPhone, type Visit } from './slow-phone.ts'

const pairs = 9
/** One active loan of three tranches: its summary, its charts, its rows. */
const borrower = demoPhone(1)

/**
 * The loan page on a cheap phone, signed in and with cached assets, compared with a static page of
 * the same rows.
 */
export const loanLcpBenchmark: Benchmark = {
  name: 'loan-lcp',
  run: () =>
    withPhone({ town: true }, async ({ phone, app, origin }) => {
      const url = `${origin}/active-loans`
      const context = await newContext(phone)
      await enterLoanPage(context, app, url, borrower)
      const floor = await serveStatic(await snapshotOf(context, url))
      const ours: Visit[] = []
      const floors: Visit[] = []
      try {
        // The first pair only warms up.
        for (let pair = 0; pair <= pairs; pair++) {
          const [plain, page] = [await visitOnce(context, `${floor.url}/`), await visitOnce(context, url)]
          if (pair === 0) continue
          floors.push(plain)
          ours.push(page)
        }
      } finally {
        await floor.close()
      }
      const lcpOf = (visits: readonly Visit[]) => median(visits.map(({ lcpMs }) => lcpMs))
      const ratios = ours.map(({ lcpMs }, pair) => lcpMs / (floors[pair]?.lcpMs ?? 1))
      return [
        `loan-lcp: ratio ${median(ratios).toFixed(2)} (ours ${lcpOf(ours).toFixed(0)} ms, floor ${lcpOf(floors).toFixed(0)} ms)`,
        `loan-tbt: ${median(ours.map(({ blockedMs }) => blockedMs)).toFixed(0)} ms, loan-cls: ${median(ours.map(({ layoutShift }) => layoutShift)).toFixed(3)}`,
      ].join('\n')
    }),
}

/** Signs in by the API and opens the page once to fill the cache. */
export async function enterLoanPage(context: BrowserContext, app: App, url: string, phone: string): Promise<void> {
  await keepSession(context, app, url, phone)
  const page = await context.newPage()
  await openFast(page, url)
  await page.close()
}

/** Signs in by the API and keeps the session as the portal does. */
export async function keepSession(context: BrowserContext, app: App, url: string, phone: string): Promise<void> {
  const token = await app.signIn(phone)
  const page = await context.newPage()
  await page.goto(new URL('/favicon.svg', url).href)
  await page.evaluate((kept) => {
    localStorage.setItem('token', kept)
    localStorage.setItem('tokenReceivedAt', String(Date.now()))
  }, token)
  await page.close()
}

/**
 * The loaded page without its scripts, with its stylesheet as an asset.
 */
async function snapshotOf(context: BrowserContext, url: string): Promise<Record<string, { type: string; text: string }>> {
  const page = await context.newPage()
  await openFast(page, url)
  // Stylesheets of tabs that were loaded when idle have whole addresses.
  const html = withoutScripts(await page.content()).replaceAll(new URL(url).origin, '')
  await page.close()
  const files: Record<string, { type: string; text: string }> = {
    '/': { type: 'text/html; charset=utf-8', text: `<!doctype html>${html}` },
  }
  for (const [, path = ''] of html.matchAll(/<link rel="stylesheet"[^>]* href="([^"]+)"/g))
    files[path] = { type: 'text/css', text: readFileSync(join(import.meta.dirname, '../../dist/web', path), 'utf8') }
  return files
}

async function openFast(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.getByRole('heading', { name: 'Principal outstanding' }).waitFor()
}

async function visitOnce(context: BrowserContext, url: string): Promise<Visit> {
  const { visit, page } = await visitSlowly(context, url)
  await page.close()
  return visit
}
