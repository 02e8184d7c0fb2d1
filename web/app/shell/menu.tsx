import { useLingui } from '@lingui/react/macro'
import { rootRouteId, useLocation, useRouteContext } from '@tanstack/react-router'
import { Suspense, type ButtonHTMLAttributes, type ReactElement } from 'react'
import type { MenuEntry } from '#web/app/feature.tsx'
import { findMarkedSection } from '#web/app/paths.ts'
import { isStaffAlone } from '#web/session/claims.ts'
import { useSession } from '#web/session/session.ts'
import type { IconName } from '#web/ui/icon.tsx'
import { createLazyPart, useReplacedButton } from '#web/ui/lazy-part.tsx'

export type MenuProps = {
  /** The button that opens it. */
  trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>
  links: readonly MenuLink[]
  actions?: readonly { label: string; icon: IconName; onSelect: () => void }[]
  onLogout: () => void
}

const MenuPopup = createLazyPart(async () => (await import('./menu-popup.tsx')).MenuPopup)

/** A dropdown of links and actions. Until its code is loaded, only its button is shown. */
export function Menu({ trigger, ...content }: MenuProps) {
  const { isReplaced, wasPressed, ref, handlers } = useReplacedButton(MenuPopup)
  const button = <button {...trigger.props} ref={ref} aria-haspopup="menu" aria-expanded={false} {...handlers} />
  if (!isReplaced) return button
  return (
    <Suspense fallback={button}>
      <MenuPopup {...content} trigger={trigger} ref={ref} defaultOpen={wasPressed} />
    </Suspense>
  )
}

type MenuLink = { to: string; label: string; icon: IconName; isCurrent: boolean }

/** The features' menu entries for the person signed in. */
export function useMenuLinks(): { sidebar: readonly MenuLink[]; account: readonly MenuLink[] } {
  const { i18n } = useLingui()
  const { menu } = useRouteContext({ from: rootRouteId })
  const { claims, user } = useSession()
  const audience = isStaffAlone(claims) ? 'staff' : 'borrower'
  // Not the whole address: the bars and menus stay as they are while a tab is changed.
  const current = useLocation({ select: ({ pathname }) => findMarkedSection(pathname) })
  const isShown = (entry: MenuEntry): boolean =>
    (entry.audience ?? audience) === audience && (entry.isFor === undefined || (user !== null && entry.isFor(user.metadata)))
  const linksAt = (place: MenuEntry['place']): MenuLink[] =>
    menu
      .filter((entry) => entry.place === place && isShown(entry))
      .map(({ to, label, icon }) => ({ to, label: i18n._(label), icon, isCurrent: to === `/${current}` }))
  return { sidebar: linksAt('sidebar'), account: linksAt('account') }
}
