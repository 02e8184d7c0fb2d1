import { createLazyPart } from '#web/ui/lazy-part.tsx'

export const CancelDialog = createLazyPart(async () => (await import('./cancel-dialog.tsx')).CancelDialog)
export const SetUpDialog = createLazyPart(async () => (await import('./set-up-dialog.tsx')).SetUpDialog)
