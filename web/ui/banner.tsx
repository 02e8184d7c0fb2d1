import type { ReactNode } from 'react'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

type BannerTone = 'info' | 'positive' | 'caution' | 'danger'

const tones: Record<BannerTone, { box: string; icon: string; name: IconName }> = {
  info: { box: 'bg-info-soft', icon: 'text-info', name: 'info' },
  positive: { box: 'bg-positive-soft', icon: 'text-positive', name: 'check' },
  caution: { box: 'bg-caution-soft', icon: 'text-caution', name: 'clock' },
  danger: { box: 'bg-danger-soft', icon: 'text-danger', name: 'alert' },
}

/** Something about the whole page or leaf, that stays. `live` announces one that appears while the page is open. */
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
