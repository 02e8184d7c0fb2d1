import { addDemoMandate } from '#testkit/demo-mandate.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { enter, type ScreenContext, type State } from './screen-context.ts'

/** The demo's borrower with UPI Autopay, and the one without. */
const [withMandate, without] = [15, 16]
const card = 'section:has(#autopay)'
const payments = '/active-loans/payments'

type Change = Record<string, unknown>
/** The debit of the next due date is planned as soon as one has failed. */
const afterFailure: Change = { due_date: '2027-01-05', debit_on: '2027-01-05' }
type Answers = { mandate?: Change; next?: Change | null; collections?: readonly Change[]; offer?: null }

/** Autopay on the payments tab. What depends on days or banks is written into real answers. */
export const autopayStates: readonly State[] = [
  { name: 'autopay-offered', shows: card, isLong: true, go: (screen) => show(screen, without) },
  { name: 'autopay-set-up', go: openSetUp },
  {
    name: 'autopay-set-up-account',
    go: async (screen) => {
      await openSetUp(screen)
      await screen.page.locator('input[value=emandate]').check({ force: true })
      await screen.page.getByRole('dialog').locator('button[type=submit]').click()
      await screen.page.getByRole('dialog').locator('[data-invalid]').first().waitFor()
    },
  },
  { name: 'autopay-active', shows: card, isLong: true, go: (screen) => show(screen, withMandate) },
  {
    name: 'autopay-pause',
    go: async (screen) => {
      await show(screen, withMandate)
      await screen.page.locator(`${card} button:not([aria-label])`).nth(-2).click()
      await screen.page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'autopay-cancel',
    go: async (screen) => {
      await show(screen, withMandate)
      await screen.page.locator(`${card} button:not([aria-label])`).last().click()
      await screen.page.getByRole('dialog').getByRole('button').nth(1).waitFor()
    },
  },
  {
    name: 'autopay-cancel-code',
    go: async (screen) => {
      await show(screen, withMandate)
      await screen.page.locator(`${card} button:not([aria-label])`).last().click()
      await screen.page.getByRole('dialog').getByRole('button').nth(1).click()
      await screen.page.locator('#cancel-code').waitFor()
    },
  },
  {
    name: 'autopay-waiting',
    shows: card,
    go: (screen) =>
      show(screen, withMandate, {
        mandate: {
          status: 'issued',
          account_hint: null,
          redirect_url: `${screen.app.sandboxUrl}/i/approve`,
          expires_at: inHours(screen, 1),
        },
        next: null,
      }),
  },
  {
    name: 'autopay-waiting-bank',
    shows: card,
    go: (screen) =>
      show(screen, withMandate, { mandate: { status: 'initiated', method: 'emandate', account_hint: 'HDFC 2154' }, next: null }),
  },
  {
    name: 'autopay-announced',
    shows: card,
    isLong: true,
    go: (screen) => show(screen, withMandate, { next: announced(screen) }),
  },
  {
    name: 'autopay-skip',
    go: async (screen) => {
      await show(screen, withMandate, { next: announced(screen) })
      await screen.page.locator(`${card} button:not([aria-label])`).first().click()
      await screen.page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'autopay-in-progress',
    isLong: true,
    go: (screen) => show(screen, withMandate, { next: inProgress(screen) }),
  },
  { name: 'autopay-on-loan-announced', go: (screen) => showOnLoan(screen, announced(screen)) },
  { name: 'autopay-on-loan-in-progress', go: (screen) => showOnLoan(screen, inProgress(screen)) },
  {
    name: 'autopay-failed',
    shows: card,
    isLong: true,
    go: (screen) => show(screen, withMandate, { next: afterFailure, collections: [failed(screen)] }),
  },
  {
    name: 'autopay-failed-day',
    go: async (screen) => {
      await show(screen, withMandate, { next: afterFailure, collections: [failed(screen)] })
      await screen.page.locator(`${card} [class*=danger-soft] button`).last().click()
      await screen.page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'autopay-cap-too-low',
    shows: card,
    go: (screen) => show(screen, withMandate, { mandate: { max_amount: 3_000, debit_limit: 3_000 } }),
  },
  {
    name: 'autopay-paused',
    shows: card,
    go: (screen) => show(screen, withMandate, { mandate: { status: 'paused', paused_by: 'portal' }, next: null }),
  },
  {
    name: 'autopay-paused-in-app',
    shows: card,
    go: (screen) => show(screen, withMandate, { mandate: { status: 'paused', paused_by: 'app' }, next: null }),
  },
  {
    name: 'autopay-ended',
    shows: card,
    go: (screen) => show(screen, withMandate, { mandate: { status: 'ended', reason: 'app', ended_at: inHours(screen, -1) }, next: null }),
  },
  {
    name: 'autopay-history',
    shows: card,
    isLong: true,
    go: async (screen) => {
      const skipped = past(screen, { id: 'skipped', status: 'skipped', reason: 'borrower', debit_on: day(screen, -31) })
      await show(screen, withMandate, { collections: [past(screen, { status: 'captured', steps: stepsOf(screen) }), skipped] })
      await screen.page.locator(`${card} summary`).last().click()
      await screen.page.locator(`${card} button[aria-expanded]`).first().click()
      await screen.page.locator(`${card} ol li`).nth(2).waitFor()
    },
  },
]

async function openSetUp(screen: ScreenContext): Promise<void> {
  await show(screen, without)
  await screen.page.locator(`${card} button`).first().click()
  await screen.page.locator('#autopay-cap').waitFor()
}

const inProgress = (screen: ScreenContext): Change => ({ status: 'presented', skip_until: null, expected_by: inHours(screen, 30) })

/** What the loan page says of the next debit. */
async function showOnLoan(screen: ScreenContext, next: Change): Promise<void> {
  await show(screen, withMandate, { next })
  await screen.page.goto(`${screen.origin}/active-loans`)
  await screen.page.locator('p', { hasText: / · (autopay|ऑटोपे)/ }).waitFor()
}

/** Opens the payments tab with changed answers about autopay. */
async function show(screen: ScreenContext, person: number, { mandate, next, collections, offer }: Answers = {}): Promise<void> {
  const { app, page } = screen
  const lan = await prepareMandate(screen, person)
  if (mandate || next !== undefined || offer !== undefined)
    await page.route(`**/portal/autopay?*`, async (route) => {
      const answer = (await (await route.fetch()).json()) as Record<'mandate' | 'offer' | 'next_collection', Change | null>
      const changed = next && { ...answer.next_collection, ...next }
      await route.fulfill({
        json: {
          mandate: mandate ? { ...answer.mandate, ...mandate } : answer.mandate,
          offer: offer === undefined ? answer.offer : offer,
          next_collection: next === undefined ? answer.next_collection : changed,
        },
      })
    })
  if (mandate)
    await page.route('**/portal/autopay/mandates/*', async (route) => {
      const answer = (await (await route.fetch()).json()) as { mandate: Change }
      await route.fulfill({ json: { mandate: { ...answer.mandate, ...mandate } } })
    })
  if (collections) {
    const token = await app.signIn(demoPhone(person))
    const { body } = await app.get(`/portal/autopay/collections?application_id=${lan}`, token)
    const [planned] = body['collections'] as Change[]
    await page.route('**/portal/autopay/collections?*', (route) =>
      route.fulfill({ json: { collections: collections.map((one) => ({ ...planned, ...one })) } }),
    )
  }
  await enter(screen, person, payments)
  await page.locator(`${card} p, ${card} [role=status]`).first().waitFor()
}

/** Gives the borrower of the demo the mandate, as `npm start` does. @returns the loan's number. */
export async function prepareMandate({ app }: ScreenContext, person: number): Promise<string> {
  const token = await app.signIn(demoPhone(person))
  const { body } = await app.get('/portal/loans-summary', token)
  const [loan] = body['loans'] as { lan: string }[]
  const lan = loan?.lan ?? ''
  if (person !== withMandate) return lan
  const { body: autopay } = await app.get(`/portal/autopay?application_id=${lan}`, token)
  if (autopay['mandate'] === null) await addDemoMandate(app.context, app.sandboxUrl)
  return lan
}

const inHours = ({ app }: ScreenContext, hours: number): string => new Date(app.clock.now().getTime() + hours * 3_600_000).toISOString()
const day = (screen: ScreenContext, days: number): string => inHours(screen, days * 24).slice(0, 10)
const retryDays = (screen: ScreenContext): Change => ({ from: day(screen, 3), until: day(screen, 20) })

const announced = (screen: ScreenContext): Change => ({
  status: 'announced',
  announced_at: inHours(screen, -1),
  delivered_at: inHours(screen, -1),
  skip_until: inHours(screen, 46),
})

/** A debit of the last due date. */
const past = (screen: ScreenContext, change: Change): Change => ({
  id: 'past',
  debit_on: day(screen, -1),
  due_date: change['debit_on'] ?? day(screen, -1),
  skip_until: null,
  ...change,
})

/** A debit of the next due date that failed, so that its instalment is unpaid. */
const failed = (screen: ScreenContext): Change => ({
  id: 'failed',
  status: 'failed',
  reason: 'insufficient_funds',
  failure_class: 'funds',
  retry: retryDays(screen),
  skip_until: null,
})

/** The EMI of the demo's borrower, in rupees. */
const instalment = 6_596

const stepsOf = (screen: ScreenContext): Change[] => [
  { step: 'announced', at: inHours(screen, -72), amount: instalment },
  { step: 'delivered', at: inHours(screen, -71.9) },
  { step: 'presented', at: inHours(screen, -28), amount: instalment },
  { step: 'paid', at: inHours(screen, -27.9), amount: instalment, payment_id: 'pay_1', method: 'upi' },
  { step: 'received', at: inHours(screen, -27.8), payment_id: 'pay_1' },
  { step: 'applied', at: inHours(screen, -27.8), payment_id: 'pay_1' },
  { step: 'receipt', at: inHours(screen, -27.8), payment_id: 'pay_1', receipt_number: 'R-2026-000123' },
]
