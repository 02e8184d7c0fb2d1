import type { Page } from '@playwright/test'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import type { App } from '#testkit/start-app.ts'
import { expectAccessible } from './accessible.ts'
import { newBorrower, type Borrower } from './people.ts'
import { expect, test } from './portal.ts'

const card = (page: Page) => page.getByRole('region', { name: /^Your EMIs begin on / })
const fact = (page: Page, label: string) => card(page).getByText(label, { exact: true }).locator('xpath=..')
const rupees = (amount: number | undefined): string => formatMoney(rupeesToPaise(amount ?? 0))

type Row = { due_date: Day; amount: number }
type EmiStart = { last_pre_emi: Row | null; first_emi: Row; capitalised: { date: Day; amount: number } | null }

async function startOf(portal: App, { phone }: Borrower): Promise<EmiStart> {
  const { body } = await portal.get('/portal/loans-summary', await portal.signIn(phone))
  const start = (body['loans'] as { emi_start?: EmiStart }[])[0]?.emi_start
  if (!start) throw new Error('the loan has no moratorium')
  return start
}

/** A loan before its first EMI: its moratorium ends on the due day after the next. */
const inMoratorium = (portal: App, interest: 'paid' | 'deferred'): Promise<Borrower> => {
  const today = dayInIndia(portal.clock.now())
  return newBorrower(portal, {
    dueInDays: 20,
    paid: interest === 'paid' ? 1 : 0,
    moratorium: { until: addMonths(addDays(today, 20), 1), interest },
  })
}

test('a loan whose interest is deferred tells the first EMI, and what is added to the principal', async ({ page, portal, enter }) => {
  const own = await inMoratorium(portal, 'deferred')
  const { first_emi: first, capitalised } = await startOf(portal, own)
  await enter(own.phone)
  await expect(card(page).getByRole('heading')).toHaveText(`Your EMIs begin on ${formatDay(first.due_date, 'en')}`)
  await expect(card(page)).toContainText('Interest that is not paid before then is added to the principal')
  await expect(fact(page, 'First EMI')).toContainText(rupees(first.amount))
  await expect(fact(page, 'Added to the principal')).toContainText(rupees(capitalised?.amount))
  await expect(card(page).getByText('Last pre-EMI')).toBeHidden()
  await expectAccessible(page)
})

test('a loan whose interest is paid meanwhile tells the last of these payments', async ({ page, portal, enter }) => {
  const own = await inMoratorium(portal, 'paid')
  const { first_emi: first, last_pre_emi: last } = await startOf(portal, own)
  await enter(own.phone)
  await expect(card(page)).toContainText('Until then you pay interest only.')
  await expect(fact(page, 'Last pre-EMI')).toContainText(rupees(last?.amount))
  await expect(fact(page, 'Last pre-EMI')).toContainText(`due on ${formatDay(last?.due_date ?? first.due_date, 'en')}`)
  await expect(fact(page, 'First EMI')).toContainText(rupees(first.amount))
  await expect(card(page).getByText('Added to the principal')).toBeHidden()
})

test('a loan without a moratorium says nothing of it', async ({ page, portal, enter }) => {
  const own = await newBorrower(portal)
  await enter(own.phone)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Disbursals' })).toBeVisible()
  await expect(card(page)).toBeHidden()
})
