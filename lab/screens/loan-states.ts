import { addDays, dayInIndia } from '#domain/calendar.ts'
import { enter, failing, press, type Stage, type State } from './stage.ts'

/** Opens a loan that is UNKNOWN. No loan of the demo is: it is written into real answers. */
async function enterChecked(stage: Stage, path?: string): Promise<void> {
  for (const [call, list, change] of [
    ['loans-summary', 'loans', { loan_status: 'UNKNOWN' }],
    ['repayment-schedule', 'repayment_schedule', { status: 'Unknown' }],
  ] as const)
    await stage.page.route(`**/portal/${call}*`, async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as Record<string, object[]>
      await route.fulfill({ response, json: { ...body, [list]: body[list]?.map((row) => ({ ...row, ...change })) } })
    })
  await enter(stage, 1, path)
}

const loanSummary = ({ page }: Stage) => page.locator('main section').first()

/** The loan page with its tabs, before any payment. */
export const loanStates: readonly State[] = [
  { name: 'loan-details', isLong: true, go: (stage) => enter(stage, 1) },
  {
    name: 'loan-details-table',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 1)
      await loanSummary(stage).locator('summary').last().click()
      await stage.page.getByText('₹2,48,029.75').waitFor()
    },
  },
  {
    name: 'loan-details-computed',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 1)
      await loanSummary(stage).locator('h2 + button').click()
    },
  },
  {
    name: 'loan-details-emi',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 1)
      await loanSummary(stage).locator('dl button').first().click()
      await loanSummary(stage).locator('[aria-live=polite][aria-busy=false]').waitFor()
    },
  },
  { name: 'loan-details-overdue', isLong: true, go: (stage) => enter(stage, 2) },
  {
    name: 'loan-details-dues',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 2)
      await loanSummary(stage).locator('summary').first().click()
      await loanSummary(stage).locator('[aria-live=polite][aria-busy=false]').last().waitFor()
    },
  },
  {
    name: 'loan-details-limited',
    go: async (stage) => {
      await stage.page.route('**/portal/repayment-schedule*', async (route) => {
        const response = await route.fetch()
        const { allowed_payments: allowed, ...body } = (await response.json()) as { allowed_payments: { overdue_payment: object } }
        const overdue_payment = { ...allowed.overdue_payment, isLimited: true }
        await route.fulfill({ response, json: { ...body, allowed_payments: { ...allowed, overdue_payment } } })
      })
      await enter(stage, 2)
    },
  },
  { name: 'loan-details-very-overdue', go: (stage) => enter(stage, 5) },
  { name: 'loan-details-checked', isLong: true, go: (stage) => enterChecked(stage) },
  { name: 'loan-details-closed', isLong: true, go: (stage) => enter(stage, 4) },
  {
    name: 'loan-details-closed-failed',
    go: async (stage) => {
      await enter(stage, 4)
      await failing(stage, '/portal/generate-document', 503)
      // Its buttons come with code of their own.
      await loanSummary(stage).locator('h2.text-center').waitFor()
      await loanSummary(stage).locator('button').first().click()
      await loanSummary(stage).locator('[role=alert]').waitFor()
    },
  },
  {
    name: 'loan-selector',
    popup: '[role=listbox]',
    go: async (stage) => {
      await enter(stage, 2)
      await stage.page.getByRole('combobox').click()
      await stage.page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'loan-details-moratorium',
    shows: '#emi-start',
    go: async (stage) => {
      const on = (days: number) => addDays(dayInIndia(stage.app.clock.now()), days)
      const emi_start = {
        last_pre_emi: { due_date: on(4), amount: 7_480 },
        first_emi: { due_date: on(35), amount: 14_512 },
        capitalised: { date: on(4), amount: 48_310.5 },
      }
      await stage.page.route('**/portal/loans-summary*', async (route) => {
        const { loans } = (await (await route.fetch()).json()) as { loans: object[] }
        await route.fulfill({ json: { loans: loans.map((loan) => ({ ...loan, emi_start })) } })
      })
      await enter(stage, 1)
      await stage.page.locator('#emi-start').waitFor()
    },
  },
  { name: 'payments', isLong: true, go: (stage) => enter(stage, 1, '/active-loans/payments') },
  { name: 'payments-overdue', isLong: true, go: (stage) => enter(stage, 2, '/active-loans/payments') },
  { name: 'payments-checked', isLong: true, go: (stage) => enterChecked(stage, '/active-loans/payments') },
  { name: 'payments-closed', isLong: true, go: (stage) => enter(stage, 4, '/active-loans/payments') },
  {
    name: 'payments-closed-options',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 4, '/active-loans/payments')
      await stage.page.locator('main details > summary').first().click()
    },
  },
  {
    name: 'payments-limited',
    go: async (stage) => {
      await enter(stage, 11, '/active-loans/payments')
      await stage.page.locator('input[value=foreclosure]').check({ force: true })
    },
  },
  {
    name: 'payments-schedule',
    shows: '#repayment-schedule',
    go: (stage) => enter(stage, 1, '/active-loans/payments'),
  },
  {
    name: 'payments-schedule-row',
    shows: '#repayment-schedule',
    isAnew: true,
    go: async (stage) => {
      await enter(stage, 2, '/active-loans/payments')
      const schedule = stage.page.locator('section:has(#repayment-schedule)')
      await schedule.locator('button[aria-expanded]').nth(2).click()
      await schedule.locator('[aria-live=polite][aria-busy=false]').waitFor()
    },
  },
  {
    name: 'part-payment',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.locator('input[value=part_payment]').check({ force: true })
      await press(stage)
      await stage.page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'part-payment-too-little',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.locator('input[value=part_payment]').check({ force: true })
      await press(stage)
      await stage.page.getByRole('dialog').getByRole('textbox').fill('100')
    },
  },
  { name: 'documents', go: (stage) => enter(stage, 1, '/active-loans/documents') },
  { name: 'documents-no-lead', go: (stage) => enter(stage, 7, '/active-loans/documents') },
]
