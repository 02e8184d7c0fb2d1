import { Suspense } from 'react'
import { createFeaturePart } from '#web/app/feature.tsx'
import { Icon } from '#web/ui/icon.tsx'

const LoadedBell = createFeaturePart('notices', async () => (await import('./bell.tsx')).Bell)

/** The bell in the header bar. It loads after the page is shown and delays nothing. */
export const Bell = (props: { className: string }) => (
  <Suspense fallback={<BellPlace {...props} />}>
    <LoadedBell {...props} />
  </Suspense>
)

/** The bell's place, so that nothing beside it moves when it comes. */
export const BellPlace = ({ className }: { className: string }) => (
  <span aria-hidden="true" className={className}>
    <Icon name="bell" />
  </span>
)

/** The sentence of a notice, for pages of staff. */
export const NoticeText = createFeaturePart('notices', async () => (await import('./notice-text.tsx')).NoticeText)

export const NoticePreferences = createFeaturePart('notices', async () => (await import('./notice-preferences.tsx')).NoticePreferences)
