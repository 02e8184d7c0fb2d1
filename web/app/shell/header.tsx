import { useLingui } from '@lingui/react/macro'
import type { ComponentType } from 'react'
import { Wordmark } from '#web/app/brand.tsx'
import { paths } from '#web/app/paths.ts'
import { isStaffAlone } from '#web/session/claims.ts'
import { usePersonName, useSession } from '#web/session/session.ts'
import { Icon } from '#web/ui/icon.tsx'
import { LanguageSwitch, toolClass } from '#web/ui/language-switch.tsx'
import { PathLink } from '#web/ui/links.tsx'
import { useThemeSwitch } from '#web/ui/theme.ts'
import { AssumedPill } from './assumed-session.tsx'
import { Menu, useMenuLinks } from './menu.tsx'
import { StaffNavigation } from './staff-navigation.tsx'

type BarProps = {
  Bell: ComponentType<{ className: string }> | undefined
  WaitingCount: ComponentType | undefined
  onLogout: () => void
}

/** The bar above the page on a wide screen, beside the sidebar: name, bell, language and theme. */
export function Header({ Bell, WaitingCount, onLogout }: BarProps) {
  const { t } = useLingui()
  const { sidebar, account } = useMenuLinks()
  const theme = useThemeSwitch()
  const { name, initials } = usePersonName()
  const { claims } = useSession()
  return (
    <header className="sticky top-0 z-20 hidden min-h-bar items-center gap-2 border-b border-line bg-surface px-8 py-1.5 lg:flex print:hidden">
      <AssumedPill />
      {isStaffAlone(claims) && <StaffNavigation Count={WaitingCount} />}
      <div className="ml-auto flex items-center gap-1">
        <LanguageSwitch />
        <button type="button" data-tool="theme" className={toolClass} onClick={theme.toggle} aria-label={theme.label}>
          <Icon name={theme.icon} />
        </button>
        {Bell && !isStaffAlone(claims) && <Bell className={toolClass} />}
        <Menu
          links={[...sidebar.slice(1), ...account]}
          onLogout={onLogout}
          trigger={
            <button type="button" data-tool="menu" className={toolClass}>
              <span className="sr-only">{t`Account menu`}</span>
              <span
                aria-hidden="true"
                data-person="initials"
                className="grid size-8 place-items-center rounded-full bg-brand-soft text-xs font-semibold text-on-brand-soft"
              >
                {initials || <Icon name="user" size={18} />}
              </span>
              <span data-person="name" className="max-w-52 truncate">
                {isStaffAlone(claims) ? t`${name}, staff` : name}
              </span>
              <Icon name="chevronDown" size={16} />
            </button>
          }
        />
      </div>
    </header>
  )
}

/** The bar on phones and upright tablets, which have no sidebar: its menu contains everything. */
export function TopBar({ Bell, WaitingCount, onLogout }: BarProps) {
  const { claims } = useSession()
  const { t } = useLingui()
  const { sidebar, account } = useMenuLinks()
  const theme = useThemeSwitch()
  const spineTool =
    'inline-flex min-h-target min-w-target items-center justify-center rounded-md px-2.5 text-sm font-medium hover:bg-spine-hover'
  return (
    <header className="on-spine sticky top-0 z-20 lg:hidden print:hidden">
      <div className="flex min-h-bar items-center bg-spine pr-1.5 pl-4 text-on-spine md:pr-2.5 md:pl-5">
        <PathLink to={paths.index} className="inline-flex min-h-target items-center">
          <Wordmark height={26} />
        </PathLink>
        <div className="ml-auto flex">
          <LanguageSwitch className={spineTool} />
          {Bell && !isStaffAlone(claims) && <Bell className={spineTool} />}
          <Menu
            links={[...sidebar, ...account]}
            actions={[{ label: theme.label, icon: theme.icon, onSelect: theme.toggle }]}
            onLogout={onLogout}
            trigger={
              <button type="button" data-tool="menu" className={`${spineTool} group`} aria-label={t`Menu`}>
                <Icon name="menu" size={22} className="group-aria-expanded:hidden" />
                <Icon name="close" size={22} className="hidden group-aria-expanded:block" />
              </button>
            }
          />
        </div>
      </div>
      <AssumedPill bar />
      {isStaffAlone(claims) && <StaffNavigation Count={WaitingCount} onSpine />}
    </header>
  )
}
