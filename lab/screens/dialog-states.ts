import { addDays, dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { recordedTwice } from '#domain/notices.ts'
import { addNotices } from '#server/add-notice.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { enter, type ScreenContext, type State } from './screen-context.ts'

/** Opens a dialog or menu and waits until it is visible. */
async function open(screen: ScreenContext, path: string, press: string, ready: string, person = 1): Promise<void> {
  await enter(screen, person, path)
  await screen.page.locator(press).first().click()
  await screen.page.locator(ready).first().waitFor()
}

const disbursals = 'section:has(#disbursals) button:not([aria-disabled])'

/** Dialogs and menus. */
export const dialogStates: readonly State[] = [
  {
    name: 'menu',
    popup: '[role=menu]',
    go: (screen) => open(screen, '/active-loans', 'header button[aria-haspopup=menu]:visible', '[role=menuitem]'),
  },
  { name: 'disbursal', go: (screen) => open(screen, '/active-loans', disbursals, '#tranche-amount') },
  {
    name: 'disbursal-date',
    popup: '[role=dialog]:has(table)',
    go: async (screen) => {
      await open(screen, '/active-loans', disbursals, '#tranche-amount')
      await screen.page.locator('#tranche-date').click()
      await screen.page.locator('[role=dialog] table').waitFor()
    },
  },
  {
    name: 'upload',
    go: (screen) => open(screen, '/active-loans/documents', 'section:has(#documents) button:not([aria-disabled])', '[role=dialog]'),
  },
  {
    name: 'upload-refused',
    go: async (screen) => {
      await open(screen, '/active-loans/documents', 'section:has(#documents) button:not([aria-disabled])', '[role=dialog]')
      await screen.page
        .locator('input[type=file]')
        .first()
        .setInputFiles({ name: 'Marksheet.docx', mimeType: 'application/msword', buffer: Buffer.from('x') })
    },
  },
  {
    name: 'preview',
    go: async (screen) => {
      await open(screen, '/active-loans/documents', 'section:has(#documents) li button', '[role=dialog] img')
    },
  },
  {
    name: 'preview-pdf',
    go: async (screen) => {
      await open(screen, '/active-loans/documents', 'section:has(#documents) li:has-text(".pdf") button', '[role=dialog] canvas')
    },
  },
  {
    name: 'documents-own-dates',
    popup: '[role=dialog]:has(table)',
    go: async (screen) => {
      await enter(screen, 1, '/active-loans/documents')
      await screen.page.locator('section:has(#generate-document) li button').first().click()
      await screen.page.locator('input[value=own]').check({ force: true })
      await screen.page.locator('#statement-from').click()
      await screen.page.locator('[role=dialog] table').waitFor()
    },
  },
  {
    name: 'part-payment-figures',
    shows: '[role=dialog] h3 + p',
    go: async (screen) => {
      await enter(screen, 1, '/active-loans/payments')
      await screen.page.locator('input[value=part_payment]').check({ force: true })
      await screen.page.locator('.bottom-bar button:not([aria-disabled])').click()
      await screen.page.getByRole('dialog').getByRole('textbox').fill('150000')
      await screen.page.getByRole('dialog').locator('h3 + p', { hasText: '₹1,50,000' }).waitFor()
      await screen.page.getByRole('dialog').locator('summary').click()
      await screen.page.getByRole('dialog').locator('table, ul').first().waitFor()
    },
  },
  {
    name: 'notices',
    popup: '[role=dialog]',
    go: async (screen) => {
      await addMoneyNotices(screen)
      await open(screen, '/active-loans', 'header button[aria-haspopup=dialog]:visible', '[role=dialog]')
    },
  },
]

/** Notices that a demo loan does not have by itself. */
async function addMoneyNotices({ app }: ScreenContext): Promise<void> {
  await app.database.asSystem(async (sql) => {
    const { user_id: borrowerId } = await sql
      .selectFrom('users')
      .select('user_id')
      .where('phone', '=', demoPhone(1))
      .executeTakeFirstOrThrow()
    const [now, lan] = [app.clock.now(), 'KST-24-004173']
    const date = addDays(dayInIndia(now), -6)
    const amountPaise = rupeesToPaise(500)
    await addNotices(
      sql,
      [
        { borrowerId, about: 'pictured 1', kind: 'late_charge', lan, amountPaise, date },
        { borrowerId, about: 'pictured 2', kind: 'payment_reversed', lan, amountPaise, subject: recordedTwice },
        { borrowerId, about: 'pictured 3', kind: 'loan_closed', lan, date },
      ],
      now,
    )
  })
}
