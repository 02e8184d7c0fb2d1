import { Suspense } from 'react'
import { createLazyPart } from '#web/app/feature.tsx'
import { loadAreas } from '#web/i18n/i18n.ts'

const LoadedBell = createLazyPart(async () => {
  const [bell] = await Promise.all([import('./bell.tsx'), loadAreas('notices')])
  return bell.Bell
})

/** The bell in the header bar. It loads after the page is shown and delays nothing. */
export const Bell = (props: { className: string }) => (
  <Suspense>
    <LoadedBell {...props} />
  </Suspense>
)

export const NoticePreferences = createLazyPart(async () => {
  const [preferences] = await Promise.all([import('./notice-preferences.tsx'), loadAreas('notices')])
  return preferences.NoticePreferences
})
