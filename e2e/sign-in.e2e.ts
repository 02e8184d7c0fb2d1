import type { Page } from '@playwright/test'
import { demoPhone } from '#testkit/demo-town.ts'
import { codeFor, expect, firstBox, openLogin, pauseClock, refused, requestCode, test, typeCode, wrongCode } from './portal.ts'

const verifyButton = (page: Page) => page.getByRole('button', { name: 'Verify and sign in' })
const boxes = (page: Page) => page.getByRole('textbox')

async function paste(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await page.keyboard.press('ControlOrMeta+V')
}

test('a borrower signs in with the code from the SMS and sees the loan page', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  await page.goto('/login')
  await expect(page.getByRole('heading', { name: 'Sign in to your loan' })).toBeVisible()
  await expect(page.getByText(/We never ask for your OTP by phone or message/)).toBeVisible()
  await expect(page).toHaveTitle('Sign in - Kist')

  const code = await requestCode(page, portal, phone)
  await expect(page.getByText(`+91 ${phone.slice(3, 5)}••• ••${phone.slice(-3)}`)).toBeVisible()
  await expect(page).toHaveTitle('Enter the OTP - Kist')
  await expect(firstBox(page)).toBeFocused()
  await expect(firstBox(page)).toHaveAttribute('autocomplete', 'one-time-code')

  await page.keyboard.type(code)
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/active-loans$/)
  await expect(page.getByRole('heading', { name: 'Your loans', level: 1 })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Account menu.*Nisha Verma$/ })).toBeVisible()
})

