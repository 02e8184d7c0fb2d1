import { addDays, startOfDayInIndiaMs } from '#domain/calendar.ts'
import { formatDay } from '#web/ui/format.ts'
import { banner, comparison, newFloatingBorrower, readReset } from './floating.ts'
import { expect, refused, test, until } from './portal.ts'

// The clock moves, so this portal is used by no other test.
test.use({ portalSettings: { KIST_STATUS_FRESH_MS: '1000' } })

test('without a choice the default applies, and after the last day it is too late', async ({ page, portal, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(409, '/choice'))
  const own = await newFloatingBorrower(portal)
  const midnight = startOfDayInIndiaMs(own.effectiveOn)
  const moveTo = async (minutesToMidnight: number): Promise<void> => {
    await portal.clock.advance(midnight - minutesToMidnight * 60_000 - portal.clock.now().getTime())
    await page.clock.setSystemTime(portal.clock.now())
  }

  // Defaults are written from 23:00 of the last day.
  await moveTo(45)
  const token = await portal.signIn(own.phone)
  await until(async () => (await readReset(portal, { ...own, token })).state === 'defaulted')
  await moveTo(15)
  await enter(own.phone)
  await expect(banner(page)).toContainText('You have not chosen. The EMI will be ₹')
  await banner(page).getByRole('button', { name: 'Choose something else' }).click()
  await comparison(page).getByRole('radio', { name: 'Keep the end date' }).check({ force: true })
  await comparison(page).getByRole('button', { name: 'Continue' }).click()
  const asked = page.getByRole('dialog', { name: 'Choose ‘Keep the end date’?' })
  await expect(asked).toBeVisible()

  await moveTo(-5)
  await asked.getByRole('button', { name: 'Choose this' }).click()
  const over = page.getByRole('dialog', { name: 'Too late to choose' })
  await expect(over).toContainText(
    `The last day to choose was ${formatDay(addDays(own.effectiveOn, -1), 'en')}. What was announced applies.`,
  )
  await over.getByRole('button', { name: 'Close' }).last().click()
  await expect(banner(page)).toContainText(`Your interest rate has been 11.75% since ${formatDay(own.effectiveOn, 'en')}`)
  await expect(banner(page)).toContainText('The time to choose is over. You did not choose, so the EMI is ₹')
  await expect(banner(page).getByRole('button')).toHaveCount(0)
})
