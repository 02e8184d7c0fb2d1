import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/**
 * Every rule of WCAG and axe's best practices; none is left out. Of an open menu only itself is looked at: it hangs at
 * the end of the document, outside every landmark, and the page under it was looked at before.
 */
export async function expectAccessible(page: Page, popup?: string): Promise<void> {
  // What still moves has colours half way.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))
  const axe = new AxeBuilder({ page })
  const { violations } = await (popup === undefined ? axe : axe.include(popup)).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)).toEqual([])
}
