import type { Page } from '@playwright/test'
import { expect } from './portal.ts'

/** The dialogs of Operations and their effect, by what a person sees. */

export const reason = 'Ticket 48213: asked by letter of the bank'

export const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
export const effect = (page: Page) => page.getByRole('table', { name: 'Before and after' })
export const figure = (page: Page, name: string) => effect(page).getByRole('row', { name: new RegExp(`^${name}`) })

/** The page of a new proposal. The queue, with other proposals, is shown until it is drawn. */
export async function expectProposed(page: Page): Promise<void> {
  await expect(page).toHaveURL(/\/operations\/proposals\//)
  await expect(page.getByRole('region', { name: 'What is proposed' })).toBeVisible()
  await expect(page.getByText('To be approved', { exact: true })).toBeVisible()
}

/** Writes the reason, looks at the effect and proposes. @returns the address of the proposal. */
export async function proposeIn(page: Page, name: string): Promise<string> {
  const form = dialog(page, name)
  await form.getByLabel('Reason').fill(reason)
  await form.getByRole('button', { name: 'Show the effect' }).click()
  await expect(effect(page)).toBeVisible()
  await form.getByRole('button', { name: 'Propose', exact: true }).click()
  await expectProposed(page)
  return new URL(page.url()).pathname
}
