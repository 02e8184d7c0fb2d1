import { rupeesToPaise } from '#domain/money.ts'
import { expectAccessible } from './accessible.ts'
import { setUpMandate } from './autopay-debits.ts'
import { comparison, newFloatingBorrower, openComparison, optionCard, pick, readReset } from './floating.ts'
import { codeFor, expect, test } from './portal.ts'

test.use({ portalSettings: { KIST_SWEEP_INTERVAL_MS: '300' } })

test('where the new EMI is more than autopay allows, the comparison sets up a new one', async ({ page, portal, enter }) => {
  const own = await newFloatingBorrower(portal)
  await setUpMandate(portal, own)
  // The EMI that stays is within the limit, and the one that keeps the end date is not.
  await portal.database.asSystem((sql) =>
    sql
      .updateTable('mandates')
      .set({ max_amount_paise: rupeesToPaise(11_100) })
      .where('loan_id', '=', own.loanId)
      .execute(),
  )
  const tenor = (await readReset(portal, own)).options.find(({ option }) => option === 'keep_tenor')?.instalment ?? 0
  await enter(own.phone)
  await openComparison(page)
  const tooLow = comparison(page).getByText(/^Your autopay allows ₹11,100 for each debit/)
  await expect(tooLow).toBeHidden()
  await expect(optionCard(page, 'Keep the end date')).toContainText('More than your autopay allows')
  await expect(optionCard(page, 'Keep the EMI')).not.toContainText('More than your autopay allows')
  await pick(page, 'Keep the end date')
  await expect(tooLow).toBeVisible()
  await expectAccessible(page)

  await comparison(page).getByRole('button', { name: 'Set up a higher limit' }).click()
  const ending = page.getByRole('dialog', { name: 'End autopay?' })
  const before = portal.outbox().length
  await ending.getByRole('button', { name: 'Send OTP' }).click()
  const code = await codeFor(portal, own.phone, before)
  await expect(ending.getByRole('textbox', { name: '6-digit OTP' })).toBeFocused()
  await page.keyboard.type(code)
  await ending.getByRole('button', { name: 'End autopay' }).click()
  await expect(ending).toBeHidden()
  // UPI confirms it a minute later.
  await portal.clock.advance(61_000)
  await expect(comparison(page)).toContainText('Your autopay has ended. Set up a new one')
  await comparison(page).getByRole('button', { name: 'Set up autopay' }).click()

  const setUp = page.getByRole('dialog', { name: 'Set up autopay' })
  await setUp.getByRole('checkbox').check()
  await setUp.getByRole('button', { name: 'Agree and continue' }).click()
  await expect(setUp).toBeHidden()
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    comparison(page).getByRole('link', { name: 'Approve in the UPI app' }).click(),
  ])
  await tab.getByRole('button', { name: 'Approve', exact: true }).click()
  await tab.close()
  // The choice is still open, and the EMI is within the limit.
  await expect.poll(async () => (await readReset(portal, own)).mandate_cap).toBeGreaterThanOrEqual(tenor)
  await expect(comparison(page).getByRole('button', { name: 'Continue' })).toBeVisible()
})
