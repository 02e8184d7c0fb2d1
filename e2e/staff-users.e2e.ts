import type { Page } from '@playwright/test'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectAccessible } from './accessible.ts'
import { expect, refused, test } from './portal.ts'
import { askToAssume, giveReason, newNamesakes, newStaff, pill, searchBox } from './staff.ts'

const rows = (page: Page) => page.getByRole('table', { name: 'Borrowers' }).getByRole('row')

test('without a token the list leads to the staff login', async ({ page }) => {
  await page.goto('/users?search=rao')
  await expect(page).toHaveURL(/\/admin\/login$/)
})

test('an expired staff token counts as none', async ({ page, portal, enter }) => {
  await enter(await newStaff(portal), '/users')
  await expect(page.getByRole('heading', { name: 'Borrowers', level: 1 })).toBeVisible()
  await page.evaluate(() => localStorage.setItem('tokenReceivedAt', String(Date.now() - 9 * 3_600_000)))
  await page.reload()
  await expect(page).toHaveURL(/\/admin\/login$/)
})

test('a borrower is denied, with a way to the staff login', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/users')
  const alert = page.getByRole('alert').filter({ hasText: 'Access denied' })
  await expect(alert).toBeVisible()
  await expect(searchBox(page)).toBeHidden()
  await alert.getByRole('link', { name: 'Go to staff sign-in' }).click()
  await expect(page).toHaveURL(/\/admin\/login$/)
})

test('staff whose role was taken away are signed out at the next call, and denied when they sign in again', async ({
  page,
  portal,
  enter,
  browserErrors,
}) => {
  browserErrors.expectConsole(/status of 401 /)
  const phone = await newStaff(portal)
  await enter(phone, '/users')
  await expect(rows(page).nth(1)).toBeVisible()
  await portal.database.asSystem((sql) => sql.updateTable('users').set({ roles: [] }).where('phone', '=', phone).execute())
  await page.reload()
  await page.getByRole('alertdialog', { name: 'Please sign in again' }).getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/admin\/login$/)
  await enter(phone, '/users')
  await expect(page.getByRole('alert').filter({ hasText: 'Access denied' })).toBeVisible()
})

test('the list shows the six columns, ten a page, and says which of how many', async ({ page, portal, enter }) => {
  await newNamesakes(portal, 'Pagewala', 23)
  await enter(await newStaff(portal), '/users?search=Pagewala')
  for (const name of ['First Name', 'Last Name', 'Email', 'Phone', 'PAN', 'Actions'])
    await expect(page.getByRole('columnheader', { name })).toBeVisible()
  await expect(rows(page)).toHaveCount(11)
  await expect(page.getByRole('cell', { name: 'ABCDE1001F' })).toBeVisible()
  await expect(page.getByText('Showing 1 to 10 of 23 Entries')).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: '23 borrowers' })).toBeVisible()

  const pages = page.getByRole('navigation', { name: 'Pages' })
  await expect(pages.getByRole('button')).toHaveCount(5)
  await expect(pages.getByRole('button', { name: 'Previous page' })).toHaveAttribute('aria-disabled', 'true')
  await pages.getByRole('button', { name: 'Page 3' }).click()
  await expect(page).toHaveURL(/search=Pagewala&page=3$/)
  await expect(page.getByText('Showing 21 to 23 of 23 Entries')).toBeVisible()
  await expect(rows(page)).toHaveCount(4)
  await expect(pages.getByRole('button', { name: 'Page 3' })).toHaveAttribute('aria-current', 'page')
  await expect(pages.getByRole('button', { name: 'Next page' })).toHaveAttribute('aria-disabled', 'true')

  await page.reload()
  await expect(searchBox(page)).toHaveValue('Pagewala')
  await expect(page.getByText('Showing 21 to 23 of 23 Entries')).toBeVisible()
  await page.goBack()
  await expect(page.getByText('Showing 1 to 10 of 23 Entries')).toBeVisible()
  await expectAccessible(page)
})

test('a row’s second line has the worst loan, its status, the days late, and how many more', async ({ page, portal, enter, borrower }) => {
  const { phone } = await borrower()
  await enter(await newStaff(portal), `/users?search=${phone.slice(3)}`)
  await expect(rows(page).nth(1)).toContainText(/KST-\S+\s*Active\s*On time/)
  for (const [person, text] of [
    [2, /KST-\S+.*\+1 loan/],
    [4, /KST-\S+Closed/],
    [6, /No loan/],
  ] as const) {
    await page.goto(`/users?search=${demoPhone(person).slice(3)}`)
    await expect(rows(page)).toHaveCount(2)
    await expect(rows(page).nth(1)).toContainText(text)
  }
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`/users?search=${demoPhone(2).slice(3)}`)
  await expect(page.getByRole('listitem').filter({ hasText: 'Bilal' })).toContainText('+1 loan')
})

