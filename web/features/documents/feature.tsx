import { createLazyPart } from '#web/app/feature.tsx'

/** A tab of the loan page, whose route loads its texts. */
export const DocumentsTab = createLazyPart(async () => (await import('./documents-tab.tsx')).DocumentsTab)
