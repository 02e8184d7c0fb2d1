import { sql as raw } from 'kysely'
import { runBulkTransaction } from '#server/database/bulk.ts'
import { expect, refused, test } from './portal.ts'

test('what failed shows the request that support finds it by, to be copied', async ({ page, enter, borrower, portal, browserErrors }) => {
  browserErrors.expectConsole(refused(500, '/portal/loans-summary'))
  const answers: Promise<{ request_id: string }>[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/portal/loans-summary')) answers.push(response.json() as Promise<{ request_id: string }>)
  })
  const asked = async () => (await Promise.all(answers)).map(({ request_id }) => request_id)
  // No process can read the facts from which loans are computed.
  const right = (statement: string) =>
    runBulkTransaction(portal.databaseUrls.ownerUrl, async ({ sql }) => void (await raw.raw(`${statement} kist_app`).execute(sql)))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const { phone } = await borrower()
  await right('revoke select on rate_changes from')
  try {
    await enter(phone)
    const panel = page.getByRole('alert').filter({ hasText: 'Failed to load loans' })
    await expect(panel).toContainText(/Error reference [0-9a-f-]{36}/)
    const requestId = /Error reference ([0-9a-f-]{36})/.exec((await panel.textContent()) ?? '')?.[1] ?? ''
    // The page requests early and, after a failure, once more: it shows the last response.
    expect(await asked()).toContain(requestId)
    await panel.getByRole('button', { name: 'Copy' }).click()
    await expect(panel.getByRole('button', { name: 'Copied' })).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(requestId)
  } finally {
    await right('grant select on rate_changes to')
  }
})
