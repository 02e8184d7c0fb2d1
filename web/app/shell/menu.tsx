import { Menu as Base } from '@base-ui/react/menu'
import { useLingui } from '@lingui/react/macro'
import { useLocation } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { Icon, type IconName } from '#web/ui/icon.tsx'
import { PathLink } from '#web/ui/links.tsx'
import { isStaffAlone } from '#web/session/auth-state.ts'
import { useSession } from '#web/session/session.ts'
import { paths } from '#web/app/paths.ts'
import { type Section, sectionOf } from './navigation.ts'

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

export type MenuEntry = { section: Section; to: string; label: string; icon: IconName }

/** The sidebar's two entries, for everybody (spec §2, decision 44), and those of the account menu. Staff who act for nobody find the list of borrowers there. */
export function useMenuEntries(): { sidebar: readonly MenuEntry[]; account: readonly MenuEntry[] } {
  const { t } = useLingui()
  const { claims } = useSession()
  const profile: MenuEntry = { section: 'user-profile', to: paths.userProfile, label: t`Your profile`, icon: 'user' }
  const help: MenuEntry[] = [
    { section: 'faqs', to: paths.faqs, label: t`FAQs`, icon: 'help' },
    { section: 'customer-support', to: paths.customerSupport, label: t`Customer support`, icon: 'phone' },
  ]
  const own: MenuEntry = isStaffAlone(claims)
    ? { section: 'users', to: paths.users, label: t`Borrowers`, icon: 'search' }
    : { section: 'ongoing-application', to: paths.ongoingApplication, label: t`Ongoing application`, icon: 'document' }
  return {
    sidebar: [{ section: 'active-loans', to: paths.activeLoans, label: t`Active loans`, icon: 'loans' }, profile],
    account: [own, ...help],
  }
}
