import type { Page } from '@playwright/test'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { pdf, png } from '#server/documents/files.testing.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import type { App } from '#testkit/start-app.ts'
import { expectAccessible } from './accessible.ts'
import { cell } from './days.ts'
import { newFloatingBorrower, readReset } from './floating.ts'
import { enterWithSession, expect, refused, test } from './portal.ts'
import { dialog, expectProposed, figure, proposeIn, reason } from './proposals.ts'

const [maker, checker] = [demoPhone(12), demoPhone(13)]

async function approve(page: Page, portal: App, path: string): Promise<void> {
  await enterWithSession(page, portal, checker, path)
  await page.getByRole('button', { name: 'Approve and execute' }).click()
  await expect(page.getByText(/^Approved by .* and executed on/)).toBeVisible()
}

/** Chooses a day of the calendar that a field opens: at today, or at the first possible day. */
async function chooseDay(page: Page, label: string, day: Day): Promise<void> {
  await page.getByRole('button', { name: label }).click()
  const calendar = page.getByRole('dialog', { name: label })
  const wanted = calendar.getByRole('button', { name: cell(day), exact: true })
  await expect(calendar.getByRole('table')).toBeVisible()
  while ((await wanted.count()) === 0) await calendar.getByRole('button', { name: 'Next month' }).click()
  await wanted.click()
}

test('a benchmark is published, and a run shows its effect before it notifies anybody', async ({ page, portal, enter }) => {
  await newFloatingBorrower(portal)
  const today = dayInIndia(portal.clock.now())
  await enter(maker, '/operations')
  await page.getByRole('button', { name: 'Publish a benchmark rate' }).click()
  const publish = dialog(page, 'Publish a benchmark rate')
  await publish.getByRole('button', { name: 'Show the effect' }).click()
  await expect(publish.getByText('Fill in this field').first()).toBeVisible()
  await publish.getByLabel('Benchmark').fill('RBI repo')
  await expect(publish.getByText('Recorded as RBI_REPO')).toBeVisible()
  await publish.getByLabel('Rate, percent a year').fill('7,5')
  await expect(publish.getByText('A number such as 6.25')).toBeVisible()
  await publish.getByLabel('Rate, percent a year').fill('7.5')
  await chooseDay(page, 'From', addDays(today, 30))
  await expectAccessible(page)
  const published = await proposeIn(page, 'Publish a benchmark rate')
  await expect(figure(page, 'Rate a year')).toContainText('7%')
  await expect(figure(page, 'Rate a year')).toContainText('7.5%')
  await approve(page, portal, published)

  await enterWithSession(page, portal, maker, '/operations')
  await page.getByRole('button', { name: 'Reset floating rates' }).click()
  await dialog(page, 'Reset floating rates').getByLabel('Benchmark').fill('RBI_REPO')
  // Three months after the reset that the demo's borrowers were told of.
  await chooseDay(page, 'From', addDays(today, 150))
  await proposeIn(page, 'Reset floating rates')
  await expect(figure(page, 'Loans with a new rate').getByRole('cell').last()).toHaveText(/^[1-9]\d*$/)
  await expect(figure(page, 'Largest rise of an EMI')).toContainText(/₹\d/)
  await expect(page.getByText('None: no money moves.')).toBeVisible()
  const seen = page.getByRole('region', { name: 'What the borrower will see' })
  await expect(seen).toContainText('Every borrower whose rate changes is notified and can choose until the day before.')
})

