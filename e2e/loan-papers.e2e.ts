import type { Page } from '@playwright/test'
import { createHash } from 'node:crypto'
import { pdf } from '#server/documents/files.testing.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { publishPaper } from '#testkit/operations-staff.ts'
import { expectAccessible } from './accessible.ts'
import { proposeIn } from './proposals.ts'
import { expect, refused, test } from './portal.ts'

const path = '/active-loans/documents'
const staff = { maker: demoPhone(12), checker: demoPhone(13) }
const papers = (page: Page) => page.getByRole('region', { name: 'Papers from your lender' })

test('a published paper is on its card with its checksum, is opened and saved', async ({ page, portal, enter, borrower, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const own = await borrower()
  const bytes = pdf()
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await enter(own.phone, path)
  await expect(papers(page)).toContainText('Your lender has not added any papers yet')
  await expect(page.getByText('See ‘Papers from your lender’, or ask customer support: Sanction letter, Loan agreement')).toBeVisible()

  await publishPaper(portal, staff, { lan: own.lan, paper: 'kfs', filename: 'kfs.pdf', bytes })
  await page.reload()
  await expect(papers(page)).toContainText('Key facts statement')
  await expect(papers(page)).toContainText(`SHA-256 ${sha256.slice(0, 8)}…`)
  await papers(page).getByRole('button', { name: 'Copy SHA-256' }).click()
  await expect(papers(page).getByRole('button', { name: 'Copied SHA-256' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(sha256)
  await expectAccessible(page)

  await papers(page).getByRole('button', { name: 'View kfs.pdf' }).click()
  const shown = page.getByRole('dialog', { name: 'kfs.pdf' })
  await expect(shown.getByRole('img', { name: 'kfs.pdf, page 1 of 1' })).toBeVisible()
  const saved = page.waitForEvent('download')
  await shown.getByRole('button', { name: 'Download' }).click()
  expect((await saved).suggestedFilename()).toBe('kfs.pdf')
})

test('papers that cannot be loaded are reported on their card, and trying again helps', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(503, '/portal/loan-papers'))
  const own = await borrower()
  await page.route('**/portal/loan-papers?*', (route) => route.fulfill({ status: 503, body: '' }))
  await enter(own.phone, path)
  await expect(papers(page)).toContainText('Failed to load papers')
  await page.unroute('**/portal/loan-papers?*')
  await papers(page).getByRole('button', { name: 'Try again' }).click()
  await expect(papers(page)).toContainText('Your lender has not added any papers yet')
})

test('the kind of a paper cannot be changed while its file is sent', async ({ page, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(/ERR_FAILED/)
  const own = await borrower()
  const held = Promise.withResolvers<void>()
  await page.route(
    '**/operations/loan-papers',
    async (route) => {
      await held.promise
      await route.abort()
    },
    { times: 1 },
  )
  await enter(staff.maker, `/operations/loans/${own.lan}?do=paper_publish`)
  const form = page.getByRole('dialog', { name: 'Publish a paper' })
  const kind = (name: string) => form.getByRole('radio', { name, exact: true })
  const upload = form.getByRole('button', { name: 'Upload', exact: true })
  await kind('Loan agreement').check()
  await form.locator('input[type=file]').first().setInputFiles({ name: 'agreement.pdf', mimeType: 'application/pdf', buffer: pdf() })
  await upload.click()
  await expect(kind('Sanction letter')).toBeDisabled()
  await expect(kind('Loan agreement')).toBeChecked()
  held.resolve()
  await expect(form.getByRole('alert').filter({ hasText: 'Network error occurred.' })).toBeVisible()
  await kind('Sanction letter').check()
  await upload.click()
  await expect(form.getByText('Uploaded. The borrower does not see it yet.')).toBeVisible()
  await proposeIn(page, 'Publish a paper')
  await expect(page.getByRole('table', { name: 'Before and after' })).toContainText('Sanction letter')
})
