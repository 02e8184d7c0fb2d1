import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { amountInWords } from '#domain/amount-in-words.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { readPdf } from '#server/documents/pdf-text.testing.ts'
import { reverseByPeople } from '#server/payments/refunds/record-taken-back.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { formatTime } from '#web/ui/format.ts'
import { expectAccessible } from './accessible.ts'
import { startPayment, waitForApplied } from './people.ts'
import {
  completed,
  countdown,
  goToHostedPage,
  goToPayments,
  messages,
  openTrail,
  payButton,
  payOnHostedPage,
  pending,
} from './payments-tab.ts'
import { expect, refused, test, until } from './portal.ts'

type Listed = { payment_id: string; refund_status?: string }

const tab = '/active-loans/payments'
const steps = (page: Page, name: RegExp) => page.getByRole('list', { name }).locator('> li')

/** Pays the next instalment, from the press until back on the tab. */
async function pay(page: Page): Promise<void> {
  await goToHostedPage(page)
  await payOnHostedPage(page)
  await expect(page.getByText(messages.success)).toBeVisible()
  await goToPayments(page)
}

test('a payment explains itself from the asking to the receipt, and the receipt says the same', async ({
  page,
  portal,
  enter,
  borrower,
}) => {
  const { phone, lan } = await borrower()
  await enter(phone, tab)
  await pay(page)
  const newest = completed(page).first()
  await expect(newest).toContainText('Paid')

  // By keyboard alone.
  await newest.getByRole('button', { name: /^What happened/ }).focus()
  await page.keyboard.press('Enter')
  const trail = steps(page, /^What happened EMI, /)
  await expect(trail).toHaveCount(6)
  const token = await portal.signIn(phone)
  const { body } = await portal.get(`/portal/completed-payments?application_id=${lan}`, token)
  const [link] = body['payment_links'] as { amount: number; bank_reference: string; payment_id: string; payment_link_id: string }[]
  const amount = `₹${(link?.amount ?? 0).toLocaleString('en-IN')}`
  for (const [index, text] of [
    `You started a payment of ${amount}`,
    'Payment link ready',
    `${amount} paid by UPI`,
    'Confirmed by the payment provider',
    'Applied to your loan',
    `Receipt ${lan}-R4`,
  ].entries())
    await expect(trail.nth(index)).toContainText(text)
  await expect(trail.nth(2)).toContainText(`Bank reference ${link?.bank_reference}`)
  await expect(trail.nth(4).getByRole('listitem')).toHaveText([/^Interest of instalment 4, due .+₹/, /^Principal of instalment 4, due .+₹/])
  await expectAccessible(page)

  const saved = page.waitForEvent('download')
  await newest.getByRole('button', { name: `Receipt ${lan}-R4` }).click()
  const file = await saved
  expect(file.suggestedFilename()).toBe(`Receipt_${lan}-R4.pdf`)
  const { text } = await readPdf(await readFile(await file.path()))
  for (const part of [
    `${lan}-R4`,
    link?.bank_reference,
    link?.payment_id,
    amountInWords(rupeesToPaise(link?.amount ?? 0), 'en'),
    'Nisha Verma',
  ])
    expect(text).toContain(part)

  // On paper, opened details are visible and buttons are not.
  await page.emulateMedia({ media: 'print' })
  await expect(trail.nth(4)).toBeVisible()
  await expect(newest.getByRole('button', { name: /^Receipt/ })).toBeHidden()
  await expect(
    completed(page)
      .nth(1)
      .getByRole('button', { name: /^What happened/ }),
  ).toBeHidden()
})

test('a notice leads to the trail of its payment', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await enter(own.phone)
  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  await waitForApplied(portal, own, linkId)
  await page.reload()
  await page.getByRole('button', { name: /^Notices, \d unread$/ }).click()
  await page.getByRole('link', { name: /was received\./ }).click()
  await expect(page).toHaveURL(`/active-loans/payments?loan=${own.lan}&payment=${linkId}`)
  const card = page.getByRole('region', { name: 'What happened to your payment' })
  await expect(card.getByRole('list', { name: 'What happened to your payment' }).locator('> li')).toHaveCount(6)
  await expectAccessible(page)
})

test("another borrower's payment in the URL is not shown", async ({ page, portal, enter, borrower, browserErrors }) => {
  const linkId = await startPayment(portal, await borrower())
  browserErrors.tolerateConsole(refused(404, `/portal/payments/${linkId}/trail`))
  await enter((await borrower()).phone, `${tab}?payment=${linkId}`)
  const card = page.getByRole('region', { name: 'What happened to your payment' })
  await expect(card).toContainText('Failed to load what happened')
  await expect(card.getByRole('listitem')).toHaveCount(0)
})

test('the payment method is shown in words, in both languages', async ({ page, portal, enter, borrower }) => {
  for (const [method, english, hindi] of [
    ['card', 'paid by card', 'कार्ड से चुकाए गए'],
    ['bank_transfer', 'paid by bank transfer', 'बैंक ट्रांसफ़र से चुकाए गए'],
  ] as const) {
    const own = await borrower()
    const linkId = await startPayment(portal, own)
    await portal.sandbox(`/links/${linkId}/pay`, { method, outcome: 'success' })
    await waitForApplied(portal, own, linkId)
    await enter(own.phone, tab)
    await openTrail(completed(page).first())
    await expect(steps(page, /^What happened/)).toContainText([english])
    await page.getByRole('button', { name: 'हिन्दी' }).first().click()
    await expect(page.getByText(hindi)).toBeVisible()
    await page.getByRole('button', { name: 'English' }).first().click()
    await expect(page.getByText(english)).toBeVisible()
  }
})

