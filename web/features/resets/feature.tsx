import { loadAreas } from '#web/i18n/i18n.ts'
import { createLazyPart } from '#web/ui/lazy-part.tsx'

/** The new rates of a floating loan, above its summary. Other loans do not load it. */
export const RateResets = createLazyPart(async () => {
  const [resets] = await Promise.all([import('./rate-resets.tsx'), loadAreas('resets')])
  return resets.RateResets
})
