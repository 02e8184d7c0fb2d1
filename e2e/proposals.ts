import type { Page } from '@playwright/test'
import { expect } from './portal.ts'

/** The dialogs of Operations and their effect, by what a person sees. */

export const reason = 'Ticket 48213: asked by letter of the bank'

export const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
export const effect = (page: Page) => page.getByRole('table', { name: 'Before and after' })
export const figure = (page: Page, name: string) => effect(page).getByRole('row', { name: new RegExp(`^${name}`) })

/** Writes the reason, looks at the effect and proposes. @returns the address of the proposal. */
export async function proposeIn(page: Page, name: string): Promise<string> {
  const form = dialog(page, name)
  await form.getByLabel('Reason').fill(reason)
  await form.getByRole('button', { name: 'Show the effect' }).click()
  await expect(effect(page)).toBeVisible()
  await form.getByRole('button', { name: 'Propose', exact: true }).click()
  await expect(page).toHaveURL(/\/operations\/proposals\//)
  await expect(page.getByText('To be approved', { exact: true })).toBeVisible()
  return new URL(page.url()).pathname
}
