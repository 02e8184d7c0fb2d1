import { enter, press, type State } from './stage.ts'

/** The loan page with its tabs, before any payment. */
export const loanStates: readonly State[] = [
  { name: 'loan-details', isLong: true, go: (stage) => enter(stage, 1) },
  {
    name: 'loan-details-table',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 1)
      await stage.page.locator('section:has(#loan-summary) summary').first().click()
      await stage.page.getByText('₹2,48,029.75').waitFor()
    },
  },
  {
    name: 'loan-details-computed',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 1)
      await stage.page.locator('section:has(#loan-summary) summary').last().click()
    },
  },
  {
    name: 'loan-details-emi',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 1)
      await stage.page.locator('section:has(#loan-summary) dl button').first().click()
      await stage.page.locator('section:has(#loan-summary) [aria-live=polite][aria-busy=false]').waitFor()
    },
  },
  { name: 'loan-details-overdue', isLong: true, go: (stage) => enter(stage, 2) },
  { name: 'loan-details-very-overdue', go: (stage) => enter(stage, 5) },
  { name: 'loan-details-closed', isLong: true, go: (stage) => enter(stage, 4) },
  {
    name: 'loan-selector',
    popup: '[role=listbox]',
    go: async (stage) => {
      await enter(stage, 2)
      await stage.page.getByRole('combobox').click()
      await stage.page.getByRole('option').first().waitFor()
    },
  },
  { name: 'payments', isLong: true, go: (stage) => enter(stage, 1, '/active-loans/payments') },
  { name: 'payments-overdue', isLong: true, go: (stage) => enter(stage, 2, '/active-loans/payments') },
  { name: 'payments-closed', go: (stage) => enter(stage, 4, '/active-loans/payments') },
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
      await schedule.locator('tbody button').nth(9).or(schedule.locator('li summary').first()).click()
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
