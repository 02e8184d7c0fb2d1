import { useLingui } from '@lingui/react/macro'
import { useSyncExternalStore } from 'react'
import { Icon } from '#web/ui/icon.tsx'

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}

/** Says that the device is offline, for as long as it is. */
export function OfflineNotice() {
  const { t } = useLingui()
  const online = useSyncExternalStore(subscribe, () => navigator.onLine)
  return (
    <div role="status">
      {!online && (
        <p className="flex items-center gap-2 bg-caution-soft px-4 py-2 text-sm md:px-8">
          <Icon name="offline" className="flex-none text-caution" />
          {t`You are offline. What you see may not be up to date.`}
        </p>
      )}
    </div>
  )
}
