import { enter, type ScreenContext, type State } from './screen-context.ts'

async function askToAssume(screen: ScreenContext): Promise<void> {
  await enter(screen, 9, '/users?search=Deshpande')
  await screen.page.locator('main tbody button, main li button').first().click()
  await screen.page.getByRole('dialog').waitFor()
}

async function assume(screen: ScreenContext): Promise<void> {
  await askToAssume(screen)
  await screen.page.getByRole('dialog').getByRole('radio').first().check({ force: true })
  await screen.page.getByRole('dialog').locator('textarea').fill('Ticket 48213: cannot find the receipt')
  await screen.page.getByRole('dialog').getByRole('button').last().click()
  await screen.page.waitForURL('**/active-loans')
  await screen.page
    .getByRole('button', { name: /EMI|ईएमआई|Pay now|अभी चुकाएँ/ })
    .first()
    .waitFor()
}

/** Screens of staff, and a borrower's page while assumed. */
export const staffStates: readonly State[] = [
  {
    name: 'staff-login',
    go: async (screen) => (await screen.page.goto(`${screen.origin}/admin/login`), screen.page.locator('h1').waitFor()),
  },
  { name: 'users', isLong: true, go: (screen) => enter(screen, 9, '/users') },
  { name: 'users-none', go: (screen) => enter(screen, 9, '/users?search=xyzzyquux') },
  { name: 'users-not-permitted', go: (screen) => enter(screen, 8, '/users') },
  { name: 'users-denied', go: (screen) => enter(screen, 1, '/users') },
  { name: 'assume', go: askToAssume },
  { name: 'assumed', isLong: true, go: assume },
  {
    name: 'assumed-view-only',
    go: async (screen) => {
      const { staff } = screen.app.context.config
      staff.assumeProfile = 'view'
      await assume(screen)
      await screen.page.goto(`${screen.origin}/active-loans/documents`)
      await screen.page.getByRole('heading').first().waitFor()
      staff.assumeProfile = 'act'
    },
  },
]
