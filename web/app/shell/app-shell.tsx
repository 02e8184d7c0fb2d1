import { useLingui } from '@lingui/react/macro'
import { Outlet } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import { LenderLinks, Wordmark } from '#web/app/brand.tsx'
import { paths } from '#web/app/paths.ts'
import { isStaffAlone } from '#web/session/claims.ts'
import { useSession } from '#web/session/session.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { useViewOnly } from '#web/session/permissions.ts'
import { OfflineNotice } from '#web/ui/banner.tsx'
import { cx } from '#web/ui/class-names.ts'
import { EmailLink, PhoneLink } from '#web/ui/contact-links.tsx'
import { Icon } from '#web/ui/icon.tsx'
import { PathLink, TextLink } from '#web/ui/links.tsx'
import { ViewOnly } from '#web/ui/view-only.ts'
import { Header, TopBar } from './header.tsx'
import { useLogout } from './logout-dialog.tsx'
import { useMenuLinks } from './menu.tsx'
import { SignedIn } from './signed-in.tsx'

type AppShellProps = {
  /**
   * The button that opens the notices. It comes from the router's context, because the shell must
   * not import a feature. The bar that contains it sets its class.
   */
  Bell?: ComponentType<{ className: string }>
  /** How many proposals wait, in the navigation of staff who act for nobody. */
  WaitingCount?: ComponentType
  children?: ReactNode
}

/** The layout of every page for a signed-in person: navigation, header, page and footer. */
export function AppShell({ Bell, WaitingCount, children = <Outlet /> }: AppShellProps) {
  const { t } = useLingui()
  const logout = useLogout()
  const { claims } = useSession()
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[var(--spine)_minmax(0,1fr)] print:block">
      <a href="#main" className="absolute -top-20 left-4 z-60 rounded-md bg-raised px-4 py-3 text-brand underline focus:top-2">
        {t`Skip to main content`}
      </a>
      <Sidebar />
      <div className="flex min-h-dvh min-w-0 flex-col">
        <TopBar Bell={Bell} WaitingCount={WaitingCount} onLogout={logout.ask} />
        <Header Bell={Bell} WaitingCount={WaitingCount} onLogout={logout.ask} />
        <OfflineNotice>{t`You are offline. What you see may not be up to date.`}</OfflineNotice>
        <main
          id="main"
          tabIndex={-1}
          className={cx(
            'w-full max-w-[calc(var(--content)+4rem)] px-4 pt-4 pb-10 md:px-5 md:pt-6 md:pb-16 lg:px-8 print:p-0',
            // Lists of any length: the footer stays below the first screen when they come.
            isStaffAlone(claims) && 'min-h-dvh print:min-h-0',
          )}
        >
          <ViewOnly value={useViewOnly()}>{children}</ViewOnly>
        </main>
        <Footer />
      </div>
      {logout.dialog}
    </div>
  )
}

/** The shell for a page that is not below the signed-in routes: the page of an unknown path. */
export function SignedInShell({ children }: { children: ReactNode }) {
  return (
    <SignedIn>
      <AppShell>{children}</AppShell>
    </SignedIn>
  )
}

/** On a wide screen: the dark column with links to the start page and the two main sections. */
function Sidebar() {
  const { t } = useLingui()
  const { sidebar } = useMenuLinks()
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
                aria-current={entry.isCurrent ? 'page' : undefined}
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

/** The lender, the grievance officer, and links to pages: the portal's own and the lender's. */
function Footer() {
  const { t } = useLingui()
  const { account } = useMenuLinks()
  const { brand, grievance_officer: officer } = getPortalConfig()
  return (
    <footer className="mt-auto border-t border-line px-4 py-5 text-xs text-muted md:px-5 lg:px-8 print:hidden">
      {brand.lender && <p>{t`Your lender: ${brand.lender}. Repayments go straight to the lender’s account.`}</p>}
      {officer.name && (
        <p className="flex flex-wrap items-center gap-x-5">
          <span className="max-md:w-full">{t`Grievance officer: ${officer.name}`}</span>
          {officer.phone && <PhoneLink phone={officer.phone} className="inline-flex min-h-target items-center" />}
          {officer.email && <EmailLink email={officer.email} className="py-3" />}
        </p>
      )}
      <ul className="flex flex-wrap gap-x-5 [&>li:first-child>a]:justify-start">
        {account.map((entry) => (
          <li key={entry.to}>
            <TextLink to={entry.to} className="inline-flex min-h-target min-w-target items-center justify-center">
              {entry.label}
            </TextLink>
          </li>
        ))}
      </ul>
      <LenderLinks />
    </footer>
  )
}
