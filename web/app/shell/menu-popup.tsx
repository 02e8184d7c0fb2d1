import { Menu as Base } from '@base-ui/react/menu'
import { useLingui } from '@lingui/react/macro'
import type { Ref } from 'react'
import { Icon } from '#web/ui/icon.tsx'
import { PathLink } from '#web/ui/links.tsx'
import type { MenuProps } from './menu.tsx'

const itemClass =
  'flex min-h-12 w-full items-center gap-3 rounded-md px-3 py-1.5 text-left text-ink no-underline outline-0 data-highlighted:bg-sunken aria-[current]:bg-brand-soft aria-[current]:font-semibold aria-[current]:text-on-brand-soft forced-colors:data-highlighted:outline-2'

type MenuPopupProps = MenuProps & { ref: Ref<HTMLButtonElement>; defaultOpen: boolean }

/** A dropdown of links and actions; Logout is last. */
export function MenuPopup({ trigger, links, actions = [], onLogout, ref, defaultOpen }: MenuPopupProps) {
  const { t } = useLingui()
  return (
    <Base.Root defaultOpen={defaultOpen}>
      <Base.Trigger ref={ref} render={trigger} />
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
