import { countdown, payButton } from './payments-tab.ts'
import { expect, test } from './portal.ts'

/**
 * Features that the oldest browsers of docs/design.md lack: AbortSignal.any, URL.canParse,
 * randomUUID without TLS, and others.
 */
const takeAway = (): void => {
  Reflect.deleteProperty(AbortSignal, 'any')
  Reflect.deleteProperty(URL, 'canParse')
  Reflect.deleteProperty(URL, 'parse')
  Reflect.deleteProperty(Promise, 'withResolvers')
  Reflect.deleteProperty(Promise, 'try')
  Reflect.deleteProperty(Object, 'groupBy')
  Reflect.deleteProperty(URLSearchParams.prototype, 'size')
  Reflect.deleteProperty(Crypto.prototype, 'randomUUID')
  for (const name of ['union', 'intersection', 'difference', 'isSubsetOf']) Reflect.deleteProperty(Set.prototype, name)
}

test('the oldest browsers that are supported sign in, pay and get a document', async ({ page, signIn, borrower }) => {
  await page.addInitScript(takeAway)
  await signIn((await borrower()).phone)
  await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
  await page.getByRole('link', { name: 'Documents', exact: true }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download Repayment schedule' }).click()
  await download
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await payButton(page).click()
  await expect(countdown(page)).toBeVisible()
  await countdown(page).getByRole('button', { name: 'Redirect now' }).click()
  await expect(page.getByRole('button', { name: /^Pay ₹/ })).toBeVisible()
})
