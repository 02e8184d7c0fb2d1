import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { freePort } from '#server/database/free-port.ts'
import { findBrowser } from '#testkit/browser.ts'
import { demoPhone } from '#testkit/demo-phone.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { startTestCluster } from '#testkit/test-database.ts'
import { buildWebWhenStale } from '#tools/web-build.ts'
import { median } from './bench/slow-phone.ts'

/** Installed on the first run, because nothing else of Kist needs its packages. */
const version = '13.5.0'
const directory = join(import.meta.dirname, '../var/lighthouse')

/** The least score of each category; null where a page is not measured for speed. */
type AuditedPage = { name: string; path: string; phone: string | null; performanceMin: number | null }
const [borrower, staff] = [demoPhone(1), demoPhone(9)]
const pages: readonly AuditedPage[] = [
  { name: 'login', path: '/login', phone: null, performanceMin: 95 },
  { name: 'loan', path: '/active-loans', phone: borrower, performanceMin: 90 },
  { name: 'payments', path: '/active-loans/payments', phone: borrower, performanceMin: 90 },
  { name: 'documents', path: '/active-loans/documents', phone: borrower, performanceMin: 90 },
  { name: 'users', path: '/users', phone: staff, performanceMin: 90 },
  { name: 'admin-login', path: '/admin/login', phone: null, performanceMin: null },
  { name: 'verify-document', path: '/verify-document', phone: null, performanceMin: null },
  { name: 'unknown-page', path: '/no-such-page', phone: null, performanceMin: null },
]

type Audit = { id: string; title: string; score: number | null; /** ms, or without unit. */ numericValue?: number }
type Report = {
  /** Why the page could not be measured. */
  runtimeError?: { message: string }
  audits: Record<string, Audit>
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
}
type Lighthouse = (url: string, flags: Record<string, unknown>) => Promise<{ lhr: Report } | undefined>

/**
 * `npm run lab -- lighthouse [PAGE…] [--runs N]`: the scores of the pages on Lighthouse's phone
 * (slow 4G by estimate, a processor four times slower), the median of five runs with an empty
 * cache, and the audits that fail.
 *
 * @returns whether every page reaches its scores; accessibility and best practices are 100.
 */
export async function lighthouse(args: readonly string[]): Promise<boolean> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { runs: { type: 'string', default: '5' } },
  })
  const audit = await loadLighthouse()
  buildWebWhenStale()
  const cluster = await startTestCluster()
  const app = await startApp(cluster, { town: true })
  let isGood = true
  try {
    for (const page of pages)
      if (positionals.length === 0 || positionals.includes(page.name))
        isGood = (await auditPage(audit, app, page, Number(values.runs))) && isGood
    return isGood
  } finally {
    await app.close()
    await cluster.stop()
  }
}

async function loadLighthouse(): Promise<Lighthouse> {
  const module = join(directory, 'node_modules/lighthouse/core/index.js')
  if (!existsSync(module))
    execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--prefix', directory, `lighthouse@${version}`], { stdio: 'inherit' })
  return ((await import(pathToFileURL(module).href)) as { default: Lighthouse }).default
}

/** Audits one page in a browser of its own. @returns whether it reaches its scores. */
async function auditPage(audit: Lighthouse, app: App, { name, path, phone, performanceMin }: AuditedPage, runs: number): Promise<boolean> {
  const origin = app.url.replace('127.0.0.1', 'localhost')
  const token = phone === null ? null : await app.signIn(phone)
  const port = await freePort()
  const profile = mkdtempSync(join(tmpdir(), 'kist-lighthouse-'))
  const browser = findBrowser()
  const context = await chromium.launchPersistentContext(profile, {
    ...browser,
    args: [...browser.args, `--remote-debugging-port=${port}`],
  })
  const reports: Report[] = []
  try {
    const page = context.pages()[0] ?? (await context.newPage())
    for (let run = 0; run < runs; run++) {
      await prepareVisit(context, page, origin, token)
      const result = await audit(origin + path, {
        port,
        logLevel: 'error',
        onlyCategories: ['performance', 'accessibility', 'best-practices'],
        // The session is in the storage; the cache has been emptied.
        disableStorageReset: true,
      })
      if (result === undefined || result.lhr.runtimeError) throw new Error(result?.lhr.runtimeError?.message ?? 'Lighthouse has no result')
      reports.push(result.lhr)
    }
  } finally {
    await context.close()
    rmSync(profile, { recursive: true, force: true })
  }
  return printScores(name, reports, performanceMin)
}

/** Empties cache and service workers, and signs in as a person would be before the visit. */
async function prepareVisit(context: BrowserContext, page: Page, origin: string, token: string | null): Promise<void> {
  const client = await context.newCDPSession(page)
  await client.send('Network.clearBrowserCache')
  await client.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await client.detach()
  await page.goto(`${origin}/favicon.svg`)
  if (token !== null)
    await page.evaluate((kept) => {
      localStorage.setItem('token', kept)
      localStorage.setItem('tokenReceivedAt', String(Date.now()))
    }, token)
  await page.goto('about:blank')
}

const metrics: Readonly<Record<string, string>> = {
  'first-contentful-paint': 'FCP',
  'largest-contentful-paint': 'LCP',
  'total-blocking-time': 'TBT',
  'speed-index': 'SI',
}

/** Prints the medians and what fails. @returns whether the scores are reached. */
function printScores(name: string, reports: readonly Report[], performanceMin: number | null): boolean {
  const scoreOf = (category: string) => median(reports.map(({ categories }) => Math.round((categories[category]?.score ?? 0) * 100)))
  const [performance, accessibility, practices] = [scoreOf('performance'), scoreOf('accessibility'), scoreOf('best-practices')]
  const valueOf = (id: string) => median(reports.map(({ audits }) => audits[id]?.numericValue ?? 0))
  const times = Object.entries(metrics).map(([id, label]) => `${label} ${valueOf(id).toFixed(0)} ms`)
  const layoutShift = valueOf('cumulative-layout-shift').toFixed(3)
  console.log(
    `lighthouse ${name}: performance ${performance}${performanceMin === null ? '' : ` (at least ${performanceMin})`}, accessibility ${accessibility}, best practices ${practices} (${times.join(', ')}, CLS ${layoutShift})`,
  )
  for (const { id, title } of listFailedAudits(reports)) console.log(`  ${id}: ${title}`)
  return performance >= (performanceMin ?? 0) && accessibility === 100 && practices === 100
}

/** The audits of accessibility and best practices that failed in any run. */
function listFailedAudits(reports: readonly Report[]): Audit[] {
  const failed = new Map<string, Audit>()
  for (const { audits, categories } of reports)
    for (const category of ['accessibility', 'best-practices'])
      for (const { id, weight } of categories[category]?.auditRefs ?? []) {
        const audit = audits[id]
        if (weight > 0 && audit?.score !== null && audit !== undefined && audit.score < 1) failed.set(id, audit)
      }
  return [...failed.values()]
}
