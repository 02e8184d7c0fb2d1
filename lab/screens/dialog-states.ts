import { addDays, dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { recordedTwice } from '#domain/notices.ts'
import { addNotices } from '#server/add-notice.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { enter, type Stage, type State } from './stage.ts'

/** Opens a dialog or menu and waits until it is visible. */
async function open(stage: Stage, path: string, press: string, ready: string, person = 1): Promise<void> {
  await enter(stage, person, path)
  await stage.page.locator(press).first().click()
  await stage.page.locator(ready).first().waitFor()
}

const disbursals = 'section:has(#disbursals) button:not([aria-disabled])'

/** Dialogs and menus. */
export const dialogStates: readonly State[] = [
  {
    name: 'menu',
    popup: '[role=menu]',
    go: (stage) => open(stage, '/active-loans', 'header button[aria-haspopup=menu]:visible', '[role=menuitem]'),
  },
  { name: 'disbursal', go: (stage) => open(stage, '/active-loans', disbursals, '#tranche-amount') },
  {
    name: 'disbursal-date',
    popup: '[role=dialog]:has(table)',
    go: async (stage) => {
      await open(stage, '/active-loans', disbursals, '#tranche-amount')
      await stage.page.locator('#tranche-date').click()
      await stage.page.locator('[role=dialog] table').waitFor()
    },
  },
  {
    name: 'upload',
    go: (stage) => open(stage, '/active-loans/documents', 'section:has(#documents) button:not([aria-disabled])', '[role=dialog]'),
  },
  {
    name: 'upload-refused',
    go: async (stage) => {
      await open(stage, '/active-loans/documents', 'section:has(#documents) button:not([aria-disabled])', '[role=dialog]')
      await stage.page
        .locator('input[type=file]')
        .first()
        .setInputFiles({ name: 'Marksheet.docx', mimeType: 'application/msword', buffer: Buffer.from('x') })
    },
  },
  {
    name: 'preview',
    go: async (stage) => {
      await open(stage, '/active-loans/documents', 'section:has(#documents) li button', '[role=dialog] img')
    },
  },
  {
    name: 'preview-pdf',
    go: async (stage) => {
      await open(stage, '/active-loans/documents', 'section:has(#documents) li:has-text(".pdf") button', '[role=dialog] canvas')
    },
  },
  {
    name: 'documents-own-dates',
    popup: '[role=dialog]:has(table)',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/documents')
      await stage.page.locator('section:has(#generate-document) li button').first().click()
      await stage.page.locator('input[value=own]').check({ force: true })
      await stage.page.locator('#statement-from').click()
      await stage.page.locator('[role=dialog] table').waitFor()
    },
  },
  {
    name: 'part-payment-figures',
    shows: '#what-if',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.locator('input[value=part_payment]').check({ force: true })
      await stage.page.locator('.bottom-bar button:not([aria-disabled])').click()
      await stage.page.getByRole('dialog').getByRole('textbox').fill('150000')
      await stage.page.locator('#what-if + p', { hasText: '₹1,50,000' }).waitFor()
      await stage.page.getByRole('dialog').locator('summary').click()
      await stage.page.getByRole('dialog').locator('table, ul').first().waitFor()
    },
  },
  {
    name: 'notices',
    popup: '[role=dialog]',
    go: async (stage) => {
      await addMoneyNotices(stage)
      await open(stage, '/active-loans', 'header button[aria-haspopup=dialog]:visible', '[role=dialog]')
    },
  },
]

/** Notices that a demo loan does not have by itself. */
async function addMoneyNotices({ app }: Stage): Promise<void> {
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
