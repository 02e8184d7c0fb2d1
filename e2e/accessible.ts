import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/**
 * Expects no violation of the WCAG rules and axe's best practices. With `popup`, a selector, axe
 * checks only that element: an open menu is at the end of the document, outside every landmark, and
 * the test checks the page before it opens the menu.
 */
export async function expectAccessible(page: Page, popup?: string): Promise<void> {
  // Waits for the animations: until they end, the colours are not final.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))
  // Otherwise axe opens a second page to combine the results of frames. Our pages have no frames.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  const { violations } = await (popup === undefined ? axe : axe.include(popup)).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)).toEqual([])
}
