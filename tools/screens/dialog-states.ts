import { enter, failing, type Stage } from './stage.ts'
import type { State } from './states.ts'

/** Opens something over a page and waits until it stands there. */
async function open(stage: Stage, path: string, press: string, ready: string, person = 1): Promise<void> {
  await enter(stage, person, path)
  await stage.page.locator(press).first().click()
  await stage.page.locator(ready).first().waitFor()
}

const disbursals = 'section:has(#disbursals) button:not([aria-disabled])'

/** What opens over a page. */
export const dialogStates: readonly State[] = [
  {
    name: 'menu',
    popup: '[role=menu]',
    go: (stage) => open(stage, '/active-loans', 'header button[aria-haspopup=menu]:visible', '[role=menuitem]'),
  },
  {
    name: 'notices',
    popup: '[role=dialog]',
    go: (stage) => open(stage, '/active-loans', 'header button[aria-haspopup=dialog]:visible', '[role=dialog]'),
  },
  { name: 'disbursal', go: (stage) => open(stage, '/active-loans', disbursals, '#tranche-amount') },
  {
    name: 'disbursal-date',
    popup: '[role=dialog]:has(table)',
    go: async (stage) => {
      await open(stage, '/active-loans', disbursals, '#tranche-amount')
      await stage.page.locator('#tranche-date').click()
      await stage.page.locator('[role=dialog] table').waitFor()
    },
  },
  {
    name: 'upload',
    go: (stage) => open(stage, '/active-loans/documents', 'section:has(#documents) button:not([aria-disabled])', '[role=dialog]'),
  },
  {
    name: 'part-payment-figures',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.locator('input[value=part_payment]').check({ force: true })
      await stage.page.locator('.bottom-bar button:not([aria-disabled])').click()
      await stage.page.getByRole('dialog').getByRole('textbox').fill('150000')
      await stage.page.getByRole('dialog').locator('summary').click()
      await stage.page.getByRole('dialog').locator('table, ul').first().waitFor()
      await stage.page.getByRole('dialog').locator('#what-if').evaluate('(heading) => heading.scrollIntoView()')
    },
  },
  {
    name: 'error-network',
    go: async (stage) => {
      await stage.page.route('**/api/v1/portal/loans-summary', (route) => route.abort())
      await enter(stage, 1)
      await stage.page.getByRole('alert').getByRole('button').waitFor()
    },
  },
  {
    name: 'error-too-many',
    go: async (stage) => {
      await failing(stage, '/portal/loans-summary', 429)
      await enter(stage, 1)
      await stage.page.getByRole('alert').getByRole('button').waitFor()
    },
  },
  { name: 'application-none', go: (stage) => enter(stage, 1, '/ongoing-application') },
  {
    name: 'faqs-open',
    go: async (stage) => {
      await enter(stage, 1, '/faqs')
      for (const summary of await stage.page.locator('main summary').all()) await summary.click()
    },
    isLong: true,
  },
]
