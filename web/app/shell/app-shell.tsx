import { useLingui } from '@lingui/react/macro'
import { Outlet } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import { OfflineNotice } from '#web/ui/offline-notice.tsx'
import { Footer } from './footer.tsx'
import { Header, TopBar } from './header.tsx'
import { useLogout } from './logout-dialog.tsx'
import { Sidebar } from './sidebar.tsx'

type AppShellProps = {
  /** What changed for the borrower; handed in, because the shell knows no feature. It takes the look of the bar it stands in. */
  Bell?: ComponentType<{ className: string }>
  children?: ReactNode
}

/** The frame around every page of a signed-in person. */
export function AppShell({ Bell, children = <Outlet /> }: AppShellProps) {
  const { t } = useLingui()
  const logout = useLogout()
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[var(--spine)_minmax(0,1fr)] print:block">
      <a href="#main" className="absolute -top-20 left-4 z-60 rounded-md bg-raised px-4 py-3 text-brand underline focus:top-2">
        {t`Skip to main content`}
      </a>
      <Sidebar />
      <div className="flex min-h-dvh min-w-0 flex-col">
        <TopBar Bell={Bell} onLogout={logout.ask} />
        <Header Bell={Bell} onLogout={logout.ask} />
        <OfflineNotice>{t`You are offline. What you see may not be up to date.`}</OfflineNotice>
        <main
          id="main"
          tabIndex={-1}
          className="w-full max-w-[calc(var(--content)+4rem)] px-4 pt-4 pb-10 md:px-5 md:pt-6 md:pb-16 lg:px-8 print:p-0"
        >
          {children}
        </main>
        <Footer />
      </div>
      {logout.dialog}
    </div>
  )
}
