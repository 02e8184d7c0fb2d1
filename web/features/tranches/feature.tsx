import { createLazyPart } from '#web/ui/lazy-part.tsx'

/** A part of the loan page, whose route loads its texts. */
export const TrancheCard = createLazyPart(async () => (await import('./tranche-card.tsx')).TrancheCard)
