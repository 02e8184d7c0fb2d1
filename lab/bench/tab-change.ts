import type { Page } from 'playwright-core'
import { demoPhone } from '#testkit/demo-town.ts'
import { enterLoanPage } from './loan-page.ts'
import type { Benchmark } from './measure.ts'
import { median, newContext, slowDown, withPhone } from './slow-phone.ts'

/** A change after which a person still feels that it followed the press, ms. */
const allowedMs = 100
const rounds = 5

/** The tabs in turn, and the heading that says that their content is there. */
const tabs = [
  { name: 'Payments', heading: 'Make a payment' },
  { name: 'Documents', heading: 'Get a document' },
  { name: 'Loan details', heading: 'Principal outstanding' },
] as const

/**
 * From the press on another tab of the loan page to the frame with its content, on a phone four
 * times slower than this machine. The page is open and idle, as when somebody has read it.
 */
export const tabChangeBenchmark: Benchmark = {
  name: 'tab-change',
  run: () =>
    withPhone({ town: true }, async ({ phone, app, origin }) => {
      const url = `${origin}/active-loans`
      const context = await newContext(phone)
      await enterLoanPage(context, app, url, demoPhone(1))
      const page = await context.newPage()
      await page.goto(url, { waitUntil: 'networkidle' })
      await slowDown(context, page)
      const changesMs: number[] = []
      // The first round only warms up: the engine compiles what it has not run yet.
      for (let round = 0; round <= rounds; round++)
        for (const tab of tabs) {
          const changeMs = await changeTab(page, tab)
          if (round > 0) changesMs.push(changeMs)
        }
      const oursMs = median(changesMs)
      const worstMs = Math.max(...changesMs)
      return `tab-change: ratio ${(oursMs / allowedMs).toFixed(2)} (ours ${oursMs.toFixed(0)} ms, at most ${worstMs.toFixed(0)} ms, floor ${allowedMs} ms allowed)`
    }),
}

/** Presses a tab. @returns milliseconds until its content is painted. */
async function changeTab(page: Page, { name, heading }: (typeof tabs)[number]): Promise<number> {
  const changeMs = await page.evaluate(
    ([link, title]) =>
      new Promise<number>((resolve) => {
        const tab = [...document.querySelectorAll<HTMLElement>('main nav a')].find(({ textContent }) => textContent === link)
        const isThere = () => [...document.querySelectorAll('h2')].some(({ textContent }) => textContent === title)
        const pressedAtMs = performance.now()
        new MutationObserver((_changes, observer) => {
          if (!isThere()) return
          observer.disconnect()
          // The frame after the next one begins when the next one is painted.
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - pressedAtMs)))
        }).observe(document.body, { childList: true, subtree: true })
        tab?.click()
      }),
    [name, heading] as const,
  )
  await page.waitForLoadState('networkidle')
  return changeMs
}
