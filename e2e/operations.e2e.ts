import type { BrowserContext, Page } from '@playwright/test'
import { assumeRole, type Permission } from '#contract/permissions.ts'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { addReview } from '#server/payments/review-store.ts'
import { addPerson } from '#testkit/builders.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { propose, proposalOf } from '#testkit/operations-staff.ts'
import { presentDebit } from '#testkit/presented-debit.ts'
import type { App } from '#testkit/start-app.ts'
import { formatInstant } from '#web/ui/format.ts'
import { expectAccessible } from './accessible.ts'
import { cell } from './days.ts'
import { newPhone, startPayment, waitForApplied, type Borrower } from './people.ts'
import { enterWithSession, expect, refused, signInAfterSessionEnd, test as portalTest } from './portal.ts'
import { dialog, effect, figure, proposeIn, reason } from './proposals.ts'
import { giveReason, newStaff, pill } from './staff.ts'

const maker: readonly Permission[] = ['operations:read', 'operations:propose']
const checker: readonly Permission[] = ['operations:read', 'operations:approve']

async function addColleague(portal: App, firstName: string, permissions: readonly Permission[]): Promise<string> {
  const phone = newPhone()
  const staff = { kind: 'staff', roles: [assumeRole], permissions: [...permissions] } as const
  await addPerson(portal.database, portal.clock.now(), { ...staff, phone, firstName, lastName: 'Desai' })
  return phone
}

type OtherBrowsers = {
  /** Opens a page in a browser of its own, as the person with this phone. */
  openBrowser: (phone: string, path: string) => Promise<Page>
  /** Opens a page as a new checker, who is called Desai. */
  openAsChecker: (path: string, firstName?: string) => Promise<Page>
}

const test = portalTest.extend<OtherBrowsers>({
  openBrowser: async ({ browser, portal, baseURL }, use) => {
    const contexts: BrowserContext[] = []
    await use(async (phone, path) => {
      const context = await browser.newContext({ ...(baseURL !== undefined && { baseURL }), serviceWorkers: 'block' })
      contexts.push(context)
      const page = await context.newPage()
      await enterWithSession(page, portal, phone, path)
      return page
    })
    for (const context of contexts) await context.close()
  },
  openAsChecker: async ({ portal, openBrowser }, use) => {
    await use(async (path, firstName = 'Rohan') => openBrowser(await addColleague(portal, firstName, checker), path))
  },
})

async function approveIn(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('button', { name: 'Approve and execute' }).click()
  const outcome = page.getByText(/^Approved by Rohan Desai and executed on/)
  await expect(outcome).toBeVisible()
  await expect(page.locator(':focus'), 'the buttons are gone').toContainText((await outcome.textContent()) ?? '')
}

/** A maker's page at the loan of a borrower. */
async function openLoan(page: Page, portal: App, { lan }: Borrower): Promise<void> {
  await enterWithSession(page, portal, await addColleague(portal, 'Meena', maker), `/operations/loans/${lan}`)
  await expect(page.getByRole('heading', { name: 'Nisha Verma', level: 1 })).toBeVisible()
}

test('a tranche that a borrower requested is proposed for release, approved by another, and in the schedule', async ({
  page,
  portal,
  borrower,
  openAsChecker,
  openBrowser,
}) => {
  const own = await borrower({ rupees: 120_000, sanctionedRupees: 200_000 })
  const token = await portal.signIn(own.phone)
  const today = dayInIndia(portal.clock.now())
  const asked = { lead_id: own.lan, lan: own.lan, amount: 50_000, date: addDays(today, 3) }
  expect((await portal.post('/portal/tranche', asked, token)).status).toBe(200)

  await openLoan(page, portal, own)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Approve a disbursal request' }).click()
  const second = await openAsChecker('/users')
  await approveIn(second, await proposeIn(page, 'Approve a disbursal request'))

  await page.goto(`/operations/loans/${own.lan}`)
  await page.getByRole('button', { name: 'Pay out a disbursal' }).click()
  const form = dialog(page, 'Pay out a disbursal')
  await form.getByRole('button', { name: /^Date/ }).click()
  await page.getByRole('button', { name: cell(today), exact: true }).click()
  const path = await proposeIn(page, 'Pay out a disbursal')
  await expect(figure(page, 'Disbursed amount')).toContainText('₹1,20,000')
  await expect(figure(page, 'Disbursed amount')).toContainText('₹1,70,000')
  await approveIn(second, path)
  await expect(second.getByRole('heading', { name: 'What changed' })).toBeVisible()
  await expect(second.getByText('Ledger lines that were added')).toBeVisible()
  await expectAccessible(second)

  const { body } = await portal.get('/portal/loans-summary', token)
  expect(body['loans']).toMatchObject([{ disbursed_amount: 170_000 }])
  const borrowers = await openBrowser(own.phone, '/active-loans')
  const disbursals = borrowers.getByRole('region', { name: 'Disbursals', exact: true })
  await expect(disbursals.getByRole('row').filter({ hasText: '₹50,000' })).toContainText('Disbursed')
  await borrowers.goto('/user-profile')
  const access = borrowers.getByRole('region', { name: 'Staff access to your account' })
  await expect(access).toContainText('Paid out a disbursal')
  await expect(access).toContainText(reason)
})