test('a proposal and an approval that wait for figures say that they must not be left', async ({ page, portal, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(409, '/operations/proposals'))
  const own = await newFloatingBorrower(portal)
  // The first call hears of the figures' progress; the next one waits until the test has seen it.
  const answerComputing = async (address: string): Promise<{ letGo: () => void }> => {
    const seen = Promise.withResolvers<void>()
    let calls = 0
    await page.route(address, async (route) => {
      calls += 1
      if (calls > 1) {
        await seen.promise
        return route.continue()
      }
      const problem = { type: 'about:blank', title: 'x', status: 409, detail: 'x', code: 'PreviewInProgress', request_id: 'x' }
      return route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        body: JSON.stringify({ ...problem, progress: { done: 600, total: 1_000 } }),
      })
    })
    return { letGo: seen.resolve }
  }
  const stay = 'Computing the effect: 600 of 1,000 loans. Stay on this page: nothing is sent until this is done.'
  await enter(maker, `/operations/loans/${own.lan}`)
  await page.getByRole('button', { name: 'Withdraw a rate reset' }).click()
  const form = dialog(page, 'Withdraw a rate reset')
  await form.getByLabel('Reason').fill(reason)
  await form.getByRole('button', { name: 'Show the effect' }).click()
  await expect(form.getByRole('table', { name: 'Before and after' })).toBeVisible()
  const proposal = await answerComputing('**/operations/proposals')
  await form.getByRole('button', { name: 'Propose', exact: true }).click()
  await expect(form.getByText(stay)).toBeVisible()
  await page.keyboard.press('Escape')
  proposal.letGo()
  await expectProposed(page)

  await enterWithSession(page, portal, checker, new URL(page.url()).pathname)
  const approval = await answerComputing('**/operations/proposals/*/approve')
  await page.getByRole('button', { name: 'Approve and execute' }).click()
  await expect(page.getByText(stay)).toBeVisible()
  approval.letGo()
  await expect(page.getByText(/^Approved by .* and executed on/)).toBeVisible()
})

test('a new rate is withdrawn from the page of its loan', async ({ page, portal, enter }) => {
  const own = await newFloatingBorrower(portal)
  await enter(maker, `/operations/loans/${own.lan}`)
  await page.getByRole('button', { name: 'Withdraw a rate reset' }).click()
  await expect(dialog(page, 'Withdraw a rate reset')).toContainText('11% → 11.75%')
  const path = await proposeIn(page, 'Withdraw a rate reset')
  await expect(page.getByRole('region', { name: 'What the borrower will see' })).toContainText('Notice')
  await approve(page, portal, path)
  expect((await readReset(portal, own)).state).toBe('withdrawn')
})

test('a paper is a PDF, whatever its name says; it is uploaded, read by the checker and published', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(415, '/operations/loan-papers'))
  const own = await borrower()
  await enter(maker, `/operations/loans/${own.lan}?do=paper_publish`)
  const form = dialog(page, 'Publish a paper')
  const file = form.locator('input[type=file]').first()
  await form.getByLabel('Reason').fill(reason)
  await form.getByRole('button', { name: 'Show the effect' }).click()
  await expect(form.getByText('Choose the kind of paper')).toBeVisible()
  await form.getByText('Loan agreement', { exact: true }).click()
  await file.setInputFiles({ name: 'agreement.pdf', mimeType: 'application/pdf', buffer: png() })
  await form.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(form.getByRole('alert').filter({ hasText: 'this file is something else, whatever its name says' })).toBeVisible()
  await file.setInputFiles({ name: 'agreement.pdf', mimeType: 'application/pdf', buffer: pdf() })
  await form.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(form.getByText('Uploaded. The borrower does not see it yet.')).toBeVisible()
  await expectAccessible(page)
  const path = await proposeIn(page, 'Publish a paper')
  await expect(figure(page, 'Paper')).toContainText('Loan agreement')

  await enterWithSession(page, portal, checker, path)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the paper' }).click()
  expect((await saved).suggestedFilename()).toMatch(/\.pdf$/)
  await page.getByRole('button', { name: 'Approve and execute' }).click()
  await expect(page.getByText(/^Approved by .* and executed on/)).toBeVisible()
  const { body } = await portal.get(`/portal/loan-papers?application_id=${own.lan}`, await portal.signIn(own.phone))
  expect(body['loan_papers']).toMatchObject([{ paper: 'agreement', filename: 'agreement.pdf' }])
})
