import { loadAreas } from '#web/i18n/i18n.ts'
import { createLazyPart } from '#web/ui/lazy-part.tsx'

/** A tab of the loan page, with its texts. */
export const DocumentsTab = createLazyPart(async () => {
  const [tab] = await Promise.all([import('./documents-tab.tsx'), loadAreas('documents')])
  return tab.DocumentsTab
})