test('a pending payment shows what it covers, until when, and its state', async ({ page, portal, enter, borrower }) => {
  const one = await borrower()
  await startPayment(portal, one)
  const { body } = await portal.get(`/portal/ongoing-payment?application_id=${one.lan}`, await portal.signIn(one.phone))
  const { expires_at: end } = body['payment_link'] as { expires_at: string }
  expect(Date.parse(end) - portal.clock.now().getTime()).toBeLessThanOrEqual(3_600_000)
  await enter(one.phone, tab)
  // Only what ends first: the link's hour, not the amount's day.
  await expect(pending(page)).toContainText(`The link works until ${formatTime(new Date(end), 'en')}.`)
  await expect(pending(page)).not.toContainText('The amount is valid until')
  await expect(pending(page)).toContainText(/Payment reference\s*plink_\w+/)
  await expect(pending(page).getByRole('button', { name: 'Copy Payment reference' })).toBeVisible()
  await expect(page.getByText(/^What ₹.+ covers$/)).toHaveCount(1)
  await pending(page)
    .getByText(/^What ₹.+ covers$/)
    .click()
  await expect(pending(page).getByRole('row')).toHaveText([/^Principal₹/, /^Interest₹/, /^Next EMI₹/])
  await pending(page).getByText('Progress of this payment').click()
  await expect(steps(page, /^Progress of this payment/)).toHaveText([
    /^You started a payment of/,
    /^Payment link ready/,
    'Waiting for your payment',
  ])
  await expect(steps(page, /^Progress of this payment/).last()).toHaveAttribute('aria-current', 'step')
  await expectAccessible(page)
})

test('the countdown says what the amount is made of and until when its link works', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, tab)
  await payButton(page).click()
  await expect(countdown(page).getByRole('term')).toHaveText(['Next EMI', 'Principal', 'Interest', 'Paid to', 'Loan'])
  // The pending payment says the same.
  const until = await countdown(page)
    .getByText(/^The link works until [\d:]+ [ap]m\.$/)
    .textContent()
  await countdown(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(pending(page)).toContainText(String(until))
})

test('refunded money is shown in the list, with its reference', async ({ page, enter }) => {
  await enter(demoPhone(4), tab)
  const newest = completed(page).first()
  await expect(newest).toContainText('Paid twice')
  await expect(newest).toContainText(/Refunded ₹[\d,.]+ on \d\d \w{3} \d{4}, reference \d{12}/)
  await expect(newest.getByRole('button', { name: /^Receipt/ })).toHaveCount(2)
  await openTrail(newest)
  const trail = steps(page, /^What happened EMI, /)
  await expect(trail).toHaveCount(12)
  await expect(trail.nth(8)).toContainText(/Sent back to you₹/)
  await expect(trail.last()).toContainText(/^₹[\d,.]+ refunded.+Bank reference \d{12}$/)
  await expectAccessible(page)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } })
  test('money that went back, or that the bank took, is not shown as paid', async ({ page, portal, enter, borrower }) => {
    const own = await borrower({ paid: 0 })
    const token = await portal.signIn(own.phone)
    const listed = async () =>
      (await portal.get(`/portal/completed-payments?application_id=${own.lan}`, token)).body['payment_links'] as Listed[]

    const cancelled = await startPayment(portal, own)
    await portal.patch(`/payments/payment-link/cancel?payment_link_id=${cancelled}`, {}, token)
    await portal.sandbox(`/links/${cancelled}/pay`, { method: 'upi', outcome: 'late_success', after_seconds: 0 })
    await until(async () => (await listed())[0]?.refund_status)

    const linkId = await startPayment(portal, own)
    await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
    await waitForApplied(portal, own, linkId)
    const [paid] = await listed()
    const taken = { source: 'razorpay', sourceId: String(paid?.payment_id), isReportedByBank: true, partPaise: undefined }
    await withLockedLoan(portal.database, own, portal.clock.now(), (loan) => reverseByPeople(loan, taken))

    await enter(own.phone, tab)
    await expect(completed(page)).toHaveText([/Taken back/, /Being returned|Returned to you/])
    for (const row of await completed(page).all()) await expect(row).not.toContainText('Paid')
    await expectAccessible(page)
  })
})

test.describe('in Hindi, dark, on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, colorScheme: 'dark', contextOptions: { reducedMotion: 'reduce' } })
  test('the trail and the receipt are in Hindi', async ({ page, enter, borrower, context }) => {
    await context.addInitScript(() => {
      if (location.protocol.startsWith('http')) localStorage.setItem('language', 'hi')
    })
    const { phone, lan } = await borrower()
    await enter(phone, tab)
    const newest = completed(page).first()
    await newest.getByRole('button', { name: /^क्या-क्या हुआ/ }).click()
    const trail = steps(page, /^क्या-क्या हुआ/)
    await expect(trail).toHaveCount(6)
    await expect(trail.nth(4)).toContainText('आपके लोन में समायोजित')
    await expect(trail.nth(4).getByRole('listitem').first()).toContainText(/^किस्त 3 का ब्याज, देय तारीख़ /)
    await expectAccessible(page)
    const saved = page.waitForEvent('download')
    await newest.getByRole('button', { name: `रसीद ${lan}-R3` }).click()
    const file = await saved
    expect(file.suggestedFilename()).toBe(`रसीद_${lan}-R3.pdf`)
    expect((await readPdf(await readFile(await file.path()))).title).toBe('भुगतान रसीद')
  })
})
