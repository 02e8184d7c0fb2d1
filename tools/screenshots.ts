import { AxeBuilder } from '@axe-core/playwright'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { findBrowser } from '#testkit/browser.ts'
import { freePort } from '#testkit/free-port.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { startTestCluster } from '#testkit/test-database.ts'
import { changesSinceLastRun, makeSheets, openAlbum, picture, themes, type Album } from './screens/pictures.ts'
import { languages, type Language } from './screens/stage.ts'
import { dialogStates } from './screens/dialog-states.ts'
import { staffStates } from './screens/staff-states.ts'
import { states, type State } from './screens/states.ts'
import { buildWebWhenStale } from './web-build.ts'

/**
 * `npm run screenshots [-- NAME…]`: every screen and state in every size, language and theme into `screenshots/`, with
 * contact sheets, axe's word on each, and a list of what changed since the last run. NAMEs picture some of the states only.
 */

const directory = join(import.meta.dirname, '../screenshots')
/** The same day in every run, so that a picture changes only when the screen does. */
const now = new Date('2026-12-01T05:30:00Z')

const wanted = process.argv.slice(2)
const shown = [...states, ...dialogStates, ...staffStates].filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.startsWith(part)),
)

buildWebWhenStale()
const cluster = await startTestCluster()
const { executablePath, args, env } = await findBrowser()
const browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } as Record<string, string> })
const album = openAlbum(directory, wanted.length === 0)
const failures: string[] = []
let judged = 0
try {
  for (const language of languages) await pictureAll(language)
  const page = await browser.newPage()
  const sheets = await makeSheets(album, page)
  console.log(`\n${album.files.length} pictures, ${sheets.length} contact sheets: ${join(directory, 'index.html')}`)
  console.log(`axe looked at ${judged} states: ${failures.filter((failure) => failure.includes(': axe ')).length} violations`)
  if (wanted.length === 0) await tellChanges(page)
} finally {
  await browser.close()
  await cluster.stop()
}
for (const failure of failures) console.error(`FAILED  ${failure}`)
process.exitCode = failures.length === 0 ? 0 : 1

/** A portal of its own for each language: the same loans, whatever the other language's people have paid. */
async function pictureAll(language: Language): Promise<void> {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const app = await startApp(cluster, {
    town: true,
    now,
    settings: { PORT: String(port), KIST_ORIGIN: origin, KIST_POLL_INITIAL_DELAY_MS: '200', KIST_POLL_INTERVAL_MS: '200' },
  })
  for (const [index, state] of shown.entries()) {
    console.log(`${language}  ${String(index + 1).padStart(2)}/${shown.length}  ${state.name}`)
    try {
      await pictureState(album, browser, app, origin, state, language)
    } catch (error) {
      failures.push(`${state.name} (${language}): ${String(error).split('\n').slice(0, 4).join(' ')}`)
    }
  }
  await app.close()
}

async function pictureState(album: Album, browser: Browser, app: App, origin: string, state: State, language: Language): Promise<void> {
  const context = await browser.newContext({
    locale: 'en-IN',
    serviceWorkers: 'block',
    timezoneId: 'Asia/Kolkata',
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  })
  context.setDefaultTimeout(10_000)
  await context.addInitScript(`if (location.protocol.startsWith('http')) localStorage.setItem('language', '${language}')`)
  const page = await context.newPage()
  try {
    await page.clock.install()
    await state.go({ app, origin, context, page })
    // What loads has loaded; what counts down stands still from here on.
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
    await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 500)
    await picture(album, page, state, language)
    // Axe waits by the page's clock.
    await page.clock.resume()
    if (!state.isForeign) for (const theme of themes) await judge(page, state, language, theme)
  } finally {
    await context.close()
  }
}

/** Asks axe about a state as it was pictured last. What it finds fails the run. */
async function judge(page: Page, state: State, language: Language, theme: string): Promise<void> {
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
  const axe = new AxeBuilder({ page })
  const { violations } = await (state.popup === undefined ? axe : axe.include(state.popup)).analyze()
  judged += 1
  for (const { id, nodes } of violations)
    failures.push(`${state.name} (${language}, ${theme}): axe ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

async function tellChanges(page: Page): Promise<void> {
  const changes = await changesSinceLastRun(album, page)
  if (changes === null) return console.log('There was no run before to compare with.')
  for (const [what, names] of Object.entries(changes)) for (const name of names) console.log(`${what.padEnd(8)} ${name}`)
  const count = changes.added.length + changes.changed.length + changes.gone.length
  console.log(count === 0 ? 'Nothing changed since the last run.' : `${count} changes since the last run.`)
}
