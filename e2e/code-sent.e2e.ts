import type { Page } from '@playwright/test'
import { sql as raw } from 'kysely'
import { queues } from '#server/jobs/queues.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import type { App } from '#testkit/start-app.ts'
import { expectAccessible } from './accessible.ts'
import { requestCode, codeFor, expect, refused, test, until } from './portal.ts'
import { newPhone } from './people.ts'
import { newStaff } from './staff.ts'

/** The live region of the code step. */
const told = (page: Page) => page.locator('form > [role=status]')
/** What is said of a code that is sent from now on; a minute may begin until the answer comes. */
async function soonSent(page: Page, text = 'New OTP sent at'): Promise<RegExp> {
  const minutes = await page.evaluate(() => {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: 'Asia/Kolkata', hour: 'numeric', minute: '2-digit' })
    return [0, 60_000].map((ms) =>
      format
        .format(new Date(Date.now() + ms))
        .replace(/\s/, ' ')
        .toLowerCase(),
    )
  })
  return new RegExp(`^${text} (${minutes.join('|')})$`)
}
/** The queue of the codes as `kist migrate` makes it. */
const usualRetries = queues.find(({ name }) => name === 'send-sms')?.retryLimit ?? 0
const support = { name: '1800 209 3344', exact: true }

async function sendNumber(page: Page, phone: string): Promise<void> {
  await page.locator('#phone').fill(phone.slice(3))
  await page.locator('form button[type=submit]').click()
  await expect(page.locator('#code')).toBeVisible()
}

/** The demo’s phone whose messages always fail. */
const failing = demoPhone(98)
const readStatus = (portal: App, phone: string) =>
  portal.database.asSystem((sql) =>
    sql
      .selectFrom('sign_in_codes')
      .select('message_status')
      .where('phone', '=', phone)
      .where('superseded_at', 'is', null)
      .executeTakeFirst(),
  )

test('each code is confirmed with the time of the answer, and read out', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  await page.clock.install()
  await page.goto('/login')
  const first = await soonSent(page, 'OTP sent at')
  const checked = page.waitForResponse(
    async (response) => response.url().includes('/auth/code-status?session_token=') && (await response.json()).status === 'sent',
  )
  await requestCode(page, portal, phone)
  await expect(told(page)).toHaveText(first)
  await until(async () => (await readStatus(portal, phone))?.message_status === 'sent')
  await page.clock.fastForward(31_000)
  await checked

  // Another code in the same minute has the same text: only a new element is read again.
  await told(page)
    .locator('p')
    .evaluate((element) => element.setAttribute('data-earlier', ''))
  const before = portal.outbox().length
  const second = await soonSent(page)
  await page.getByRole('button', { name: 'Resend OTP' }).click()
  await codeFor(portal, phone, before)
  await expect(told(page).locator('p:not([data-earlier])')).toHaveText(second)
  await page.clock.fastForward(121_000)
  const third = await soonSent(page)
  await page.getByRole('button', { name: 'Resend OTP' }).click()
  await expect(told(page)).toHaveText(third)
  await expectAccessible(page)
})

for (const { language, late, failed, to } of [
  {
    language: 'en',
    late: 'Your OTP could not be sent within 30 seconds. It may still arrive. If it does not arrive, call 1800 209 3344.',
    failed: 'We could not send your OTP. Ask for a new one. If it does not arrive, call 1800 209 3344.',
    to: 'By SMS to +91 90••• ••098',
  },
  {
    language: 'hi',
    late: 'आपका OTP 30 सेकंड में नहीं भेजा जा सका। वह अब भी आ सकता है। OTP न मिले, तो 1800 209 3344 पर फ़ोन करें।',
    failed: 'हम आपका OTP नहीं भेज सके। नया OTP मँगाएँ। OTP न मिले, तो 1800 209 3344 पर फ़ोन करें।',
    to: '+91 90••• ••098 पर SMS से',
  },
])
  test(`98: a code that is not sent is reported with whom to call, in ${language}`, async ({ page, portal }) => {
    await page.clock.install()
    await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
    await page.goto('/login')
    await sendNumber(page, failing)
    await page.clock.fastForward(20_000)
    await expect(told(page).locator('p')).toBeVisible()
    await page.clock.fastForward(10_500)
    await expect(told(page)).toHaveText(late)
    await expect(page.getByRole('main').getByText(to)).toBeVisible()
    await expect(told(page).getByRole('link', support)).toHaveAttribute('href', 'tel:18002093344')
    await expectAccessible(page)

    const setRetries = (limit: number) =>
      portal.database.asSystem((sql) => raw`update pgboss.queue set retry_limit = ${limit} where name = 'send-sms'`.execute(sql))
    // The next message fails for good at its first try. The queue is the other tests' too.
    await setRetries(0)
    try {
      // The longest delay of a resend.
      await page.clock.fastForward(120_000)
      await page.locator('form button').last().click()
      await expect(told(page).locator('p')).toBeVisible()
      await until(async () => (await readStatus(portal, failing))?.message_status === 'failed')
    } finally {
      await setRetries(usualRetries)
    }
    await page.clock.fastForward(3_100)
    await expect(told(page)).toHaveText(failed)
    // Nothing is asked once the outcome is known.
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.clock.fastForward(120_000)
    await expect(page.locator('form button').last()).not.toHaveText(/\d/)
    expect(asked.filter((url) => url.includes('code-status'))).toEqual([])
  })

test('staff are told of each code and of one that is not sent; nothing is asked for a number of nobody', async ({
  page,
  portal,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(404, '/auth/login'))
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('code-status') && asked.push(request.url()))
  await page.clock.install()
  await page.goto('/admin/login')
  const sent = await soonSent(page, 'OTP sent at')
  await sendNumber(page, newPhone())
  await expect(told(page)).toHaveText(sent)
  await page.clock.fastForward(31_000)
  expect(asked).toEqual([])

  await page.goto('/admin/login')
  const answer = page.waitForResponse('**/auth/code-status*')
  await sendNumber(page, await newStaff(portal))
  await page.clock.fastForward(3_100)
  await answer
  await expect(told(page)).toHaveText(/^OTP sent at \d+:\d\d [ap]m$/)

  await page.goto('/admin/login')
  await sendNumber(page, failing)
  await page.clock.fastForward(31_000)
  await expect(told(page)).toContainText('Your OTP could not be sent within 30 seconds.')
  await expect(told(page).getByRole('link', support)).toBeVisible()
})
