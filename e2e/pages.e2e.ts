import { makeBrandFolder } from '#testkit/brand-folder.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expect, refused, test } from './portal.ts'

test.use({
  portalSettings: {
    KIST_BRAND_DIR: makeBrandFolder({
      support: { phone: '1800 555 0101', hours: 'Mon–Fri, 10:00–17:00 IST', hours_hi: 'सोम–शुक्र, सुबह 10:00 – शाम 5:00' },
      grievance_officer: { name: 'S. Banerjee' },
      ombudsman_url: 'https://ombudsman.example.in/complain',
      privacy_url: 'https://lender.example.in/privacy',
      charges_url: 'https://lender.example.in/charges',
    }),
  },
})

test('03: the ongoing application shows its stages with dates and what is awaited', async ({ page, enter }) => {
  await enter(demoPhone(3))
  await expect(page).toHaveURL(/\/ongoing-application$/)
  const progress = page.getByRole('region', { name: 'Progress' })
  await expect(progress).toContainText('Application APP-26-000881')
  const stages = progress.getByRole('listitem')
  await expect(stages).toHaveText([
    /^Application submitted\d\d \w{3} \d{4}$/,
    /^Document check\d\d \w{3} \d{4}$/,
    'AssessmentIn progress',
    'SanctionNot started',
    'Agreement signingNot started',
  ])
  await expect(progress.locator('[aria-current=step]')).toContainText('Assessment')
  const awaited = page.getByRole('region', { name: 'Needed from you' })
  await expect(awaited.getByRole('listitem')).toHaveText([
    /^Proof of income \(salary slips or income tax return\)/,
    /^Admission letter from the institute/,
  ])
  // Each with a message of its own, which names the application and the document.
  await expect(awaited.getByRole('link', { name: /^Send by email/ })).toHaveCount(2)
  const letter = await awaited.getByRole('link', { name: /^Send by email.*Admission letter/ }).getAttribute('href')
  const message = new URL(letter ?? '')
  expect([message.protocol, message.pathname, message.searchParams.get('subject')]).toEqual([
    'mailto:',
    'support@meghdoot.example',
    'Application APP-26-000881: Admission letter from the institute',
  ])
  await expect(awaited.getByRole('link', { name: '1800 555 0101' })).toHaveAttribute('href', 'tel:18005550101')
})

test('without an e-mail address and a phone of support, the ongoing application leads to its page', async ({ page, enter }) => {
  await page.route(/:\d+\/ongoing-application$/, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace(/"support":\{[^}]*\}/, '"support":{"phone":"","email":"","hours":""}')
    await route.fulfill({ response, body })
  })
  await enter(demoPhone(3), '/ongoing-application')
  const awaited = page.getByRole('region', { name: 'Needed from you' })
  await expect(awaited).toContainText('with your application number APP-26-000881')
  await expect(awaited.getByRole('link', { name: /^Send by email/ })).toHaveCount(0)
  await awaited.getByRole('link', { name: 'Customer support' }).click()
  await expect(page).toHaveURL(/\/customer-support$/)
})

test('the ongoing application while it loads, when it fails, and when there is none', async ({ page, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(500, '/portal/ongoing-application'))
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/portal/ongoing-application', async (route) => {
    await held
    await route.fulfill({ status: 500, body: '' })
  })
  await enter(demoPhone(1), '/ongoing-application')
  await expect(page.getByText('Loading your application...')).toBeVisible()
  release()
  const panel = page.getByRole('alert').filter({ hasText: 'Failed to load your application' })
  await expect(panel).toContainText('Backend is temporarily down. Please try again.')
  await page.unroute('**/portal/ongoing-application')
  await panel.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'No application in progress' })).toBeVisible()
})

test('FAQs: a title and a paragraph first, then questions that open to their answers', async ({ page, enter }) => {
  await enter(demoPhone(1), '/faqs')
  await expect(page.getByRole('main').locator('h1 + p')).toContainText('Your loan’s figures are on the Active loans page')
  const answer = page.getByText('Money that has left your account is never lost')
  await expect(answer).toBeHidden()
  await page.getByText('I have paid, but it is not shown yet. Should I pay again?').click()
  await expect(answer).toBeVisible()
  await page.getByRole('link', { name: 'Ask customer support' }).click()
  await expect(page.getByRole('heading', { name: 'Customer support', level: 1 })).toBeFocused()
})

test('customer support: a title and a paragraph first, then contacts, hours and the way of a complaint', async ({ page, enter }) => {
  await enter(demoPhone(1), '/customer-support')
  await expect(page.getByRole('main').locator('h1 + p')).toContainText('For questions about your loan')
  const contact = page.getByRole('region', { name: 'Meghdoot Education Finance Ltd' })
  await expect(contact.getByRole('link', { name: '1800 555 0101' })).toHaveAttribute('href', 'tel:18005550101')
  await expect(contact.getByRole('link', { name: 'support@meghdoot.example' })).toHaveAttribute('href', 'mailto:support@meghdoot.example')
  await expect(contact).toContainText('Mon–Fri, 10:00–17:00 IST')
  const complaint = page.getByRole('region', { name: 'If you have a complaint' })
  await expect(complaint.getByRole('heading', { level: 3 })).toHaveText([
    'Tell customer support',
    'Write to the grievance officer',
    'Go to the Reserve Bank’s ombudsman',
  ])
  await expect(complaint).toContainText('S. Banerjee answers within 30 days.')
  await expect(complaint).toContainText('If you get no answer within 30 days')
  await expect(complaint.getByRole('link', { name: 'ombudsman.example.in' })).toHaveAttribute(
    'href',
    'https://ombudsman.example.in/complain',
  )
  await expect(contact).toContainText('to have your personal data corrected or erased')
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await expect(contact).toContainText('सोम–शुक्र, सुबह 10:00 – शाम 5:00')
})

test('the logins and the foot of every page link the pages of the lender’s site that are given', async ({ page, enter }) => {
  const expectLinks = async () => {
    await expect(page.getByRole('link', { name: 'Privacy notice' })).toHaveAttribute('href', 'https://lender.example.in/privacy')
    await expect(page.getByRole('link', { name: 'Interest rates and charges' })).toHaveAttribute(
      'href',
      'https://lender.example.in/charges',
    )
    await expect(page.getByRole('link', { name: 'Accessibility' })).toHaveCount(0)
  }
  for (const path of ['/login', '/admin/login']) {
    await page.goto(path)
    await expectLinks()
  }
  await enter(demoPhone(1), '/customer-support')
  await expectLinks()
})
