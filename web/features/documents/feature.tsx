import { createFeaturePart } from '#web/app/feature.tsx'

/** A tab of the loan page, with its texts. */
export const DocumentsTab = createFeaturePart('documents', async () => (await import('./documents-tab.tsx')).DocumentsTab)
