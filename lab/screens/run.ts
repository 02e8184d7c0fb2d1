import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { findBrowser } from '#testkit/browser.ts'
import { freePort } from '#server/database/free-port.ts'
import { findViolations } from '#testkit/find-violations.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { startTestCluster } from '#testkit/test-database.ts'
import { changesSinceLastRun, makeSheets, openAlbum, picture, sizes, themes, type Changes } from './pictures.ts'
import { languages, type Language, type State } from './screen-context.ts'
import { designStates } from './design-states.ts'
import { chapters } from './states.ts'
import { buildWebForDevelopment, buildWebWhenStale } from '#tools/web-build.ts'

/**
 * `npm run screenshots [-- NAME…]`: every screen and state in every size, language and theme into
 * `screenshots/`, with contact sheets, axe's word on each in all of them, and a list of what
 * changed since the last run. NAMEs, each the beginning of some states' names, picture those alone,
 * and leave the others' pictures as they were.
 */

const directory = join(import.meta.dirname, '../../screenshots')
/** A fixed day, so that a picture changes only with the screen. */
const now = new Date('2026-12-01T05:30:00Z')

const wanted = process.argv.slice(2)
const isWanted = ({ name }: State): boolean => wanted.length === 0 || wanted.some((part) => name.startsWith(part))
const all = [...chapters.flat(), ...designStates]
const known = all.map(({ name }) => name)

buildWebWhenStale()
const cluster = await startTestCluster()
const browser = await chromium.launch({
  ...findBrowser(),
  handleSIGINT: false,
  handleSIGTERM: false,
})
const album = openAlbum(directory)
const failures: string[] = []
let judged = 0
/** At a signal the run ends after the current state and keeps its pictures. */
let isStopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isStopped = true))
try {
  for (const language of languages) for (const chapter of chapters) if (chapter.some(isWanted)) await pictureChapter(chapter, language)
  if (designStates.some(isWanted) && !isStopped) {
    buildWebForDevelopment()
    for (const language of languages) await pictureChapter(designStates, language)
  }
  const page = await browser.newPage()
  const changes = await changesSinceLastRun(album, known, page)
  const sheets = await makeSheets(album, known, changes.changed, page)
  console.log(
    `\n${album.files.length} pictures of ${all.filter(isWanted).length} states, ${sheets.length} contact sheets: ${join(directory, 'index.html')}`,
  )
  console.log(`axe looked ${judged} times: ${failures.filter((failure) => failure.includes(': axe ')).length} violations`)
  tellChanges(changes)
} finally {
  await browser.close()
  await cluster.stop()
}
for (const failure of failures) console.error(`FAILED  ${failure}`)
process.exitCode = failures.length === 0 ? 0 : 1

/**
 * A separate portal for each chapter and language, so that payments of one do not affect the
 * others.
 */
async function pictureChapter(chapter: readonly State[], language: Language): Promise<void> {
  if (isStopped) return
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const app = await startApp(cluster, {
    town: true,
    now,
    settings: { PORT: String(port), KIST_ORIGIN: origin, KIST_POLL_INITIAL_DELAY_MS: '200', KIST_POLL_INTERVAL_MS: '200' },
  })
  const shown = chapter.filter(isWanted)
  for (const state of chapter) {
    if (isStopped) break
    if (!isWanted(state) && !shown.some(({ after }) => after === state.name)) continue
    console.log(`${language}  ${state.name}`)
    try {
      await goThrough(app, origin, state, language)
    } catch (error) {
      failures.push(`${state.name} (${language}): ${String(error).split('\n').slice(0, 4).join(' ')}`)
    }
  }
  await app.close()
}

async function goThrough(app: App, origin: string, state: State, language: Language): Promise<void> {
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
    // A popup is at the position that its control had when it was opened.
    const isAnew = state.popup !== undefined || state.isAnew === true
    for (const together of isAnew ? sizes.map((size) => [size]) : [sizes]) {
      if (isAnew) await page.setViewportSize(together[0] ?? sizes[0])
      await state.go({ app, origin, context, page })
      if (!isWanted(state)) return
      // Moves the pointer away, waits for loading, and stops countdowns.
      await page.mouse.move(0, 0)
      await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
      await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 500)
      await picture(album, page, state, language, together)
      // The next state and axe need the page's clock.
      await page.clock.resume()
    }
    if (!state.isForeign) for (const theme of themes) await judge(page, state, language, theme)
  } finally {
    await context.close()
  }
}

/** Runs axe on a state after its last picture. A violation fails the run. */
async function judge(page: Page, state: State, language: Language, theme: string): Promise<void> {
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
  const violations = await findViolations(page, state.popup)
  judged += 1
  for (const { rule, elements } of violations)
    failures.push(`${state.name} (${language}, ${theme}): axe ${rule}: ${elements.map((html) => html.slice(0, 160)).join(' | ')}`)
}

function tellChanges(changes: Changes): void {
  for (const [what, names] of Object.entries(changes)) for (const name of names) console.log(`${what.padEnd(8)} ${name}`)
  const sum = Object.values(changes).flat().length
  console.log(sum === 0 ? 'Nothing changed since the last run.' : `${sum} changes since the last run.`)
}
