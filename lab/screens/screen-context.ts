import type { BrowserContext, Page } from 'playwright-core'
import { codeFor } from '#testkit/code-for.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import type { App } from '#testkit/start-app.ts'

export const languages = ['en', 'hi'] as const
export type Language = (typeof languages)[number]

/** A browser and a portal, and actions that bring a screen into a state. */
export type ScreenContext = { app: App; origin: string; context: BrowserContext; page: Page }

export type State = {
  name: string
  go: (screen: ScreenContext) => Promise<unknown>
  /** A state of the same chapter that must run before, because it pays. */
  after?: string
  /** The element to scroll to in every size, if it is not at the top. */
  shows?: string
  /** Longer than a screen: also pictured as a full page. */
  isLong?: boolean
  /**
   * A popup at the end of the document outside of all landmarks: axe checks only this element,
   * because the page is checked in another state.
   */
  popup?: string
  /**
   * Whether a change of size closes the popup, so that the state is reached again for each size.
   */
  isAnew?: boolean
  /** A page outside of the portal: pictured, not checked. */
  isForeign?: boolean
}

/** Opens a page as one of the demo people. */
export async function enter(screen: ScreenContext, person: number, path = '/active-loans'): Promise<void> {
  const { app, page, origin } = screen
  const phone = demoPhone(person)
  const before = app.outbox().length
  const { body: sent } = await app.post('/auth/login', { phone })
  const { body } = await app.post('/auth/verify', { session_token: sent['session_token'], otp: await codeFor(app, phone, before) })
  await page.goto(`${origin}/favicon.svg`)
  const stored = { token: String(body['token']), tokenReceivedAt: String(Date.now()), userData: JSON.stringify(body['user']) }
  await page.evaluate(`Object.entries(${JSON.stringify(stored)}).forEach(([key, value]) => localStorage.setItem(key, value))`)
  await page.goto(`${origin}${path}`)
  await page.locator('h1').waitFor()
}

/** Enters a phone on the login and requests a code. @returns the code. */
export async function requestCode({ app, page, origin }: ScreenContext, person: number): Promise<string> {
  const phone = demoPhone(person)
  const before = app.outbox().length
  await page.goto(`${origin}/login`)
  await page.locator('#phone').fill(phone.slice(3))
  await page.locator('form button[type=submit]').click()
  await page.locator('#code').waitFor()
  return codeFor(app, phone, before)
}

/** Starts the first offered payment up to the countdown. */
export async function press(screen: ScreenContext): Promise<void> {
  await screen.page.locator('.bottom-bar button:not([aria-disabled])').click()
}

/** Creates a payment link of a demo person's first loan by the API. @returns the link's id. */
export async function startPayment({ app, origin }: ScreenContext, person: number): Promise<string> {
  const token = await app.signIn(demoPhone(person))
  const { body } = await app.get('/portal/loans-summary', token)
  const [loan] = body['loans'] as { lan: string }[]
  const lan = loan?.lan ?? ''
  const { body: ongoing } = await app.get(`/portal/ongoing-payment?application_id=${lan}`, token)
  const open = ongoing['payment_link'] as { payment_link_id: string } | null
  if (open) return open.payment_link_id
  const { body: schedule } = await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
  const { overdue_payment: overdue, next_emi_payment: next } = schedule['allowed_payments'] as Record<
    string,
    { amount: number } | undefined
  >
  const isOverdue = (overdue?.amount ?? 0) > 0
  const order = {
    amount: isOverdue ? overdue?.amount : next?.amount,
    purpose: isOverdue ? 'OVERDUE' : 'PAY_EMI',
    lead_id: lan,
    application_id: lan,
    callback_url: `${origin}/payments/waiting-for-payment`,
  }
  const { body: made } = await app.post('/portal/payment-link?use_razorpay=true', order, token)
  return String(made['payment_link_id'])
}

export const waitingPath = (linkId: string): string => `/payments/waiting-for-payment?razorpay_payment_link_id=${linkId}`

/** Makes a call of the portal fail, for screens that need it. */
export const failing = (screen: ScreenContext, call: string, status = 500): Promise<unknown> =>
  screen.page.route(`**/api/v1${call}*`, (route) => route.fulfill({ status, body: '' }))