test('a bounced transfer is recorded and reversed, and a charge added and waived, by two people', async ({
  page,
  portal,
  borrower,
  openAsChecker,
}) => {
  // Four proposals and four approvals.
  test.slow()
  const own = await borrower({ dueInDays: -10 })
  await openLoan(page, portal, own)
  const second = await openAsChecker('/users')
  const openAgain = () => page.goto(`/operations/loans/${own.lan}`)

  await page.getByRole('button', { name: 'Record a payment' }).click()
  const recorded = dialog(page, 'Record a payment')
  await recorded.getByRole('radio', { name: 'Cheque' }).check()
  await recorded.getByLabel('Amount').fill('3000')
  await recorded.getByRole('button', { name: /^Value date/ }).click()
  await page.getByRole('button', { name: cell(dayInIndia(portal.clock.now())), exact: true }).click()
  const reference = `CHQ${own.lan.slice(-6)}`
  await recorded.getByLabel('Bank reference or cheque number').fill(reference)
  await approveIn(second, await proposeIn(page, 'Record a payment'))

  await openAgain()
  await page.getByRole('button', { name: 'Reverse a payment' }).click()
  const reversed = dialog(page, 'Reverse a payment')
  await reversed.getByRole('combobox').click()
  await page.getByRole('option', { name: new RegExp(`Cheque ${reference}`) }).click()
  await reversed.getByRole('radio', { name: 'Bounced' }).check()
  const reversal = await proposeIn(page, 'Reverse a payment')
  await expect(page.getByRole('region', { name: 'What is proposed' })).toContainText(`Cheque ${reference}, ₹3,000 on `)
  await approveIn(second, reversal)
  await openAgain()
  const payments = page.getByRole('table', { name: 'Payments received' })
  await expect(payments.getByRole('row').filter({ hasText: reference })).toContainText('Reversed')

  await page.getByRole('button', { name: 'Add a charge' }).click()
  const charged = dialog(page, 'Add a charge')
  await charged.getByLabel('Kind of charge').fill('Bounce charge')
  await expect(charged.getByText('Recorded as BOUNCE_CHARGE')).toBeVisible()
  await charged.getByLabel('Amount').fill('300')
  const path = await proposeIn(page, 'Add a charge')
  const notice = page.getByRole('region', { name: 'What the borrower will see' })
  await expect(notice).toContainText('A charge of ₹300 was added to your loan.')
  await expect(notice).toContainText('Operations team: Added a charge')
  await approveIn(second, path)
  await openAgain()
  await page.getByRole('button', { name: 'Waive a charge' }).click()
  const waived = dialog(page, 'Waive a charge')
  await waived.getByRole('combobox').click()
  await page.getByRole('option', { name: /Bounce charge, ₹300/ }).click()
  const waiver = await proposeIn(page, 'Waive a charge')
  await expect(page.getByRole('region', { name: 'What is proposed' })).toContainText('Bounce charge, ')
  await approveIn(second, waiver)
  await openAgain()
  const charges = page.getByRole('table', { name: 'Charges' })
  await expect(charges.getByRole('row').filter({ hasText: 'Bounce charge' }).filter({ hasText: '₹300' })).toContainText('Waived on')
})

