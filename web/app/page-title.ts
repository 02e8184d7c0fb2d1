import { useEffect } from 'react'
import { getPortalConfig } from '#web/portal-config.ts'

/** Sets the document's title to '{page} - {brand}' while the page is shown. */
export function usePageTitle(page: string): void {
  useEffect(() => {
    document.title = `${page} - ${getPortalConfig().brand.name}`
  }, [page])
}

/** Moves the focus to the page's heading, so that screen readers read it. */
export function focusHeading(): void {
  const heading = document.querySelector('h1')
  if (heading === null) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}
