import { demoPhone } from '#testkit/demo-town.ts'
import { codeFor, expect, refused, test } from './portal.ts'
import {
  completed,
  countdown,
  filter,
  goToHostedPage,
  goToPayments,
  hostedPay,
  messages,
  option,
  optionCard,
  paiseIn,
  payButton,
  payOnHostedPage,
  pending,
  scheduleRow,
} from './payments-tab.ts'

// Demo people pay here, so no other file uses them: this object, though empty, belongs to this file
// only, and so does its portal.
test.use({ portalSettings: {} })

test('01 signs in, pays the next EMI on the hosted page and sees the loan updated', async ({ page, signIn }) => {
  await signIn(demoPhone(1))
  const summary = page.getByRole('region', { name: 'Loan summary' })
  const outstanding = summary.getByRole('heading', { name: 'Principal outstanding' }).locator('xpath=../following-sibling::span[1]')
  const left = page.getByRole('term').filter({ hasText: 'Instalments left' }).locator('xpath=following-sibling::dd')
  const before = paiseIn(await outstanding.textContent())

  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  const paid = Number((await filter(page, 'Paid').textContent())?.replace('Paid', ''))
  const row = scheduleRow(page, paid + 1)
  await expect(row).toContainText('Due')
  const principal = paiseIn(await row.getByRole('cell').nth(3).textContent())
  await expect(completed(page)).toHaveCount(paid)

  await payButton(page).click()
  await expect(countdown(page)).toContainText('Meghdoot Education Finance Ltd')
  await expect(countdown(page)).toContainText('KST-24-004173')
  await countdown(page).getByRole('button', { name: 'Redirect now' }).click()
  await expect(hostedPay(page)).toBeVisible()
  await payOnHostedPage(page)

  await expect(page.getByText(messages.success)).toBeVisible()
  await expect(page).toHaveTitle('Payment confirmation - Kist')
  await goToPayments(page)
  await expect(row).toContainText('Paid')
  await expect(filter(page, 'Paid')).toHaveText(`Paid ${paid + 1}`)
  await expect(completed(page)).toHaveCount(paid + 1)
  await expect(completed(page).first()).toContainText('Paid')
  await expect(pending(page)).toBeHidden()
  // The next instalment is far away: it can be paid ahead or not at all, and a paid one is not
  // offered again.
  await page.getByRole('link', { name: 'Loan details' }).click()
  await expect(left).toContainText(`${paid + 1} paid`)
  expect(paiseIn(await outstanding.textContent())).toBe(before - principal)
})

test('05 pays all that is overdue: dues and days late go to nothing, the loan is active', async ({ page, signIn, portal }) => {
  await signIn(demoPhone(5))
  const summary = page.getByRole('region', { name: 'Loan summary' })
  await expect(summary).toContainText('45 days')
  await goToHostedPage(page, summary.getByRole('button', { name: 'Pay now' }))
  await payOnHostedPage(page)
  await expect(page.getByText(messages.success)).toBeVisible()
  await goToPayments(page)
  await expect(filter(page, 'Late')).toHaveText('Late 0')
  await expect(page.getByText(/days late/)).toBeHidden()
  await expect(option(page, 'Overdue amount')).toBeDisabled()
  await expect(completed(page).first()).toContainText('Overdue amount')
  await page.getByRole('link', { name: 'Loan details' }).click()
  await expect(summary).toContainText('On time')
  await expect(page.getByText('Active', { exact: true })).toBeVisible()

  const { body } = await portal.get('/portal/loans-summary', await portal.signIn(demoPhone(5)))
  expect(body['loans']).toMatchObject([{ loan_status: 'ACTIVE', dues: 0, dpd: 0 }])
})

