import { expect, pauseClock, test } from './portal.ts'
import { countdown, hostedPay, payButton } from './payments-tab.ts'

/** The countdown with the seconds that the specification gives it. */
test.use({ portalSettings: { KIST_REDIRECT_COUNTDOWN_SECONDS: '10' } })

test('the countdown really ticks ten seconds and then goes to the hosted page', async ({ page, enter, borrower }) => {
  // On a busy machine the test may miss a second, so the page records what it showed.
  const shown: number[] = []
  await page.exposeFunction('noteSecond', (second: number) => shown.push(second))
  const focused: string[] = []
  await page.exposeFunction('noteFocus', (name: string) => focused.push(name))
  await page.addInitScript(() => {
    addEventListener('focusin', ({ target }) => void Reflect.get(window, 'noteFocus')?.((target as HTMLElement).textContent))
    const note = (): void => {
      const [, second] = /(\d+)/.exec(document.querySelector('[role=timer]')?.getAttribute('aria-label') ?? '') ?? []
      if (second !== undefined) void Reflect.get(window, 'noteSecond')?.(Number(second))
    }
    new MutationObserver(note).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-label'] })
  })
  await enter((await borrower()).phone, '/active-loans/payments')
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  const started = Date.now()
  await payButton(page).click()
  await expect(hostedPay(page)).toBeVisible()
  expect(Date.now() - started).toBeGreaterThan(10_000)
  expect(focused).toContain('Redirect now')
  const seconds = [...new Set(shown)]
  expect(seconds[0]).toBe(10)
  expect(seconds).toEqual(seconds.toSorted((one, other) => other - one))
  expect(seconds.length).toBeGreaterThan(5)
})

test('at one second left it says that it is redirecting, for half a second', async ({ page, enter, borrower }) => {
  await page.clock.install()
  const loaded = page.waitForResponse('**/assets/countdown-dialog-*.js')
  await enter((await borrower()).phone, '/active-loans/payments')
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await (await loaded).finished()
  await pauseClock(page)
  await payButton(page).click()
  // A screen reader reads it on opening; the status, which it reads by itself, is empty until then.
  await expect(countdown(page)).toHaveAccessibleDescription('Next EMI: ₹5,649 The payment page opens in 10 seconds.')
  const status = countdown(page).getByRole('status')
  await expect(status).toBeEmpty()
  const timer = countdown(page).getByRole('timer')
  await expect(timer).toHaveAccessibleName('Seconds left: 10')
  await page.clock.runFor(5_000)
  await expect(status).toHaveText('The payment page opens in 5 seconds.')
  await page.clock.runFor(5_000)
  await expect(countdown(page)).toContainText('Redirecting to the payment page...')
  await expect(timer).toHaveAccessibleName('Seconds left: 0')
  await expect(countdown(page).getByRole('button', { name: 'Redirecting' })).toHaveAttribute('aria-busy', 'true')
  await page.clock.runFor(400)
  await expect(countdown(page)).toBeVisible()
  await page.clock.runFor(200)
  await expect(hostedPay(page)).toBeVisible()
})
