import { createFeaturePart } from '#web/app/feature.tsx'

/** A part of the loan page below the first screen: it loads, with its texts, after the page. */
export const TrancheCard = createFeaturePart('tranches', async () => (await import('./tranche-card.tsx')).TrancheCard)