test('what a maker typed is there after the session has ended and a new sign-in, until the dialog is closed', async ({
  page,
  portal,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(401, '/'))
  const { lan } = await borrower()
  const phone = await addColleague(portal, 'Meena', maker)
  await enterWithSession(page, portal, phone, `/operations/loans/${lan}`)
  await page.getByRole('button', { name: 'Record a payment' }).click()
  const form = dialog(page, 'Record a payment')
  await form.getByRole('radio', { name: 'Cheque' }).check()
  await form.getByLabel('Amount').fill('3000')
  await form.getByRole('button', { name: /^Value date/ }).click()
  await page.getByRole('button', { name: cell(dayInIndia(portal.clock.now())), exact: true }).click()
  await form.getByLabel('Reference').fill('CHQ000048')
  await form.getByLabel('Reason').fill(reason)
  await signInAfterSessionEnd(page, portal, phone, () => form.getByRole('button', { name: 'Show the effect' }).click())
  await expect(page).toHaveURL(new RegExp(`/operations/loans/${lan}$`))
  await expect(form.getByRole('radio', { name: 'Cheque' })).toBeChecked()
  await expect(form.getByLabel('Amount')).toHaveValue('3,000')
  await expect(form.getByLabel('Reason')).toHaveValue(reason)
  await form.getByRole('button', { name: 'Show the effect' }).click()
  await expect(effect(page)).toBeVisible()
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Record a payment' })).toBeVisible()
  await expect(form).toHaveCount(0)
})

