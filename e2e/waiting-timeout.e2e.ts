import { startPayment } from './people.ts'
import { expect, passPollTimeout, refused, test } from './portal.ts'
import { goToHostedPage, goToPayments, messages, payOnHostedPage, pending, waitingPath } from './payments-tab.ts'

test.beforeEach(({ page }) => page.clock.install())

test('when nobody pays in time, that is shown', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await enter(own.phone, waitingPath(linkId))
  await expect(page.getByRole('heading', { name: 'Confirming your payment' })).toBeVisible()
  await passPollTimeout(page)
  await expect(page.getByText(messages.timeout)).toBeVisible()
  await expect(page.getByText('If money has already left your account, do not pay again.')).toBeVisible()
  await goToPayments(page)
  await expect(pending(page)).toContainText('Waiting for payment')
})

test('when money came and could not be applied in time, that is shown, and it cannot be paid again', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await payOnHostedPage(page, 'slow@razorpay')
  await expect(page.getByText(messages.syncing)).toBeVisible()
  await passPollTimeout(page)
  await expect(page.getByText(messages.success_no_rps)).toBeVisible()
  await expect(page.getByText('Do not pay again.')).toBeVisible()
  await goToPayments(page)
  await expect(pending(page)).toContainText('Being applied')
  for (const name of ['Resume payment', 'Cancel payment'])
    await expect(pending(page).getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true')
})

test("a link that is nobody's or another's is waited for in vain, and nothing of it is shown", async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(404, '/portal/payment-link/status'))
  const anothers = await startPayment(portal, await borrower())
  const own = await borrower()
  for (const link of [anothers, 'plink_nobodysLink00']) {
    const answer = page.waitForResponse((response) => response.url().includes('/payment-link/status') && response.status() === 404)
    await enter(own.phone, waitingPath(link))
    await answer
    await passPollTimeout(page)
    await expect(page.getByText(messages.timeout)).toBeVisible()
  }
})
