import { useEffect } from 'react'
import { getPortalConfig } from '#web/portal-config.ts'

/** Names the document '{page} - {brand}' while the page is shown. */
export function usePageTitle(page: string): void {
  useEffect(() => {
    document.title = `${page} - ${getPortalConfig().brand.name}`
  }, [page])
}
