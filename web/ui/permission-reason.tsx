import { useLingui } from '@lingui/react/macro'
import type { PermissionAnswer } from './action-state.ts'
import { cx } from './class-names.ts'
import { Icon } from './icon.tsx'

/** Why a permission disables a button, if that is to be seen; null while it is being loaded. */
export function usePermissionReason(permission: PermissionAnswer): string | null {
  const { t } = useLingui()
  if (permission === 'denied') return t`Action not allowed`
  return permission === 'unknown' ? t`We could not load your permissions. Trying again…` : null
}

/** The reason as one line beside many buttons that do not show it. */
export function PermissionReason({ permission, className }: { permission: PermissionAnswer; className?: string }) {
  const reason = usePermissionReason(permission)
  if (reason === null) return null
  return (
    <p className={cx('flex items-center gap-1.5 text-xs text-muted', className)}>
      <Icon name={permission === 'denied' ? 'lock' : 'info'} size={16} className="flex-none" />
      {reason}
    </p>
  )
}
