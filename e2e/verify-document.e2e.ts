import type { Route } from '@playwright/test'
import { fetchFile } from '#server/documents/files.testing.ts'
import { readQrCode } from '#server/documents/pdf-text.testing.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import type { App } from '#testkit/start-app.ts'
import { expectAccessible } from './accessible.ts'
import { shown } from './days.ts'
import { expect, refused, test } from './portal.ts'

const path = '/verify-document'

/** A payoff letter of the first demo borrower: its amount, its code, and what its QR code says. */
async function writeLetter(portal: App): Promise<{ amount: string; code: string; address: string | null }> {
  const token = await portal.signIn(demoPhone(1))
  const { body } = await portal.get('/portal/generate-document?lead_id=LEAD-004173&doc_type=payoff_letter', token)
  const { pathname, search } = new URL(String(body['doc_url']))
  const bytes = new Uint8Array(await (await fetchFile(portal, pathname + search)).arrayBuffer())
  const schedule = await portal.get('/portal/repayment-schedule?lead_id=LEAD-004173', token)
  const { amount } = (schedule.body['allowed_payments'] as { foreclosure_payment: { amount: number } }).foreclosure_payment
  return {
    amount: `₹${new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2 }).format(amount)}`,
    code: String(body['verification_code']),
    address: await readQrCode(bytes),
  }
}

test('the QR code on a document opens its page, which shows its figures and no name', async ({ page, portal }) => {
  const { amount, code, address } = await writeLetter(portal)
  await page.goto(String(address))
  const result = page.getByRole('region', { name: 'Result' })
  await expect(result).toContainText('Genuine: Meghdoot Education Finance Ltd issued this document.')
  for (const figure of ['Payoff letter', amount, '4173', shown(dayInIndia(portal.clock.now()))]) await expect(result).toContainText(figure)
  await expect(page.getByLabel('Document code')).toHaveValue(code)
  await expect(page).toHaveTitle('Check a document - Kist')
  await expect(page.locator('body')).not.toContainText('Ananya')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Dark mode' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('दस्तावेज़ की जाँच करें')
  await expect(page.getByRole('region', { name: 'परिणाम' })).toContainText(amount)
  await expectAccessible(page)
})

test('no search engine keeps it', async ({ page, request }) => {
  expect((await request.get(`${path}?code=x`)).headers()['x-robots-tag']).toBe('noindex')
  await page.goto(path)
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex')
})

test('a code is typed where the address has none; one that is wrong or unknown has its own text and stays', async ({
  page,
  portal,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(404, '/documents/verify'))
  const { amount, code } = await writeLetter(portal)
  await page.goto(path)
  const field = page.getByLabel('Document code')
  const check = page.getByRole('button', { name: 'Check', exact: true })
  await field.fill('ABCD-1234')
  await check.click()
  await expect(page.getByText('A code has 16 letters and digits')).toBeVisible()
  await expect(field).toBeFocused()
  await field.fill('0000 0000 0000 0000')
  await check.click()
  await expect(page.getByRole('status').filter({ hasText: 'No document has this code' })).toBeVisible()
  await expect(field).toHaveValue('0000 0000 0000 0000')
  await expectAccessible(page)
  await field.fill(code.toLowerCase().replaceAll('-', ''))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(amount)
  await page.reload()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(amount)
})

test('too many checks, no connection and a failing server each say so, and the code stays', async ({ page, portal, browserErrors }) => {
  browserErrors.expectConsole(refused(429, '/documents/verify'))
  browserErrors.expectConsole(refused(500, '/documents/verify'))
  browserErrors.expectConsole(/ERR_FAILED/)
  const { code } = await writeLetter(portal)
  const answer = (how: (route: Route) => Promise<void>) => page.route('**/documents/verify?*', how, { times: 1 })
  const result = page.locator('[role=status]').filter({ hasText: 'code is kept' })
  await answer((route) => route.fulfill({ status: 429, headers: { 'retry-after': '150' }, json: {} }))
  await page.goto(`${path}?code=${code}`)
  await expect(result).toContainText('Too many checks came from your network. The code is kept. Press Check again in 3 minutes.')
  const check = page.getByRole('button', { name: 'Check', exact: true })
  await answer((route) => route.abort('failed'))
  await check.click()
  await expect(result).toContainText('no connection')
  await answer((route) => route.fulfill({ status: 500, json: {} }))
  await check.click()
  await expect(result).toContainText('could not be checked at the moment')
  await expect(page.getByLabel('Document code')).toHaveValue(code)
  await check.click()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('Genuine')
})

test('without its scripts the form still asks in the address', async ({ page, portal }) => {
  const { code, amount } = await writeLetter(portal)
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(path, { waitUntil: 'commit' })
  await page.getByLabel('Document code').fill(code)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${path}?code=${code}`, { waitUntil: 'commit' })
  held.resolve()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(amount)
})

test.describe('at 320 px', () => {
  test.use({ viewport: { width: 320, height: 640 }, hasTouch: true })

  test('it fits', async ({ page, portal }) => {
    const { address, amount } = await writeLetter(portal)
    await page.goto(String(address))
    await expect(page.getByRole('region', { name: 'Result' })).toContainText(amount)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })
})
