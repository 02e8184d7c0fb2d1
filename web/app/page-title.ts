import { useEffect } from 'react'
import { getPortalConfig } from '#web/portal-config.ts'

/** Names the document '{page} - {brand}' while the page is shown. */
export function usePageTitle(page: string): void {
  useEffect(() => {
    document.title = `${page} - ${getPortalConfig().brand.name}`
  }, [page])
}

/** Moves the focus to the heading of what is shown now, so that it is read out. */
export function focusHeading(): void {
  const heading = document.querySelector('h1')
  if (heading === null) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}
