import type { ReactNode } from 'react'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'neutral' | 'positive' | 'caution' | 'danger' | 'info'

const tones: Record<Tone, string> = {
  neutral: 'bg-line text-ink',
  positive: 'bg-positive-soft text-positive',
  caution: 'bg-caution-soft text-caution',
  danger: 'bg-danger-soft text-danger',
  info: 'bg-info-soft text-info',
}

const icons: Record<Tone, IconName> = { neutral: 'info', positive: 'check', caution: 'clock', danger: 'alert', info: 'clock' }

/** A state as a word with icon and colour; never colour alone. */
export function Badge({
  tone = 'neutral',
  icon,
  size = 'md',
  children,
}: {
  tone?: Tone
  icon?: IconName
  size?: 'md' | 'lg'
  children: ReactNode
}) {
  return (
    <span
      className={cx(
        'inline-flex items-center gap-1.5 rounded-sm font-semibold whitespace-nowrap',
        size === 'lg' ? 'py-1 pr-3 pl-2 text-sm' : 'py-0.5 pr-2 pl-1.5 text-xs',
        tones[tone],
      )}
    >
      <Icon name={icon ?? icons[tone]} size={14} className="flex-none" />
      {children}
    </span>
  )
}
