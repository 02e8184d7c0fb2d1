import { type ReactNode, useSyncExternalStore } from 'react'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

type BannerTone = 'info' | 'positive' | 'caution' | 'danger'

const tones: Record<BannerTone, { box: string; icon: string; name: IconName }> = {
  info: { box: 'bg-info-soft', icon: 'text-info', name: 'info' },
  positive: { box: 'bg-positive-soft', icon: 'text-positive', name: 'check' },
  caution: { box: 'bg-caution-soft', icon: 'text-caution', name: 'clock' },
  danger: { box: 'bg-danger-soft', icon: 'text-danger', name: 'alert' },
}

/**
 * A lasting message about the page or card. `live` announces one that appears while the page is
 * open.
 */
export function Banner({
  tone = 'info',
  icon,
  live,
  className,
  children,
}: {
  tone?: BannerTone
  icon?: IconName
  live?: 'status' | 'alert'
  className?: string
  children: ReactNode
}) {
  const look = tones[tone]
  return (
    <div role={live} className={cx('flex gap-3 rounded-md px-4 py-3 text-sm', look.box, className)}>
      <Icon name={icon ?? look.name} className={cx('mt-px flex-none', look.icon)} />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}

const isOnline = () => navigator.onLine
/** The server renders without a connection state. */
const isOnlineWhenDrawn = () => true

/** Shown while the device is offline, with what that means for the page. */
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
