import type { Locator, Page } from '@playwright/test'
import { assumeRole } from '#contract/permissions.ts'
import { addPerson } from '#testkit/builders.ts'
import type { App } from '#testkit/start-app.ts'
import { newPhone } from './people.ts'
import { expect } from './portal.ts'

/** A staff member who is in no other test; `opens`: may open loans. @returns the phone. */
export async function newStaff(portal: App, { assume = true, opens = false } = {}): Promise<string> {
  const phone = newPhone()
  await addPerson(portal.database, portal.clock.now(), {
    phone,
    firstName: 'Sunita',
    lastName: 'Menon',
    kind: 'staff',
    roles: [assumeRole],
    permissions: [...(assume ? (['user:assume'] as const) : []), ...(opens ? (['operations:read'] as const) : [])],
  })
  return phone
}

/** Borrowers with a unique last name, so that a search finds only these. */
export async function newNamesakes(portal: App, lastName: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) {
    await addPerson(portal.database, portal.clock.now(), {
      phone: newPhone(),
      firstName: `Asha${String(number).padStart(2, '0')}`,
      lastName,
      email: `asha${number}@example.in`,
      pan: `ABCDE${String(1000 + number)}F`,
    })
  }
}

export const searchBox = (page: Page): Locator => page.getByRole('textbox', { name: 'Search by name, email, phone, or PAN' })

/** The button with the assumed borrower's name, which ends the session. */
export const pill = (page: Page): Locator => page.getByRole('button', { name: /^logged in as/ })

/** Finds one borrower and opens the dialog. */
export async function askToAssume(page: Page, phone: string): Promise<Locator> {
  await searchBox(page).fill(phone)
  await expect(page).toHaveURL(/search=/)
  // Until the response arrives, the list shows the previous result: others with the same name.
  await expect(page.getByRole('status').filter({ hasText: /^1 borrower$/ })).toBeVisible()
  // On a phone the row opens to its buttons.
  const more = page.getByRole('button', { name: 'More about Nisha Verma' })
  if (await more.isVisible()) await more.click()
  await page.getByRole('button', { name: 'Assume Nisha Verma' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in as Nisha Verma?' })
  await expect(dialog).toBeVisible()
  return dialog
}

export async function giveReason(dialog: Locator, text = 'Ticket 48213: cannot find the receipt'): Promise<void> {
  await dialog.getByRole('radio', { name: 'Payment or receipt' }).check()
  await dialog.getByLabel('Reason', { exact: true }).fill(text)
}

/** From the list of users into the account of a borrower called Nisha Verma. */
export async function assumeBorrower(page: Page, phone: string): Promise<void> {
  const dialog = await askToAssume(page, phone)
  await giveReason(dialog)
  await dialog.getByRole('button', { name: 'Sign in as Nisha' }).click()
  await expect(page).toHaveURL(/\/active-loans$/)
  await expect(pill(page)).toBeVisible()
}
