import { addDays, dayInIndia } from '#domain/calendar.ts'
import { enter, failing, press, type ScreenContext, type State } from './screen-context.ts'

/** Opens a loan that is UNKNOWN. No loan of the demo is: it is written into real answers. */
async function enterChecked(screen: ScreenContext, path?: string): Promise<void> {
  for (const [call, list, change] of [
    ['loans-summary', 'loans', { loan_status: 'UNKNOWN' }],
    ['repayment-schedule', 'repayment_schedule', { status: 'Unknown' }],
  ] as const)
    await screen.page.route(`**/portal/${call}*`, async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as Record<string, object[]>
      await route.fulfill({ response, json: { ...body, [list]: body[list]?.map((row) => ({ ...row, ...change })) } })
    })
  await enter(screen, 1, path)
}

const loanSummary = ({ page }: ScreenContext) => page.locator('main section').first()

/** The loan page with its tabs, before any payment. */
export const loanStates: readonly State[] = [
  { name: 'loan-details', isLong: true, go: (screen) => enter(screen, 1) },
  {
    name: 'loan-details-table',
    isLong: true,
    go: async (screen) => {
      await enter(screen, 1)
      await loanSummary(screen).locator('summary').last().click()
      await screen.page.getByText('₹2,48,029.75').waitFor()
    },
  },
  {
    name: 'loan-details-computed',
    isLong: true,
    go: async (screen) => {
      await enter(screen, 1)
      await loanSummary(screen).locator('h2 + button').click()
    },
  },
  {
    name: 'loan-details-emi',
    isLong: true,
    go: async (screen) => {
      await enter(screen, 1)
      await loanSummary(screen).locator('dl button').first().click()
      await loanSummary(screen).locator('[aria-live=polite][aria-busy=false]').waitFor()
    },
  },
  { name: 'loan-details-overdue', isLong: true, go: (screen) => enter(screen, 2) },
  {
    name: 'loan-details-dues',
    isLong: true,
    go: async (screen) => {
      await enter(screen, 2)
      await loanSummary(screen).locator('summary').first().click()
      await loanSummary(screen).locator('[aria-live=polite][aria-busy=false]').last().waitFor()
    },
  },
  {
    name: 'loan-details-limited',
    go: async (screen) => {
      await screen.page.route('**/portal/repayment-schedule*', async (route) => {
        const response = await route.fetch()
        const { allowed_payments: allowed, ...body } = (await response.json()) as { allowed_payments: { overdue_payment: object } }
        const overdue_payment = { ...allowed.overdue_payment, isLimited: true }
        await route.fulfill({ response, json: { ...body, allowed_payments: { ...allowed, overdue_payment } } })
      })
      await enter(screen, 2)
    },
  },
  { name: 'loan-details-very-overdue', go: (screen) => enter(screen, 5) },
  { name: 'loan-details-checked', isLong: true, go: (screen) => enterChecked(screen) },
  { name: 'loan-details-closed', isLong: true, go: (screen) => enter(screen, 4) },
  {
    name: 'loan-details-closed-failed',
    go: async (screen) => {
      await enter(screen, 4)
      await failing(screen, '/portal/generate-document', 503)
      // Its buttons come with code of their own.
      await loanSummary(screen).locator('h2.text-center').waitFor()
      await loanSummary(screen).locator('button').first().click()
      await loanSummary(screen).locator('[role=alert]').waitFor()
    },
  },
  {
    name: 'loan-selector',
    popup: '[role=listbox]',
    go: async (screen) => {
      await enter(screen, 2)
      await screen.page.getByRole('combobox').click()
      await screen.page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'loan-details-moratorium',
    shows: '#emi-start',
    go: async (screen) => {
      const on = (days: number) => addDays(dayInIndia(screen.app.clock.now()), days)
      const emi_start = {
        last_pre_emi: { due_date: on(4), amount: 7_480 },
        first_emi: { due_date: on(35), amount: 14_512 },
        capitalised: { date: on(4), amount: 48_310.5 },
      }
      await screen.page.route('**/portal/loans-summary*', async (route) => {
        const { loans } = (await (await route.fetch()).json()) as { loans: object[] }
        await route.fulfill({ json: { loans: loans.map((loan) => ({ ...loan, emi_start })) } })
      })
      await enter(screen, 1)
      await screen.page.locator('#emi-start').waitFor()
    },
  },
  { name: 'payments', isLong: true, go: (screen) => enter(screen, 1, '/active-loans/payments') },
  { name: 'payments-overdue', isLong: true, go: (screen) => enter(screen, 2, '/active-loans/payments') },
  { name: 'payments-checked', isLong: true, go: (screen) => enterChecked(screen, '/active-loans/payments') },
  {
    name: 'payments-checked-row',
    shows: '#repayment-schedule',
    go: async (screen) => {
      await enterChecked(screen, '/active-loans/payments')
      await screen.page.locator('section:has(#repayment-schedule) button[aria-expanded]').nth(2).click()
    },
  },
  { name: 'payments-closed', isLong: true, go: (screen) => enter(screen, 4, '/active-loans/payments') },
  {
    name: 'payments-closed-options',
    isLong: true,
    go: async (screen) => {
      await enter(screen, 4, '/active-loans/payments')
      await screen.page.locator('main details > summary').first().click()
    },
  },
  {
    name: 'payments-limited',
    go: async (screen) => {
      await enter(screen, 11, '/active-loans/payments')
      await screen.page.locator('input[value=foreclosure]').check({ force: true })
    },
  },
  {
    name: 'payments-schedule',
    shows: '#repayment-schedule',
    go: (screen) => enter(screen, 1, '/active-loans/payments'),
  },
  {
    name: 'payments-schedule-row',
    shows: '#repayment-schedule',
    isAnew: true,
    go: async (screen) => {
      await enter(screen, 2, '/active-loans/payments')
      const schedule = screen.page.locator('section:has(#repayment-schedule)')
      await schedule.locator('button[aria-expanded]').nth(2).click()
      await schedule.locator('[aria-live=polite][aria-busy=false]').waitFor()
    },
  },
  {
    name: 'part-payment',
    go: async (screen) => {
      await enter(screen, 1, '/active-loans/payments')
      await screen.page.locator('input[value=part_payment]').check({ force: true })
      await press(screen)
      await screen.page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'part-payment-too-little',
    go: async (screen) => {
      await enter(screen, 1, '/active-loans/payments')
      await screen.page.locator('input[value=part_payment]').check({ force: true })
      await press(screen)
      await screen.page.getByRole('dialog').getByRole('textbox').fill('100')
    },
  },
  { name: 'documents', go: (screen) => enter(screen, 1, '/active-loans/documents') },
  { name: 'documents-no-lead', go: (screen) => enter(screen, 7, '/active-loans/documents') },
]
