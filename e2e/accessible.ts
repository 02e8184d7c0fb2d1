import { expect, type Page } from '@playwright/test'
import { findViolations } from '#testkit/find-violations.ts'

/**
 * Expects no violation of the WCAG rules and axe's best practices. With `popup`, a selector, axe
 * checks only that element: an open menu is at the end of the document, outside every landmark, and
 * the test checks the page before it opens the menu.
 */
export async function expectAccessible(page: Page, popup?: string): Promise<void> {
  // Waits for the animations: until they end, the colours are not final.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))
  expect(await findViolations(page, popup)).toEqual([])
}
