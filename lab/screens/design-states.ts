import type { State } from './stage.ts'

/** Every component on one page, in development builds alone. */
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