test('the portal works at 127.0.0.1 as it does at localhost', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  const origin = portal.url
  expect(origin).toContain('127.0.0.1')
  await page.goto(`${origin}/login`)
  await page.getByLabel('Mobile number').fill(phone.slice(3))
  const before = portal.outbox().length
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(page.getByText('127.0.0.1')).toBeVisible()
  await expect(page.getByRole('textbox', { name: '6-digit OTP' })).toBeFocused()
  await page.keyboard.type(await codeFor(portal, phone, before))
  await page.keyboard.press('Enter')
  await goToHostedPage(page, page.getByRole('button', { name: 'Pay EMI' }))
  await payOnHostedPage(page)
  expect(page.url()).toContain(`${origin}/payments/waiting-for-payment`)
  await expect(page.getByText(messages.success)).toBeVisible()
  await goToPayments(page)
  await expect(completed(page)).toHaveCount(4)
})

test('a foreclosure closes the loan', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await optionCard(page, 'Foreclosure').click()
  await goToHostedPage(page)
  await payOnHostedPage(page)
  await expect(page.getByText(messages.success)).toBeVisible()
  await goToPayments(page)
  await expect(completed(page).first()).toContainText('Foreclosure')
  await page.getByRole('link', { name: 'Loan details' }).click()
  await expect(page.getByText('This loan is closed. Nothing is left to pay.')).toBeVisible()
  await expect(page.getByText('Closed', { exact: true }).first()).toBeVisible()
})

test('the last instalment closes the loan too', async ({ page, enter, borrower }) => {
  await enter((await borrower({ paid: 5, instalments: 6, rupees: 30_000 })).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await payOnHostedPage(page)
  await expect(page.getByText(messages.success)).toBeVisible()
  await goToPayments(page)
  await expect(filter(page, 'Paid')).toHaveText('Paid 6')
  await expect(page.getByText('Closed', { exact: true }).first()).toBeVisible()
})

test('the amount of a part payment is held to its bounds, in words', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  const bounds = await page.getByText(/^From ₹/).textContent()
  const [minimum = '', maximum = ''] = bounds?.match(/₹[\d,]+(\.\d+)?/g) ?? []
  await optionCard(page, 'Part payment').click()
  await payButton(page).click()
  const dialog = page.getByRole('dialog', { name: 'Part payment' })
  const amount = dialog.getByLabel('Amount')
  const go = dialog.getByRole('button', { name: /^Continue/ })
  await expect(amount).toBeFocused()
  await expect(amount).toHaveValue(minimum.slice(1))
  await expect(dialog.getByRole('radio', { name: 'Reduce EMI' })).toBeChecked()
  await expect(go).not.toHaveAttribute('aria-disabled')

  for (const [typed, problem] of [
    ['', 'Please enter a valid amount'],
    ['0', 'Please enter a valid amount'],
    ['1', `Amount must be at least ${minimum}`],
    ['99999999', `Amount cannot exceed ${maximum}`],
  ] as const) {
    await amount.fill(typed)
    await expect(dialog.getByText(problem)).toBeVisible()
    await expect(go).toHaveAttribute('aria-disabled', 'true')
    await amount.press('Enter')
    await expect(dialog).toBeVisible()
  }
  await amount.fill('')
  await amount.pressSequentially('1e4x5000')
  await expect(amount).toHaveValue('1,45,000')
  await amount.fill('20000.50')
  await expect(go).toHaveText('Continue with ₹20,000.50')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
})