for (const assume of [true, false])
  test(`the button stands in the middle of its row, ${assume ? 'allowed' : 'locked'}, and no value wraps`, async ({
    page,
    portal,
    enter,
  }) => {
    await enter(await newStaff(portal, { assume }), '/users')
    for (const width of [1280, 768]) {
      await page.setViewportSize({ width, height: 900 })
      const row = rows(page).nth(1)
      const button = row.getByRole('button')
      await expect(button).toBeInViewport({ ratio: 1 })
      const [outer, inner] = [await row.boundingBox(), await button.boundingBox()]
      const middle = (box: typeof outer) => (box ? box.y + box.height / 2 : 0)
      expect(Math.abs(middle(outer) - middle(inner))).toBeLessThanOrEqual(1)
      // Without the head, and the last row, which has no line below it.
      const heights = await rows(page).evaluateAll((all) => all.slice(1, -1).map((one) => Math.round(one.getBoundingClientRect().height)))
      expect(new Set(heights).size).toBe(1)
    }
  })

for (const [language, text] of [
  ['en', /Bilal Ansari\s*12 days late\s*KST-\S+Overdue\+1 loan/],
  ['hi', /Bilal Ansari\s*12 दिन की देरी\s*KST-\S+अतिदेय\+1 लोन/],
] as const)
  test(`on a phone a borrower has two lines, and opens to the rest, in ${language}`, async ({ page, portal, enter }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
    await newNamesakes(portal, 'Zeilenwala Subrahmanyam Venkataramanan', 2)
    await enter(await newStaff(portal, { opens: true }), `/users?search=${demoPhone(2).slice(3)}`)
    const items = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByRole('button') })
    const bilal = items.filter({ hasText: 'Bilal' })
    await expect(bilal).toContainText(text)
    // The whole row opens.
    await bilal.getByText(/KST-/).click({ force: true })
    await expect(bilal.getByRole('button').first()).toHaveAttribute('aria-expanded', 'true')
    await expect(bilal).toContainText(/90000 00002/)
    await expect(bilal).toContainText(/@example\.in/)
    await expect(bilal).toContainText(/[A-Z]{5}\d{4}[A-Z]/)
    await expect(bilal.getByRole('link', { name: /Bilal Ansari/ })).toHaveAttribute('href', /\/operations\/loans\/KST-/)
    await expectAccessible(page)
    await bilal.getByRole('button').last().click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.keyboard.press('Escape')
    for (const search of ['', '?search=Zeilenwala']) {
      await page.goto(`/users${search}`)
      await expect(items.nth(1)).toBeVisible()
      for (const item of await items.all()) expect((await item.boundingBox())?.height).toBeLessThanOrEqual(64)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    }
  })

test('a page beyond the end becomes the last one', async ({ page, portal, enter }) => {
  await newNamesakes(portal, 'Endwala', 12)
  await enter(await newStaff(portal), '/users?search=Endwala&page=9')
  await expect(page).toHaveURL(/search=Endwala&page=2$/)
  await expect(page.getByText('Showing 11 to 12 of 12 Entries')).toBeVisible()
})

test('searching waits for a pause, goes to page 1, keeps the words, and changes the address', async ({ page, portal, enter }) => {
  await newNamesakes(portal, 'Typewala', 12)
  await page.clock.install()
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/auth/users/all')) asked.push(new URL(request.url()).searchParams.get('search') ?? '')
  })
  await enter(await newStaff(portal), '/users?search=Typewala&page=2')
  await expect(page.getByText('Showing 11 to 12 of 12 Entries')).toBeVisible()
  asked.length = 0
  await page.clock.pauseAt(Date.now() + 60_000)
  await searchBox(page).fill('')
  await searchBox(page).pressSequentially('asha03 Type ')
  await page.clock.runFor(499)
  expect(asked).toEqual([])
  await page.clock.runFor(2)
  await page.clock.resume()
  await expect(page).toHaveURL(/\/users\?search=asha03(\+|%20)Type$/)
  await expect(page.getByText('Showing 1 to 1 of 1 Entries')).toBeVisible()
  await expect(page.getByRole('cell', { name: /^Asha03 / })).toBeVisible()
  expect(asked).toEqual(['asha03 Type'])
  await expect(searchBox(page)).toHaveValue('asha03 Type ')
  await expect(searchBox(page)).toBeFocused()
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeHidden()
})

