import { useSyncExternalStore, type ReactNode } from 'react'
import { Icon } from './icon.tsx'

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}

const isOnline = () => navigator.onLine
/** A page that is drawn before anybody has it knows of no connection. */
const isOnlineWhenDrawn = () => true

/** Says that the device is offline, for as long as it is, and what that means here. */
export function OfflineNotice({ children }: { children: ReactNode }) {
  const online = useSyncExternalStore(subscribe, isOnline, isOnlineWhenDrawn)
  return (
    <div role="status">
      {!online && (
        <p className="flex items-center gap-2 bg-caution-soft px-4 py-2 text-sm md:px-8">
          <Icon name="offline" className="flex-none text-caution" />
          {children}
        </p>
      )}
    </div>
  )
}
