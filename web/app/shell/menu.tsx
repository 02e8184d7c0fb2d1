import { Menu as Base } from '@base-ui/react/menu'
import { useLingui } from '@lingui/react/macro'
import { rootRouteId, useLocation, useRouteContext } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { MenuEntry } from '#web/app/feature.tsx'
import { getSection } from '#web/app/paths.ts'
import { isStaffAlone } from '#web/session/auth-state.ts'
import { useSession } from '#web/session/session.ts'
import { Icon, type IconName } from '#web/ui/icon.tsx'
import { PathLink } from '#web/ui/links.tsx'

type MenuProps = {
  trigger: ReactElement
  links: readonly MenuLink[]
  actions?: readonly { label: string; icon: IconName; onSelect: () => void }[]
  onLogout: () => void
}

const itemClass =
  'flex min-h-12 w-full items-center gap-3 rounded-md px-3 py-1.5 text-left text-ink no-underline outline-0 data-highlighted:bg-sunken aria-[current]:bg-brand-soft aria-[current]:font-semibold aria-[current]:text-on-brand-soft forced-colors:data-highlighted:outline-2'

/** A dropdown of links and actions; Logout is last. */
export function Menu({ trigger, links, actions = [], onLogout }: MenuProps) {
  const { t } = useLingui()
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align="end" sideOffset={6} collisionPadding={8} className="z-30 outline-0">
          <Base.Popup className="w-68 rounded-lg border border-line bg-raised p-2 shadow-3 outline-0">
            {links.map((link) => (
              <Base.LinkItem
                key={link.to}
                closeOnClick
                render={
                  <PathLink to={link.to} aria-current={link.isCurrent ? 'page' : undefined} className={itemClass}>
                    <Icon name={link.icon} className="flex-none" />
                    {link.label}
                  </PathLink>
                }
              />
            ))}
            <Base.Separator className="m-2 border-t border-line" />
            {actions.map((action) => (
              <Base.Item key={action.label} className={itemClass} onClick={action.onSelect}>
                <Icon name={action.icon} className="flex-none" />
                {action.label}
              </Base.Item>
            ))}
            <Base.Item className={itemClass} onClick={onLogout}>
              <Icon name="logout" className="flex-none" />
              {t`Logout`}
            </Base.Item>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

type MenuLink = { to: string; label: string; icon: IconName; isCurrent: boolean }

/** The features' menu entries for the person signed in. */
export function useMenuLinks(): { sidebar: readonly MenuLink[]; account: readonly MenuLink[] } {
  const { i18n } = useLingui()
  const { menu } = useRouteContext({ from: rootRouteId })
  const { claims, user } = useSession()
  const audience = isStaffAlone(claims) ? 'staff' : 'borrower'
  const current = getSection(useLocation({ select: ({ pathname }) => pathname }))
  const isShown = (entry: MenuEntry): boolean =>
    (entry.audience ?? audience) === audience && (entry.isFor === undefined || (user !== null && entry.isFor(user.metadata)))
  const linksAt = (place: MenuEntry['place']): MenuLink[] =>
    menu
      .filter((entry) => entry.place === place && isShown(entry))
      .map(({ to, label, icon }) => ({ to, label: i18n._(label), icon, isCurrent: to === `/${current}` }))
  return { sidebar: linksAt('sidebar'), account: linksAt('account') }
}
