import { createLazyPart } from '#web/app/feature.tsx'

/** A part of the loan page, whose route loads its texts. */
export const TrancheCard = createLazyPart(async () => (await import('./tranche-card.tsx')).TrancheCard)
