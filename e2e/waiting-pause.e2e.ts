import type { Page } from '@playwright/test'
import type { App } from '#testkit/start-app.ts'
import { startPayment, type Borrower } from './people.ts'
import { expect, passPollTimeout, pauseClock, test } from './portal.ts'
import { messages, waitingPath } from './payments-tab.ts'

const countingDown = (page: Page) => page.getByText(/^Back to your payments in \d+s$/)
const paused = (page: Page) => page.getByText('Take your time: the countdown is paused.')
const result = (page: Page) => page.getByRole('dialog')

type Enter = (phone: string, path?: string) => Promise<void>

/** Opens the waiting page of a paid link, and waits for its result. */
async function openResult(page: Page, portal: App, enter: Enter, own: Borrower): Promise<void> {
  const linkId = await startPayment(portal, own)
  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  await page.clock.install()
  await enter(own.phone, waitingPath(linkId))
  await expect(page.getByText(messages.success)).toBeVisible()
  await expect(countingDown(page)).toBeVisible()
  await pauseClock(page)
}

/** More than the minute that the redirect takes in the tests. */
const passRedirect = (page: Page) => page.clock.runFor(61_000)

async function expectStillOpen(page: Page): Promise<void> {
  await passRedirect(page)
  await expect(page.getByText(messages.success)).toBeVisible()
  await expect(page).toHaveURL(/waiting-for-payment/)
}

async function expectRedirect(page: Page): Promise<void> {
  await expect(countingDown(page)).toBeVisible()
  await passRedirect(page)
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
}

test('a result leads on by itself when nothing happens', async ({ page, portal, enter, borrower }) => {
  await openResult(page, portal, enter, await borrower())
  await expectRedirect(page)
})

test('a result waits while a pointer moves over it, and leads on when it rests or leaves', async ({ page, portal, enter, borrower }) => {
  await openResult(page, portal, enter, await borrower())
  await result(page).hover()
  await expect(paused(page)).toBeVisible()
  // It leaves the window, which the mouse of the tests cannot.
  await result(page).dispatchEvent('pointerout', { pointerType: 'mouse' })
  await expect(countingDown(page)).toBeVisible()
  await page.mouse.move(10, 10)
  await expect(paused(page)).toBeVisible()
  await page.clock.runFor(5_000)
  await expectRedirect(page)
})

test('what was moved or pressed before the result does not hold it', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await page.clock.install()
  await enter(own.phone, waitingPath(linkId))
  await expect(page.getByRole('heading', { name: 'Confirming your payment' })).toBeVisible()
  await page.keyboard.press('Tab')
  await result(page).click()
  await page.mouse.move(300, 300)
  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  await expect(page.getByText(messages.success)).toBeVisible()
  // A pause would stay with the clock.
  await pauseClock(page)
  await expectRedirect(page)
})

test('a result waits for who moves the focus with the keyboard, not for the focus that the page sets', async ({
  page,
  portal,
  enter,
  borrower,
}) => {
  await openResult(page, portal, enter, await borrower())
  await expect(page.getByRole('heading', { name: 'Payment complete' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(paused(page)).toBeVisible()
  await expectStillOpen(page)
})

test('a result waits while the page is hidden, and leads on when it is shown again', async ({ page, portal, enter, borrower }) => {
  const show = (state: DocumentVisibilityState) =>
    page.evaluate((visibility) => {
      Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await openResult(page, portal, enter, await borrower())
  await show('hidden')
  await expect(paused(page)).toBeVisible()
  await expectStillOpen(page)
  await show('visible')
  await expectRedirect(page)
})

test('‘Stay on this page’ ends the redirect, and the focus goes to the way on', async ({ page, portal, enter, borrower }) => {
  await openResult(page, portal, enter, await borrower())
  await page.getByRole('button', { name: 'Stay on this page' }).click()
  await expect(page.getByText('This page stays open.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Go to payments' })).toBeFocused()
  await page.mouse.move(-10, -10)
  await expectStillOpen(page)
  await page.getByRole('button', { name: 'Go to payments' }).click()
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, permissions: ['clipboard-read', 'clipboard-write'] })

  test('a warning stays after a touch, and its reference can be copied', async ({ page, portal, enter, borrower }) => {
    const own = await borrower()
    const linkId = await startPayment(portal, own)
    await page.clock.install()
    await enter(own.phone, waitingPath(linkId))
    await expect(page.getByRole('heading', { name: 'Confirming your payment' })).toBeVisible()
    await passPollTimeout(page)
    await expect(page.getByText(messages.timeout)).toBeVisible()
    await expect(countingDown(page)).toBeVisible()
    await page.getByText('If money has already left your account, do not pay again.').tap()
    await expect(paused(page)).toBeVisible()
    await passRedirect(page)
    await page.getByRole('button', { name: 'Copy' }).tap()
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(linkId)
    await expect(page.getByText(messages.timeout)).toBeVisible()
  })
})
