import { expect, test } from './portal.ts'
import { goToHostedPage, hostedPay, messages } from './payments-tab.ts'

test.use({ portalSettings: { SANDBOX_REDIRECT_SECONDS: '1' } })

test('both pages after a payment go on by themselves, and the Back button does not return to them', async ({ page, enter, borrower }) => {
  await page.clock.install()
  await enter((await borrower()).phone)
  await goToHostedPage(page, page.getByRole('button', { name: 'Pay EMI' }))
  await hostedPay(page).click()
  await expect(page.getByText(messages.success)).toBeVisible()
  await expect(page.getByText(/Back to your payments in \d+s/)).toBeVisible()
  await page.clock.runFor(61_000)
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
  await page.goBack()
  await expect(page).not.toHaveURL(/waiting-for-payment/)
})
