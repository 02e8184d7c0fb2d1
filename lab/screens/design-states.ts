import type { State } from './stage.ts'

/** The page of all components, in development builds only. */
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
