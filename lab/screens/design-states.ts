import type { State } from './screen-context.ts'

/** The states of the page that shows all components. Only development builds have this page. */
export const designStates: readonly State[] = [
  {
    name: 'design',
    isLong: true,
    go: async ({ page, origin }) => {
      await page.goto(`${origin}/design`)
      await page.locator('h1').waitFor()
    },
  },
]
