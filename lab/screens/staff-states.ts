import { enter, type Stage, type State } from './stage.ts'

async function askToAssume(stage: Stage): Promise<void> {
  await enter(stage, 9, '/users?search=Deshpande')
  await stage.page.locator('main tbody button, main li button').first().click()
  await stage.page.getByRole('dialog').waitFor()
}

async function assume(stage: Stage): Promise<void> {
  await askToAssume(stage)
  await stage.page.getByRole('dialog').getByRole('radio').first().check({ force: true })
  await stage.page.getByRole('dialog').locator('textarea').fill('Ticket 48213: cannot find the receipt')
  await stage.page.getByRole('dialog').getByRole('button').last().click()
  await stage.page.waitForURL('**/active-loans')
  await stage.page
    .getByRole('button', { name: /EMI|ईएमआई|Pay now|अभी चुकाएँ/ })
    .first()
    .waitFor()
}

/** Screens of staff, and a borrower's page while assumed. */
export const staffStates: readonly State[] = [
  { name: 'staff-login', go: async (stage) => (await stage.page.goto(`${stage.origin}/admin/login`), stage.page.locator('h1').waitFor()) },
  { name: 'users', isLong: true, go: (stage) => enter(stage, 9, '/users') },
  { name: 'users-none', go: (stage) => enter(stage, 9, '/users?search=xyzzyquux') },
  { name: 'users-not-permitted', go: (stage) => enter(stage, 8, '/users') },
  { name: 'users-denied', go: (stage) => enter(stage, 1, '/users') },
  { name: 'assume', go: askToAssume },
  { name: 'assumed', isLong: true, go: assume },
  {
    name: 'assumed-view-only',
    go: async (stage) => {
      const { staff } = stage.app.context.config
      staff.assumeProfile = 'view'
      await assume(stage)
      await stage.page.goto(`${stage.origin}/active-loans/documents`)
      await stage.page.getByRole('heading').first().waitFor()
      staff.assumeProfile = 'act'
    },
  },
]
