import { demoPhone } from '#testkit/demo-town.ts'
import { expect, test } from './portal.ts'

test('a borrower signs in, pays the next EMI and sees the loan updated', async ({ page, signIn }) => {
  await signIn(demoPhone(1))
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})
