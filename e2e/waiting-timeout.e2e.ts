import { startPayment } from './people.ts'
import { expect, refused, test } from './portal.ts'
import { goToHostedPage, goToPayments, messages, payOnHostedPage, pending, waitingPath } from './payments-tab.ts'

test.use({ portalSettings: { KIST_POLL_TIMEOUT_MS: '6000' } })

test('when nobody pays in time, that is shown', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await enter(own.phone, waitingPath(linkId))
  await expect(page.getByText(messages.timeout)).toBeVisible()
  await expect(page.getByText('Do not pay again.')).toBeVisible()
  await goToPayments(page)
  await expect(pending(page)).toContainText('Waiting for payment')
})

test('when money came and could not be applied in time, that is shown, and it cannot be paid again', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await payOnHostedPage(page, 'slow@razorpay')
  await expect(page.getByText(messages.syncing)).toBeVisible()
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
  await enter((await borrower()).phone, waitingPath(anothers))
  await expect(page.getByText(messages.timeout)).toBeVisible()
  await page.goto(waitingPath('plink_nobodysLink00'))
  await expect(page.getByText(messages.timeout)).toBeVisible()
})