test('enter sends the number, and enter sends the complete code', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  await page.goto('/login')
  await page.getByLabel('Mobile number').fill(phone.slice(3))
  const before = portal.outbox().length
  await page.keyboard.press('Enter')
  const code = await codeFor(portal, phone, before)
  await expect(firstBox(page)).toBeFocused()

  await page.keyboard.type(code.slice(0, 4))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'Enter all 6 digits of the OTP' })).toBeVisible()

  await expect(page.getByLabel('Digit 5 of 6')).toBeFocused()
  await page.keyboard.type(code.slice(4))
  await expect(page.getByText('Enter all 6 digits of the OTP')).toBeHidden()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('a wrong code is reported, typing clears it, and the right code still opens', async ({ page, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(400, '/auth/verify'))
  const { phone } = await borrower()
  await page.goto('/login')
  const code = await requestCode(page, portal, phone)
  await typeCode(page, wrongCode(code))
  await verifyButton(page).click()
  const mismatch = page.getByText('This OTP does not match. Check the latest SMS and enter it again.')
  await expect(mismatch).toBeVisible()
  await expect(firstBox(page)).toBeFocused()
  await expect(firstBox(page)).toHaveAttribute('aria-invalid', 'true')

  await page.keyboard.type(code)
  await expect(mismatch).toBeHidden()
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('an expired code is answered by a new one, with a notice', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  await page.goto('/login')
  const expired = await requestCode(page, portal, phone)
  await portal.clock.advance(6 * 60_000)
  const before = portal.outbox().length
  await typeCode(page, expired)
  await verifyButton(page).click()
  const notice = page
    .getByRole('status')
    .filter({ hasText: 'That OTP had expired. We have sent a new one: enter the OTP from the latest SMS.' })
  await expect(notice).toBeVisible()
  for (const box of await boxes(page).all()) await expect(box).toHaveValue('')

  await typeCode(page, await codeFor(portal, phone, before))
  await expect(notice).toBeHidden()
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('after five wrong codes verifying is shut off until a new code is asked for', async ({ page, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(400, '/auth/verify'))
  browserErrors.expectConsole(refused(429, '/auth/verify'))
  const { phone } = await borrower()
  await page.clock.install()
  await page.goto('/login')
  const code = await requestCode(page, portal, phone)
  const mismatch = page.getByText('This OTP does not match.')
  for (let attempt = 1; attempt <= 5; attempt++) {
    await typeCode(page, wrongCode(code, attempt))
    await expect(mismatch).toBeHidden()
    await verifyButton(page).click()
    await expect(mismatch.or(page.getByText('Too many wrong OTPs.'))).toBeVisible()
  }
  // The fifth may be refused as wrong; every later one is refused as too many, the right code too.
  if (await mismatch.isVisible()) {
    await typeCode(page, code)
    await verifyButton(page).click()
  }
  await expect(page.getByText('Too many wrong OTPs. Ask for a new OTP to continue.')).toBeVisible()
  await expect(verifyButton(page)).toHaveAttribute('aria-disabled', 'true')
  await typeCode(page, code)
  await expect(page.getByText('Too many wrong OTPs. Ask for a new OTP to continue.')).toBeVisible()

  const before = portal.outbox().length
  await page.clock.fastForward(31_000)
  await page.getByRole('button', { name: 'Resend OTP' }).click()
  const generateCode = await codeFor(portal, phone, before)
  await expect(verifyButton(page)).not.toHaveAttribute('aria-disabled')
  await typeCode(page, generateCode)
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('a page that was closed while the code is awaited goes on with the code, which is not stored', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  await page.goto('/login')
  const code = await requestCode(page, portal, phone)
  await typeCode(page, code.slice(0, 5))
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(code.slice(0, 5))
  await page.reload()
  await expect(firstBox(page)).toBeFocused()
  await expect(firstBox(page)).toHaveValue('')
  await expect(page.getByText(`+91 ${phone.slice(3, 5)}••• ••${phone.slice(-3)}`)).toBeVisible()
  await expect(page.getByRole('button', { name: /^Resend OTP/ })).toBeVisible()
  await page.keyboard.type(code)
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/active-loans$/)
  expect(await page.evaluate(() => sessionStorage.getItem('sentCode'))).toBeNull()
})

test('a page that was closed begins with the number if that was to be changed, or the code is old', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  const kept = () => page.evaluate(() => sessionStorage.getItem('sentCode'))
  await page.goto('/login')
  await requestCode(page, portal, phone)
  await expect.poll(kept).toContain(phone.slice(3))
  await page.getByRole('button', { name: 'Change number' }).click()
  await expect.poll(kept).toBeNull()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in to your loan' })).toBeVisible()

  const sentMs = Date.now() - 7 * 60_000
  const old = { phone: phone.slice(3), sessionToken: 's', atMs: sentMs, resendAtMs: sentMs, times: 1 }
  await page.evaluate((text) => sessionStorage.setItem('sentCode', text), JSON.stringify(old))
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in to your loan' })).toBeVisible()
  await expect.poll(kept).toBeNull()
})

test('a code whose answer was lost is not called wrong when it is entered again', async ({ page, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(/net::ERR_FAILED/)
  browserErrors.expectConsole(refused(400, '/auth/verify'))
  const { phone } = await borrower()
  await page.goto('/login')
  const code = await requestCode(page, portal, phone)
  await page.route(
    '**/auth/verify',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await typeCode(page, code)
  await verifyButton(page).click()
  await expect(page.getByText('Network error occurred. Please check your connection and try again.')).toBeVisible()
  await verifyButton(page).click()
  await expect(page.getByText('This OTP was not accepted. Enter the OTP from the latest SMS, or ask for a new one.')).toBeVisible()
  await expect(page.getByText('This OTP does not match.')).toBeHidden()
})

for (const [who, phone] of [
  ['nobody', demoPhone(99)],
  ['a disabled borrower', demoPhone(10)],
] as const)
  test(`a number of ${who} is reported, and editing clears it`, async ({ page, browserErrors }) => {
    browserErrors.expectConsole(refused(404, '/auth/login'))
    await page.goto('/login')
    await page.getByLabel('Mobile number').fill(phone.slice(3))
    await page.getByRole('button', { name: 'Send OTP' }).click()
    const unknown = page.getByText('No loan is registered to this number. Use the number you gave your lender.')
    await expect(unknown).toBeVisible()
    await expect(page.getByLabel('Mobile number')).toBeFocused()
    await page.keyboard.press('Backspace')
    await expect(unknown).toBeHidden()
  })

test('an invalid number is reported before anything is sent', async ({ page, portal }) => {
  await page.goto('/login')
  const before = portal.outbox().length
  for (const typed of ['', '98765', 'abc']) {
    await page.getByLabel('Mobile number').fill(typed)
    await page.getByRole('button', { name: 'Send OTP' }).click()
    await expect(page.getByText('Enter a valid 10-digit mobile number')).toBeVisible()
    await expect(page.getByLabel('Mobile number')).toBeFocused()
    await expect(page.getByLabel('Mobile number')).toHaveAttribute('aria-invalid', 'true')
  }
  await page.getByLabel('Mobile number').fill('9')
  await expect(page.getByText('Enter a valid 10-digit mobile number')).toBeHidden()
  expect(portal.outbox().length).toBe(before)
})

test('only digits are taken, ten at most, grouped to be read', async ({ page }) => {
  await page.goto('/login')
  await page.getByLabel('Mobile number').pressSequentially('98a7-6 5432109')
  await expect(page.getByLabel('Mobile number')).toHaveValue('98765 43210')
})

for (const pasted of ['+91 98765-43210', '0 98765 43210', '91-9876543210', '००९१ ९८७६५ ४३२१०'])
  test(`pasting ${pasted} fills the ten digits`, async ({ page }) => {
    await page.goto('/login')
    await page.getByLabel('Mobile number').focus()
    await paste(page, pasted)
    await expect(page.getByLabel('Mobile number')).toHaveValue('98765 43210')
  })

test('pasting the whole SMS fills the boxes', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  await page.goto('/login')
  const code = await requestCode(page, portal, phone)
  const sms = portal.outbox().findLast(({ to }) => to === phone)?.text ?? ''
  expect(sms).toContain(code)
  await firstBox(page).focus()
  await paste(page, sms)
  for (const [index, box] of (await boxes(page).all()).entries()) await expect(box).toHaveValue(code[index] ?? '')
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('pasting six digits into any box fills them all, and backspace takes the last away', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  await page.goto('/login')
  await requestCode(page, portal, phone)
  await firstBox(page).focus()
  await paste(page, '135 790')
  for (const [index, box] of (await boxes(page).all()).entries()) await expect(box).toHaveValue('135790'[index] ?? '')

  const shown = async (code: string): Promise<void> => {
    for (const [index, box] of (await boxes(page).all()).entries()) await expect(box).toHaveValue(code[index] ?? '')
  }
  await page.getByLabel('Digit 6 of 6').focus()
  await page.keyboard.press('Backspace')
  await shown('13579')
  await page.keyboard.type('x4')
  await shown('135794')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await shown('1357')
  await page.keyboard.type('26')
  await shown('135726')
  await page.getByLabel('Digit 2 of 6').focus()
  await page.keyboard.press('Backspace')
  await shown('15726')
})

test('a code can be resent when the countdown is over; only the latest one opens', async ({ page, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(400, '/auth/verify'))
  const { phone } = await borrower()
  await page.clock.install()
  await page.goto('/login')
  const first = await requestCode(page, portal, phone)
  const resend = page.getByRole('button', { name: /^Resend OTP/ })
  await expect(resend).toHaveText(/^Resend OTP in (30|[12]\d)s$/)
  await pauseClock(page)
  await expect(resend).toHaveAttribute('aria-disabled', 'true')
  const left = Number(/\d+/.exec((await resend.textContent()) ?? '')?.[0])
  await page.clock.runFor(5_000)
  await expect(resend).toHaveText(`Resend OTP in ${left - 5}s`)
  await page.clock.runFor(26_000)
  await expect(resend).toHaveText('Resend OTP')
  await expect(page.getByText('You can ask for a new OTP now.')).toBeAttached()

  const before = portal.outbox().length
  await resend.click()
  const second = await codeFor(portal, phone, before)
  // The delay grows with every code.
  await expect(resend).toHaveText('Resend OTP in 60s')
  await page.clock.resume()
  if (first !== second) {
    await typeCode(page, first)
    await verifyButton(page).click()
    await expect(page.getByText('This OTP does not match.')).toBeVisible()
  }
  await typeCode(page, second)
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('the code is read from each SMS, also from that of a resent code', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  // A stand-in for the phone: the SMS of a request is what the test gives it.
  await page.addInitScript(() => {
    type Read = { arrive: (code: string) => void; signal: AbortSignal }
    const reads: Read[] = []
    Object.assign(window, { OTPCredential: true, smsReads: reads })
    Object.defineProperty(navigator.credentials, 'get', {
      value: ({ signal }: { signal: AbortSignal }) => new Promise((arrive) => reads.push({ signal, arrive: (code) => arrive({ code }) })),
    })
  })
  const readOpenSms = (code: string) =>
    page.evaluate((code) => {
      const { smsReads } = window as unknown as { smsReads: { arrive: (code: string) => void; signal: AbortSignal }[] }
      const open = smsReads.filter(({ signal }) => !signal.aborted)
      open.at(-1)?.arrive(code)
      return open.length
    }, code)
  const shown = async (code: string): Promise<void> => {
    for (const [index, box] of (await boxes(page).all()).entries()) await expect(box).toHaveValue(code[index] ?? '')
  }
  await page.clock.install()
  await page.goto('/login')
  const first = await requestCode(page, portal, phone)
  await expect(firstBox(page)).toBeFocused()
  expect(await readOpenSms(first)).toBe(1)
  await shown(first)

  await page.clock.fastForward(31_000)
  const before = portal.outbox().length
  await page.getByRole('button', { name: 'Resend OTP' }).click()
  const second = await codeFor(portal, phone, before)
  await shown('')
  expect(await readOpenSms(second)).toBe(1)
  await shown(second)
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('changing the number leads back and clears code and countdown', async ({ page, portal, borrower }) => {
  const [first, second] = [await borrower(), await borrower()]
  await page.goto('/login')
  await requestCode(page, portal, first.phone)
  await typeCode(page, '123')
  await page.getByRole('button', { name: 'Change number' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to your loan' })).toBeFocused()
  await expect(page.getByRole('button', { name: /^Resend OTP/ })).toBeHidden()
  await expect(page.getByLabel('Mobile number')).toHaveValue(`${first.phone.slice(3, 8)} ${first.phone.slice(8)}`)

  const code = await requestCode(page, portal, second.phone)
  for (const box of await boxes(page).all()) await expect(box).toHaveValue('')
  await expect(page.getByRole('button', { name: /^Resend OTP in/ })).toBeVisible()
  await typeCode(page, code)
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('a broken connection and a failing server are reported, and trying again works', async ({ page, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(/net::ERR_FAILED/)
  browserErrors.expectConsole(refused(503, '/auth/verify'))
  const { phone } = await borrower()
  await page.goto('/login')
  await page.getByLabel('Mobile number').fill(phone.slice(3))
  await page.route('**/auth/login', (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(page.getByText('Network error occurred. Please check your connection and try again.')).toBeVisible()

  const code = await requestCode(page, portal, phone)
  await typeCode(page, code)
  await page.route('**/auth/verify', (route) => route.fulfill({ status: 503, body: 'upstream' }), { times: 1 })
  await verifyButton(page).click()
  await expect(page.getByText('Backend is temporarily down. Please try again.')).toBeVisible()
  await typeCode(page, code)
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('an offline browser says so', async ({ page, context, browserErrors }) => {
  browserErrors.expectConsole(/ERR_INTERNET_DISCONNECTED/)
  await openLogin(page)
  await page.getByLabel('Mobile number').fill('9876543210')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(page.getByText('Unable to connect to server. Please check your internet connection and try again.')).toBeVisible()
})

for (const [path, title] of [
  ['/login', 'Sign in'],
  ['/admin/login', 'Staff sign-in'],
] as const)
  test(`${path} says that the browser is offline before anything is sent`, async ({ page, context, browserErrors }) => {
    browserErrors.tolerateConsole(/ERR_INTERNET_DISCONNECTED/)
    await page.goto(path)
    // Only the code sets the document's title.
    await expect(page).toHaveTitle(`${title} - Kist`)
    await context.setOffline(true)
    const notice = page.getByRole('status').getByText('You are offline. You need an internet connection to sign in.')
    await expect(notice).toBeVisible()
    await context.setOffline(false)
    await expect(notice).toBeHidden()
  })

test('the language can be changed at the code step without losing what was typed', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  await page.goto('/login')
  await requestCode(page, portal, phone)
  await typeCode(page, '123')
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
  await expect(page.getByRole('button', { name: 'English' })).toBeVisible()
  await expect(boxes(page).nth(2)).toHaveValue('3')
})
