import { useLingui } from '@lingui/react/macro'
import { useLocation } from '@tanstack/react-router'
import { paths } from '#web/app/paths.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { Wordmark } from '#web/app/brand.tsx'
import { Icon } from '#web/ui/icon.tsx'
import { PathLink } from '#web/ui/links.tsx'
import { useMenuEntries } from './menu-entries.ts'
import { sectionOf } from './navigation.ts'

/** The spine: the way home and the two sections, on a wide screen. */
export function Sidebar() {
  const { t } = useLingui()
  const { sidebar } = useMenuEntries()
  const current = sectionOf(useLocation({ select: (location) => location.pathname }))
  return (
    <div className="hidden bg-spine lg:block print:hidden">
      <nav aria-label={t`Main`} className="on-spine sticky top-0 flex h-dvh flex-col gap-8 px-3 py-5 text-on-spine">
        <PathLink to={paths.index} className="inline-flex min-h-target items-center self-start px-3">
          <Wordmark height={30} />
        </PathLink>
        <ul className="space-y-0.5">
          {sidebar.map((entry) => (
            <li key={entry.to}>
              <PathLink
                to={entry.to}
                aria-current={entry.section === current ? 'page' : undefined}
                className="flex min-h-target items-center gap-3 rounded-md px-3 py-2 text-sm font-medium text-on-spine-muted transition-colors hover:bg-spine-hover hover:text-on-spine aria-[current]:bg-spine-active aria-[current]:text-on-spine forced-colors:aria-[current]:outline"
              >
                <Icon name={entry.icon} className="flex-none" />
                {entry.label}
              </PathLink>
            </li>
          ))}
        </ul>
        <p className="mt-auto px-3 text-xs text-balance text-on-spine-muted">{getPortalConfig().brand.lender}</p>
      </nav>
    </div>
  )
}
