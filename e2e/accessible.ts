import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/**
 * All WCAG rules and axe's best practices. Of an open menu only itself is checked: it is at the end
 * of the document, outside every landmark, and the page below was checked before.
 */
export async function expectAccessible(page: Page, popup?: string): Promise<void> {
  // During an animation the colours are not final.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))
  // Our pages have no frames. In legacy mode axe opens no second page to combine their results.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  const { violations } = await (popup === undefined ? axe : axe.include(popup)).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)).toEqual([])
}