for (const { choice, purpose, purposeText } of [
  { choice: 'Reduce EMI', purpose: 'PART_PAYMENT__REDUCE_EMI', purposeText: 'Part payment, reduces EMI' },
  { choice: 'Reduce Tenor', purpose: 'PART_PAYMENT__REDUCE_TENOR', purposeText: 'Part payment, reduces tenor' },
])
  test(`a part payment: ${choice}`, async ({ page, portal, enter, borrower }) => {
    const own = await borrower({ dueInDays: 12 })
    const stateOf = async () => {
      const token = await portal.signIn(own.phone)
      const { body } = await portal.get('/portal/loans-summary', token)
      const [loan] = body['loans'] as { number_of_emis_due: number; principal_outstanding: number }[]
      const schedule = await portal.get(`/portal/repayment-schedule?lead_id=${own.lan}`, token)
      const rows = schedule.body['repayment_schedule'] as { repayment_amount: number; status: string }[]
      // The current period's row keeps its amount; changes begin with the next one.
      return { ...loan, laterInstalment: rows.filter(({ status }) => status === 'Due')[1]?.repayment_amount ?? 0 }
    }
    const before = await stateOf()
    await enter(own.phone, '/active-loans/payments')
    await optionCard(page, 'Part payment').click()
    await payButton(page).click()
    const dialog = page.getByRole('dialog', { name: 'Part payment' })
    await dialog.getByLabel('Amount').fill('40000')
    await dialog.getByRole('radio', { name: choice }).check({ force: true })
    await dialog.getByRole('button', { name: 'Continue with ₹40,000' }).click()
    await expect(countdown(page)).toContainText(purposeText)
    await countdown(page).getByRole('button', { name: 'Redirect now' }).click()
    await payOnHostedPage(page)
    await expect(page.getByText(messages.success)).toBeVisible()
    await goToPayments(page)
    await expect(completed(page).first()).toContainText(purposeText)

    const after = await stateOf()
    expect((before.principal_outstanding ?? 0) - (after.principal_outstanding ?? 0)).toBeCloseTo(40_000, 2)
    if (purpose === 'PART_PAYMENT__REDUCE_EMI') {
      expect(after.laterInstalment).toBeLessThan(before.laterInstalment)
      expect(after.number_of_emis_due).toBe(before.number_of_emis_due)
    } else {
      expect(after.laterInstalment).toBe(before.laterInstalment)
      expect(after.number_of_emis_due).toBeLessThan(before.number_of_emis_due ?? 0)
    }
  })

test('a payment that fails on the hosted page can be made there once more', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await page.getByLabel('UPI ID').fill('failure@razorpay')
  await hostedPay(page).click()
  await expect(page.getByRole('alert')).toContainText('No money was taken. You can try again.')
  await payOnHostedPage(page, 'success@razorpay')
  await expect(page.getByText(messages.success)).toBeVisible()
  await goToPayments(page)
  await expect(completed(page)).toHaveCount(4)
})

test('an unreachable provider is reported, and the page stays usable', async ({ page, enter, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/portal/payment-link'))
  browserErrors.expectConsole(refused(409, '/portal/payment-link'))
  await enter((await borrower()).phone, '/active-loans/payments')
  await expect(payButton(page)).toBeVisible()
  await portal.sandbox('/faults', { call: 'create', kind: 'reset', times: 1 })
  await payButton(page).click()
  await expect(page.getByText('Failed to create payment. Please try again.')).toBeVisible()
  await expect(countdown(page)).toBeHidden()
  await optionCard(page, 'Foreclosure').click()
  await expect(page.getByText('Failed to create payment. Please try again.')).toBeHidden()
  await payButton(page).click()
  await expect(page.getByText('Your last attempt is still being checked. Try again in two minutes, or make')).toBeVisible()
  await optionCard(page, 'Next EMI').click()
  await goToHostedPage(page)
  await payOnHostedPage(page)
  await expect(page.getByText(messages.success)).toBeVisible()
})

test('a good answer without an address has its own message', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await page.route('**/portal/payment-link?*', (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '{}' }))
  await payButton(page).click()
  await expect(page.getByText('Failed to create payment link. Please try again.')).toBeVisible()
})

test('an address that is not the provider’s is not gone to', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  const gone: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('evil.example')) gone.push(request.url())
  })
  await page.route('**/portal/payment-link?*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), redirect_url: 'https://evil.example/i/x' } })
  })
  await payButton(page).click()
  await expect(page.getByText('Failed to create payment link. Please try again.')).toBeVisible()
  await expect(countdown(page)).toHaveCount(0)
  expect(gone).toEqual([])
})

test('somebody without the permission finds the button off, and why', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  await portal.database.asSystem((sql) =>
    sql
      .updateTable('users')
      .set({ permissions: ['document:read'] })
      .where('user_id', '=', own.borrowerId)
      .execute(),
  )
  await enter(own.phone, '/active-loans/payments')
  await expect(payButton(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByText('Action not allowed').first()).toBeVisible()
  await payButton(page).click({ force: true })
  await expect(page.getByRole('dialog')).toHaveCount(0)
})
