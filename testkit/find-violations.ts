import type { Result } from 'axe-core'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** A broken rule of axe, and the HTML of the elements that break it. */
type Violation = { rule: string; elements: string[] }

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Checks a page by all WCAG rules and best practices of axe. Our pages have no frames. Axe is
 * loaded once per document, because that takes half as long as a check.
 *
 * @param popup selector of the only element to check.
 */
export async function findViolations(page: Page, popup?: string): Promise<Violation[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe)
  const checked = popup === undefined ? 'document' : JSON.stringify(popup)
  const violations = await page.evaluate<Result[]>(
    `axe.run(${checked}, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )
  return violations.map(({ id, nodes }) => ({ rule: id, elements: nodes.map(({ html }) => html) }))
}
