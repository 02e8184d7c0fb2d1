import { useLingui } from '@lingui/react/macro'
import { useLocation } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { paths } from '#web/app/paths.ts'
import { usePermission } from '#web/session/permissions.ts'
import { cx } from '#web/ui/class-names.ts'
import { PathLink } from '#web/ui/links.tsx'

type StaffNavigationProps = {
  /** The number of proposals that wait, after the link to Operations. */
  Count?: ComponentType | undefined
  onSpine?: boolean
}

/**
 * Borrowers and Operations, in the header of staff who act for nobody. It is drawn ahead: the
 * second link comes with the permission, on its own pages at once.
 */
export function StaffNavigation({ Count, onSpine = false }: StaffNavigationProps) {
  const { t } = useLingui()
  const mayRead = usePermission('operations:read') === 'allowed'
  const path = useLocation({ select: ({ pathname }) => pathname })
  const isOperations = path.startsWith(paths.operations)
  return (
    <nav aria-label={t`Staff`} className={cx('flex gap-1', onSpine && 'border-t border-spine-active bg-spine px-2 text-on-spine')}>
      <PathLink to={paths.users} aria-current={path === paths.users ? 'page' : undefined} className={getLinkClass(onSpine)}>
        {t`Borrowers`}
      </PathLink>
      {(mayRead || isOperations) && (
        <PathLink to={paths.operations} aria-current={isOperations ? 'page' : undefined} className={getLinkClass(onSpine)}>
          {t`Operations`}
          {mayRead && Count && <Count />}
        </PathLink>
      )}
    </nav>
  )
}

const getLinkClass = (onSpine: boolean): string =>
  cx(
    'inline-flex min-h-target items-center gap-2 rounded-md px-3 text-sm font-medium forced-colors:aria-[current]:outline',
    onSpine
      ? 'rounded-b-none border-b-3 border-transparent text-on-spine-muted hover:bg-spine-hover aria-[current]:border-on-spine aria-[current]:text-on-spine'
      : 'text-muted hover:bg-sunken hover:text-ink aria-[current]:bg-brand-soft aria-[current]:font-semibold aria-[current]:text-on-brand-soft',
  )
