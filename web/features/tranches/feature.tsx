import { loadAreas } from '#web/i18n/i18n.ts'
import { createLazyPart } from '#web/ui/lazy-part.tsx'

/** A part of the loan page below the first screen: it loads, with its texts, after the page. */
export const TrancheCard = createLazyPart(async () => {
  const [card] = await Promise.all([import('./tranche-card.tsx'), loadAreas('tranches')])
  return card.TrancheCard
})
