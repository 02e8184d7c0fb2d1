import { Suspense } from 'react'
import { loadAreas } from '#web/i18n/i18n.ts'
import { Icon } from '#web/ui/icon.tsx'
import { createLazyPart } from '#web/ui/lazy-part.tsx'

const LoadedBell = createLazyPart(async () => {
  const [bell] = await Promise.all([import('./bell.tsx'), loadAreas('notices')])
  return bell.Bell
})

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
export const NoticeText = createLazyPart(async () => {
  const [text] = await Promise.all([import('./notice-text.tsx'), loadAreas('notices')])
  return text.NoticeText
})

export const NoticePreferences = createLazyPart(async () => {
  const [preferences] = await Promise.all([import('./notice-preferences.tsx'), loadAreas('notices')])
  return preferences.NoticePreferences
})
