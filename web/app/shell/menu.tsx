import { Menu as Base } from '@base-ui/react/menu'
import { useLingui } from '@lingui/react/macro'
import { useLocation } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { Icon, type IconName } from '#web/ui/icon.tsx'
import { PathLink } from '#web/ui/links.tsx'
import type { MenuEntry } from './menu-entries.ts'
import { sectionOf } from './navigation.ts'

type MenuProps = {
  trigger: ReactElement
  links: readonly MenuEntry[]
  actions?: readonly { label: string; icon: IconName; onSelect: () => void }[]
  onLogout: () => void
}

const itemClass =
  'flex min-h-12 w-full items-center gap-3 rounded-md px-3 py-1.5 text-left text-ink no-underline outline-0 data-highlighted:bg-sunken aria-[current]:bg-brand-soft aria-[current]:font-semibold aria-[current]:text-on-brand-soft forced-colors:data-highlighted:outline-2'

/** A dropdown of links, then what can be done, Logout last. */
export function Menu({ trigger, links, actions = [], onLogout }: MenuProps) {
  const { t } = useLingui()
  const current = sectionOf(useLocation({ select: (location) => location.pathname }))
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
                  <PathLink to={link.to} aria-current={link.section === current ? 'page' : undefined} className={itemClass}>
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