test('extra money is refunded by two people', async ({ page, portal, borrower, openAsChecker }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  // A transfer pays ₹500 of the instalment before the link does.
  const now = portal.clock.now()
  const transfer = {
    mode: 'neft',
    reference: `UTR${own.lan}`,
    amountPaise: rupeesToPaise(500),
    date: dayInIndia(now),
    purpose: 'PAY_EMI',
  } as const
  await withLockedLoan(portal.database, own, now, (loan) => recordPayment(loan, transfer))
  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  await waitForApplied(portal, own, linkId)

  await openLoan(page, portal, own)
  await page.getByRole('button', { name: 'Refund extra money' }).click()
  const path = await proposeIn(page, 'Refund extra money')
  const second = await openAsChecker('/users')
  await approveIn(second, path)
  await page.goto(`/operations/loans/${own.lan}`)
  await expect(page.getByRole('table', { name: 'Refunds' }).getByRole('row').filter({ hasText: '₹500' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Refund extra money' })).toHaveAttribute('aria-disabled', 'true')
})

test('a difference is resolved by two people, and leaves the list', async ({ page, portal, borrower, openAsChecker }) => {
  const own = await borrower()
  const { borrowerId, loanId } = own
  const review = { borrowerId, loanId, kind: 'dispute' as const, about: `dispute ${own.lan}`, detail: { amount_paise: 500_000 } }
  await portal.database.asSystem((sql) => addReview(sql, review, portal.clock.now()))
  await enterWithSession(page, portal, await addColleague(portal, 'Meena', maker), '/operations/reviews')
  const item = page.getByRole('listitem', { name: 'Disputed by the payer’s bank' }).filter({ hasText: own.lan })
  await expect(item).toContainText('The payer’s bank wants a payment back.')
  await expectAccessible(page)
  await item.getByRole('button', { name: 'Resolve' }).click()
  const form = dialog(page, 'Resolve a difference')
  await form.getByLabel('Resolution').fill('The bank dropped the dispute')
  await expect(form.getByLabel('Reason')).toHaveAccessibleDescription(/The borrower reads this\.$/)
  const path = await proposeIn(page, 'Resolve a difference')
  const second = await openAsChecker('/operations/reviews')
  await second.getByRole('listitem').filter({ hasText: own.lan }).getByRole('link', { name: 'A proposal to resolve it' }).click()
  await expect(second).toHaveURL(new RegExp(`${path}$`))
  await approveIn(second, path)
  await second.goto('/operations/reviews?list=resolved')
  await expect(second.getByRole('listitem').filter({ hasText: own.lan })).toContainText('The bank dropped the dispute')
  await expect(second.getByRole('listitem').filter({ hasText: own.lan })).toContainText('Rohan Desai')
})

test('one person alone cannot: the maker is told why, and can withdraw', async ({ page, portal, borrower }) => {
  const own = await borrower()
  const both = await addColleague(portal, 'Meena', [...maker, 'operations:approve'])
  await enterWithSession(page, portal, both, `/operations/loans/${own.lan}`)
  await page.getByRole('button', { name: 'Add a charge' }).click()
  const form = dialog(page, 'Add a charge')
  await form.getByRole('button', { name: 'Show the effect' }).click()
  await expect(form.getByText('Fill in this field').first()).toBeVisible()
  await expect(form.getByText('Write at least 10 characters')).toBeVisible()
  await form.getByLabel('Kind of charge').fill('Bounce charge')
  await form.getByLabel('Amount').fill('300')
  await proposeIn(page, 'Add a charge')
  await expect(page.getByText(/You proposed this\. Another person, with another phone/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Approve and execute' })).toBeHidden()
  await page.getByRole('button', { name: 'Withdraw' }).click()
  const closing = dialog(page, 'Withdraw this proposal?')
  await closing.getByLabel('Reason').fill('Entered for the wrong borrower')
  // What is being done cannot be cancelled.
  await page.route('**/withdraw', async (route) => {
    await expect(closing.getByRole('button', { name: 'Cancel' })).toHaveAttribute('aria-disabled', 'true')
    await route.continue()
  })
  await closing.getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText(/^Withdrawn on/)).toContainText('Entered for the wrong borrower')
})

test('figures that changed are shown before they can be approved; a decided proposal says so', async ({
  page,
  portal,
  borrower,
  openAsChecker,
}) => {
  const own = await borrower()
  await openLoan(page, portal, own)
  const addCharge = async (rupees: string) => {
    await page.goto(`/operations/loans/${own.lan}?do=charge_add`)
    const form = dialog(page, 'Add a charge')
    await form.getByLabel('Kind of charge').fill('Bounce charge')
    await form.getByLabel('Amount').fill(rupees)
    return proposeIn(page, 'Add a charge')
  }
  const [first, other] = [await addCharge('300'), await addCharge('450')]
  const second = await openAsChecker(first)
  const third = await openAsChecker(first, 'Kiran')
  const approve = third.getByRole('button', { name: 'Approve and execute' })
  await expect(approve).toBeVisible()
  await approveIn(second, other)

  await second.goto(first)
  await second.getByRole('button', { name: 'Approve and execute' }).click()
  await expect(second.getByText(/^Something changed since the preview, so the proposal was not executed\./)).toBeVisible()
  await second.getByRole('button', { name: 'Approve the new figures' }).click()
  await expect(second.getByText(/^Approved by Rohan Desai/)).toBeVisible()

  await approve.click()
  await expect(third.getByText(/^Somebody else decided this while you had it open/)).toBeVisible()
  await expect(third.getByText(/^Approved by Rohan Desai/)).toBeVisible()
})

test('an open payment link is cancelled first, if the checker chooses so', async ({ page, portal, borrower, openAsChecker }) => {
  const own = await borrower()
  await startPayment(portal, own)
  await openLoan(page, portal, own)
  await page.getByRole('button', { name: 'Add a charge' }).click()
  const form = dialog(page, 'Add a charge')
  await form.getByLabel('Kind of charge').fill('Bounce charge')
  await form.getByLabel('Amount').fill('300')
  const path = await proposeIn(page, 'Add a charge')
  const second = await openAsChecker(path)
  await expect(second.getByText(/^The borrower can pay an open payment link/)).toBeVisible()
  await second.getByRole('button', { name: 'Approve and execute' }).click()
  await expect(second.getByText(/^The borrower has an open payment link/)).toBeVisible()
  await second.getByRole('checkbox', { name: 'Cancel the link first' }).check()
  await second.getByRole('button', { name: 'Approve and execute' }).click()
  await expect(second.getByText(/^Approved by Rohan Desai/)).toBeVisible()
})

test('a change that must wait for a debit says by when it ends', async ({ page, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(409, '/operations/previews'))
  const own = await borrower()
  const now = portal.clock.now()
  const { databaseUrls, database } = portal
  const expectedBy = new Date(now.getTime() + 10 * 3_600_000)
  const debit = await presentDebit({ database, superuserUrl: databaseUrls.superuserUrl }, own, { now, expectedBy })
  try {
    await openLoan(page, portal, own)
    await page.getByRole('button', { name: 'Add a charge' }).click()
    const form = dialog(page, 'Add a charge')
    await form.getByLabel('Kind of charge').fill('Bounce charge')
    await form.getByLabel('Amount').fill('300')
    await form.getByLabel('Reason').fill(reason)
    await form.getByRole('button', { name: 'Show the effect' }).click()
    const by = formatInstant(expectedBy, 'en')
    await expect(
      form.getByText(`A debit of this loan is in progress at the bank. Its outcome is expected by ${by}. Try again after that.`),
    ).toBeVisible()
  } finally {
    await debit.remove()
  }
})

test('a second navigation leads to Operations; / focuses the search and Enter opens the loan', async ({ page, portal, borrower }) => {
  const own = await borrower()
  await enterWithSession(
    page,
    portal,
    await addColleague(portal, 'Rohan', [...checker, 'user:assume']),
    `/users?search=${own.phone.slice(3)}`,
  )
  await page.getByRole('link', { name: 'Open loan Nisha Verma' }).click()
  await expect(page).toHaveURL(new RegExp(`/operations/loans/${own.lan}$`))
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
  await expect(heading('Nisha Verma'), 'once it is loaded').toBeFocused()
  await page.getByRole('button', { name: 'Act as borrower' }).click()
  await expect(dialog(page, 'Sign in as Nisha Verma?')).toBeVisible()
  await page.keyboard.press('Escape')
  await page
    .getByRole('navigation', { name: 'Staff' })
    .getByRole('link', { name: /^Operations/ })
    .click()
  await expect(heading('Operations')).toBeFocused()
  const lists = page.getByRole('navigation', { name: 'Lists of Operations' })
  await lists.getByRole('link', { name: 'Loans' }).click()
  await expect(heading('Operations'), 'on another page of Operations').toBeFocused()
  await lists.getByRole('link', { name: /^To approve/ }).click()
  await expect(heading('Operations')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('/')
  const search = page.getByRole('textbox', { name: 'Search by account number, phone or name' })
  await expect(search).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.type(own.lan)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/operations/loans/${own.lan}$`))

  await page.getByRole('button', { name: 'Act as borrower' }).click()
  await giveReason(dialog(page, 'Sign in as Nisha Verma?'))
  await page.getByRole('button', { name: 'Sign in as Nisha', exact: true }).click()
  await pill(page).click()
  await expect(page).toHaveURL(/\/users$/)
})

test('staff without the permission see no Operations and are refused', async ({ page, portal, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(403, '/operations/queue'))
  browserErrors.expectConsole(refused(403, '/operations/counts'))
  const counts = page.waitForResponse('**/operations/counts')
  await enter(await newStaff(portal), '/operations')
  await expect(page.getByRole('alert').filter({ hasText: 'Access denied' })).toContainText(
    'You do not have permission to access this resource.',
  )
  await (await counts).finished()
  await page.goto('/users')
  const navigation = page.getByRole('navigation', { name: 'Staff' })
  await expect(navigation.getByRole('link', { name: 'Borrowers' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Assume/ }).first()).toBeVisible()
  await expect(navigation.getByRole('link', { name: 'Operations' })).toHaveCount(0)
})

test('the queue has pages, which Back returns to, and on phones rows of two lines', async ({ page, portal, borrower }) => {
  const own = await borrower()
  const both = await addColleague(portal, 'Meena', maker)
  const token = await portal.signIn(both)
  for (let number = 1; number <= 21; number += 1) {
    const input = { charge_type: 'VISIT_CHARGE', amount: number }
    proposalOf(await propose(portal, token, { kind: 'charge_add', lan: own.lan, input }))
  }
  await enterWithSession(page, portal, both, '/operations?list=mine')
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const rows = page.getByRole('table', { name: 'Proposals' }).getByRole('row')
  await expect(rows).toHaveCount(21)
  // Newest first.
  await expect(rows.nth(1)).toContainText('₹21')
  await expect(page.getByText('Showing 1 to 20')).toBeVisible()
  await pages.getByRole('button', { name: 'Page 2' }).click()
  await expect(page).toHaveURL(/list=mine&page=2$/)
  await expect(rows).toHaveCount(2)
  await expect(rows.nth(1)).toContainText('₹1')
  await page.goBack()
  await expect(rows).toHaveCount(21)
  await page.goForward()
  await expect(page.getByText('Showing 21 to 21 of 21 Entries')).toBeVisible()
  // A page that no longer exists leads to the last one.
  await page.goto('/operations?list=mine&page=9')
  await expect(page).toHaveURL(/list=mine&page=2$/)
  await expect(rows).toHaveCount(2)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/operations?list=mine')
  const items = page.getByRole('list', { name: 'Proposals' }).getByRole('listitem')
  await expect(items).toHaveCount(20)
  for (const item of await items.all()) expect((await item.boundingBox())?.height).toBeLessThanOrEqual(64)
  await expectAccessible(page)
  // A press anywhere in the row opens it.
  await items.first().click({ position: { x: 150, y: 45 } })
  await expect(page).toHaveURL(/\/operations\/proposals\//)
})

test('going back after a proposal shows the loan, not the dialog that its address opened', async ({ page, portal, borrower }) => {
  const own = await borrower()
  await openLoan(page, portal, own)
  await page.goto(`/operations/loans/${own.lan}?do=charge_add`)
  const form = dialog(page, 'Add a charge')
  await form.getByLabel('Kind of charge').fill('Bounce charge')
  await form.getByLabel('Amount').fill('300')
  await expect(page).toHaveURL(new RegExp(`/operations/loans/${own.lan}$`))
  await proposeIn(page, 'Add a charge')
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Facts' })).toBeVisible()
  await expect(form).toBeHidden()
})

test('an unknown loan or proposal leads back to the lists, and a waiver without a short foreclosure is not offered', async ({
  page,
  portal,
  borrower,
  browserErrors,
}) => {
  const own = await borrower()
  await openLoan(page, portal, own)
  const waiver = page.getByRole('button', { name: 'Waive the rest of a foreclosure' })
  await expect(waiver).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByText('No foreclosure fell short')).toBeVisible()

  browserErrors.expectConsole(/status of 404/)
  for (const path of ['/operations/loans/KST-00-000000', '/operations/proposals/none']) {
    await page.goto(path)
    await expect(page.getByRole('alert')).toContainText('Nothing was found under this address.')
    await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('main').getByRole('link', { name: 'Operations', exact: true }).click()
    await expect(page).toHaveURL(/\/operations$/)
  }
  await page.goto('/operations?kind=charge_waive&page=3')
  await expect(page.getByRole('region', { name: 'To approve' })).toContainText('No proposal of this kind is waiting.')
})

test('a refusal of the server is read in the language of the page', async ({ page, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(409, '/operations/previews'))
  browserErrors.expectConsole(refused(422, '/operations/proposals'))
  const own = await borrower()
  await page.addInitScript(() => localStorage.setItem('language', 'hi'))
  await enterWithSession(page, portal, await addColleague(portal, 'Meena', maker), `/operations/loans/${own.lan}?do=charge_add`)
  const form = page.getByRole('dialog')
  await form.locator('#operation-charge_type').fill('Surprise fee')
  await form.locator('#operation-amount').fill('100')
  await form.locator('#proposal-reason').fill('9876543210 से फ़ोन आया था')
  await form.locator('button[type=submit]').click()
  await expect(form.locator('#operation-charge_type')).toHaveAccessibleDescription(/मुख्य तथ्य विवरण में यह शुल्क नहीं है/)
  await form.locator('#operation-charge_type').fill('Bounce charge')
  await form.locator('button[type=submit]').click()
  await expect(form.getByRole('table').first()).toBeVisible()
  await form.locator('button[type=submit]').click()
  await expect(form.locator('#proposal-reason')).toHaveAccessibleDescription(/फ़ोन नंबर, ईमेल पते, UPI आईडी और पैन न लिखें/)
})
