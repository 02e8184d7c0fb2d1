import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { paths } from '#web/app/paths.ts'
import { usePermission } from '#web/session/permissions.ts'
import { cx } from '#web/ui/class-names.ts'
import { PathLink } from '#web/ui/links.tsx'
import { countsQuery } from './operations-queries.ts'

/** Borrowers and Operations, in the header of staff who act for nobody. */
export function StaffNavigation({ onSpine = false }: { onSpine?: boolean }) {
  const { t } = useLingui()
  const mayRead = usePermission('operations:read') === 'allowed'
  const path = useLocation({ select: ({ pathname }) => pathname })
  const { data } = useQuery({ ...countsQuery(), enabled: mayRead })
  const count = data?.to_approve ?? 0
  if (!mayRead) return null
  return (
    <nav aria-label={t`Staff`} className={cx('flex gap-1', onSpine && 'border-t border-spine-active bg-spine px-2 text-on-spine')}>
      <PathLink to={paths.users} aria-current={path === paths.users ? 'page' : undefined} className={getLinkClass(onSpine)}>
        {t`Borrowers`}
      </PathLink>
      <PathLink
        to={paths.operations}
        aria-current={path.startsWith(paths.operations) ? 'page' : undefined}
        className={getLinkClass(onSpine)}
      >
        {t`Operations`}
        {count > 0 && <Count count={count} />}
      </PathLink>
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

function Count({ count }: { count: number }) {
  const { t } = useLingui()
  return (
    <span className="rounded-full bg-caution-mark px-2 text-xs/5 font-semibold text-on-caution-mark tabular-nums">
      {count}
      <span className="sr-only"> {t`to approve`}</span>
    </span>
  )
}
