import type { Page } from '@playwright/test'

/**
 * Counts what a finger or mouse presses in the page from now on, until another document is loaded.
 * A click that the browser makes of a press on a label is not counted again.
 */
export async function countPresses(page: Page): Promise<() => number> {
  let presses = 0
  await page.exposeFunction('countPress', () => (presses += 1))
  await page.evaluate("addEventListener('click', (event) => event.isTrusted && countPress(), true)")
  return () => presses
}
