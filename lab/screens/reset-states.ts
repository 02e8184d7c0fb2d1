import { drawPage } from '#testkit/demo-documents.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { publishPaper } from '#testkit/operations-staff.ts'
import { prepareMandate } from './autopay-states.ts'
import { enter, failing, type ScreenContext, type State } from './screen-context.ts'

/** The demo person with a floating loan whose new rate is announced. */
const person = 14
const withMandate = 15

async function compare(screen: ScreenContext): Promise<void> {
  await enter(screen, person)
  await screen.page.locator('section[aria-labelledby^=reset-] button').click()
  await screen.page.getByRole('dialog').waitFor()
}

const pick = ({ page }: ScreenContext, option: string): Promise<void> => page.locator(`input[value=${option}]`).check({ force: true })

async function confirm(screen: ScreenContext, option: string): Promise<void> {
  await compare(screen)
  await pick(screen, option)
  await screen.page.getByRole('dialog').locator('button[type=submit]').click()
  await screen.page.locator('[role=dialog]:not(:has(form)) dl').waitFor()
}

const send = ({ page }: ScreenContext): Promise<void> => page.locator('[role=dialog]:not(:has(form)) button').nth(1).click()

type ResetAnswer = {
  rate_resets: { mandate_cap: number | null; options: { option: string; instalment: number; exceeds_mandate_cap: boolean }[] }[]
}

/** The borrower has the mandate of another one, which is enough for the EMI of before only. */
async function allowOnlyTheOldEmi(screen: ScreenContext): Promise<void> {
  const lan = await prepareMandate(screen, withMandate)
  const { body } = await screen.app.get(`/portal/autopay?application_id=${lan}`, await screen.app.signIn(demoPhone(withMandate)))
  let cap = 0
  await screen.page.route('**/portal/rate-resets?*', async (route) => {
    const { rate_resets: resets } = (await (await route.fetch()).json()) as ResetAnswer
    cap = resets[0]?.options.find(({ option }) => option === 'keep_emi')?.instalment ?? 0
    for (const reset of resets) {
      reset.mandate_cap = cap
      for (const option of reset.options) option.exceeds_mandate_cap = option.instalment > cap
    }
    await route.fulfill({ json: { rate_resets: resets } })
  })
  await screen.page.route('**/portal/autopay?*', (route) =>
    route.fulfill({ json: { ...body, mandate: { ...(body['mandate'] as object), max_amount: cap, debit_limit: cap } } }),
  )
}

/** A new rate of a floating loan, before it is chosen and after. */
export const resetStates: readonly State[] = [
  { name: 'rate-reset', isLong: true, go: (screen) => enter(screen, person) },
  {
    name: 'rate-reset-failed',
    go: async (screen) => {
      await failing(screen, '/portal/rate-resets', 503)
      await enter(screen, person)
      await screen.page.locator('main [role=alert]').first().waitFor()
    },
  },
  { name: 'rate-reset-compare', go: compare },
  { name: 'rate-reset-curves', shows: '[role=dialog] figure', go: compare },
  {
    name: 'rate-reset-between',
    shows: '#reset-instalment',
    go: async (screen) => {
      await compare(screen)
      await pick(screen, 'between')
      await screen.page.locator('#reset-instalment').fill('100')
    },
  },
  {
    name: 'rate-reset-cap-too-low',
    shows: '[role=dialog] [class*=caution-soft]',
    go: async (screen) => {
      await allowOnlyTheOldEmi(screen)
      await compare(screen)
      await pick(screen, 'keep_tenor')
      await screen.page.locator('[role=dialog] [class*=caution-soft] button').waitFor()
    },
  },
  { name: 'rate-reset-confirm', go: (screen) => confirm(screen, 'part_payment') },
  {
    name: 'rate-reset-not-sent',
    go: async (screen) => {
      await confirm(screen, 'keep_tenor')
      await failing(screen, '/portal/rate-resets/*/choice', 503)
      await send(screen)
      await screen.page.locator('[role=dialog] [role=alert]').waitFor()
    },
  },
  {
    name: 'rate-reset-chosen',
    after: 'rate-reset-not-sent',
    go: async (screen) => {
      await confirm(screen, 'part_payment')
      await send(screen)
      await screen.page.locator('section[aria-labelledby^=reset-] a').waitFor()
    },
  },
  {
    name: 'loan-papers',
    shows: '#papers',
    go: async (screen) => {
      const staff = { maker: demoPhone(12), checker: demoPhone(13) }
      for (const paper of ['kfs', 'agreement'])
        await publishPaper(screen.app, staff, { lan: 'KST-25-004140', paper, filename: `${paper}.pdf`, bytes: drawPage(`Paper ${paper}`) })
      await enter(screen, person, '/active-loans/documents')
    },
  },
]
