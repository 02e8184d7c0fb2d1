import { createFeaturePart } from '#web/app/feature.tsx'

/** The new rates of a floating loan, above its summary. Other loans do not load it. */
export const RateResets = createFeaturePart('resets', async () => (await import('./rate-resets.tsx')).RateResets)
