import { addDays, dayInIndia, startOfDayInIndiaMs } from '#domain/calendar.ts'
import { formatDay } from '#web/ui/format.ts'
import { expect, test } from './portal.ts'

// The clock moves, so this portal is used by no other test. In New York it is still yesterday when
// a day begins in India.
test.use({ timezoneId: 'America/New_York', portalSettings: { KIST_STATUS_FRESH_MS: '1000' } })

test('a day in India ends at midnight in India, wherever the browser is', async ({ page, portal, enter, borrower }) => {
  const today = dayInIndia(portal.clock.now())
  const own = await borrower({ dueInDays: 0, sanctionedRupees: 200_000 })
  const summary = page.getByRole('region', { name: 'Loan summary' })
  const request = page.getByRole('button', { name: 'Request disbursal' })
  const untilMidnight = startOfDayInIndiaMs(addDays(today, 1)) - portal.clock.now().getTime()

  // Before 23:30, from when amounts are for the next day.
  await portal.clock.advance(untilMidnight - 40 * 60_000)
  await page.clock.setSystemTime(portal.clock.now())
  await enter(own.phone)
  await expect(summary).toContainText('On time')
  await expect(summary).toContainText(`as on ${formatDay(today, 'en')}`)
  await expect(summary).toContainText(`due ${formatDay(today, 'en')}`)
  await request.click()
  await expect(page.getByRole('dialog')).toContainText(
    `From ${formatDay(addDays(today, 1), 'en')} to ${formatDay(addDays(today, 30), 'en')}`,
  )

  // In two steps: an unused session ends after half an hour.
  await portal.clock.advance(20 * 60_000)
  await page.clock.setSystemTime(portal.clock.now())
  await page.reload()
  await expect(summary).toContainText(`as on ${formatDay(today, 'en')}`)

  await portal.clock.advance(25 * 60_000)
  await page.clock.setSystemTime(portal.clock.now())
  const tomorrow = addDays(today, 1)
  await page.reload()
  await expect(summary).toContainText('1 day late')
  await expect(summary).toContainText(`as on ${formatDay(tomorrow, 'en')}`)
  await expect(summary).toContainText(`since ${formatDay(today, 'en')}`)
  await expect(request).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('link', { name: 'Documents', exact: true }).click()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download Repayment schedule' }).click()
  expect((await saved).suggestedFilename()).toBe(`Repayment schedule_${tomorrow}.pdf`)
})