test('digits are searched for as they were typed', async ({ page, portal, enter, borrower }) => {
  const { phone } = await borrower()
  await enter(await newStaff(portal), `/users?search=${phone.slice(3)}`)
  await expect(searchBox(page)).toHaveValue(phone.slice(3))
  await expect(rows(page)).toHaveCount(2)
  await searchBox(page).fill(phone.slice(-5))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`search=${phone.slice(-5)}$`))
})

test('nobody found: says so, and clearing brings everybody back', async ({ page, portal, enter }) => {
  await enter(await newStaff(portal), '/users?search=xyzzyquuxfoo')
  await expect(page.getByRole('heading', { name: 'No data found' })).toBeVisible()
  await expect(page.getByText('No borrower matches “xyzzyquuxfoo”.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the search' }).click()
  await expect(searchBox(page)).toBeFocused()
  await expect(page).toHaveURL(/\/users$/)
  // The nine borrowers of the demo town at least, below the head.
  await expect.poll(() => rows(page).count()).toBeGreaterThan(9)
})

test('a failure takes the place of the list, with a retry', async ({ page, portal, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/auth/users/all'))
  await page.route('**/auth/users/all*', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
  await enter(await newStaff(portal), '/users')
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to load borrowers' })).toContainText(
    'Backend is temporarily down. Please try again.',
  )
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(rows(page).nth(1)).toBeVisible()
})

test('while loading it says so', async ({ page, portal, enter }) => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/auth/users/all*', async (route) => {
    await held
    await route.continue()
  })
  await enter(await newStaff(portal), '/users')
  await expect(page.getByText('Loading borrowers...')).toBeVisible()
  answer()
  await expect(rows(page).nth(1)).toBeVisible()
})

test('without user:assume the buttons do nothing and say why', async ({ page, enter }) => {
  await enter(demoPhone(8), '/users?search=Deshpande')
  const assume = page.getByRole('button', { name: 'Assume Ananya Deshpande' })
  await expect(assume).toHaveAttribute('aria-disabled', 'true')
  await expect(assume).toHaveAccessibleDescription('Action not allowed')
  await expect(page.getByText('You can view this list, but not sign in as a borrower.')).toBeVisible()
  await assume.focus()
  await expect(page.getByText('Action not allowed').last()).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeHidden()
})

test('the dialog asks for a kind and ten characters', async ({ page, portal, enter, borrower }) => {
  const { phone } = await borrower()
  await enter(await newStaff(portal), '/users')
  const dialog = await askToAssume(page, phone)
  await expect(dialog.getByText('It lasts 30 minutes at most.')).toBeVisible()
  const submit = dialog.getByRole('button', { name: 'Sign in as Nisha' })
  await submit.click()
  await expect(dialog.getByText('Choose a subject')).toBeVisible()
  await expect(dialog.getByText('Write at least 10 characters')).toBeVisible()
  await expect(dialog.getByRole('radio').first()).toBeFocused()
  await expect(dialog.getByRole('radio').first()).toHaveAccessibleDescription('Choose a subject')
  await giveReason(dialog, 'too  short')
  await expect(dialog.getByText('Choose a subject')).toBeHidden()
  await submit.click()
  const reason = dialog.getByLabel('Reason', { exact: true })
  await expect(reason).toBeFocused()
  await expect(reason).toHaveAttribute('aria-invalid', 'true')
  await expect(reason).toHaveAccessibleDescription(/The borrower reads this\. Write at least 10 characters$/)
  await expectAccessible(page)

  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'Assume Nisha Verma' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Reason', { exact: true })).toHaveValue('')
})

test('a failed assume is shown in the dialog, and nothing has changed', async ({ page, portal, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(404, '/auth/assume'))
  const { phone, borrowerId } = await borrower()
  await enter(await newStaff(portal), '/users')
  const dialog = await askToAssume(page, phone)
  await portal.database.asSystem((sql) =>
    sql.updateTable('users').set({ disabled_at: portal.clock.now() }).where('user_id', '=', borrowerId).execute(),
  )
  await giveReason(dialog)
  await dialog.getByRole('button', { name: 'Sign in as Nisha' }).click()
  await expect(
    dialog.getByRole('alert').filter({ hasText: 'This account cannot be opened: it may have been closed. Search again.' }),
  ).toBeVisible()
  await expect(pill(page)).toBeHidden()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/\/users\?search=/)
})
