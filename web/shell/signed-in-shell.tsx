import { CSPProvider } from '@base-ui/react/csp-provider'
import type { ReactNode } from 'react'
import { AppShell } from './app-shell.tsx'
import { AssumedSession } from './assumed-session.tsx'
import { SessionExpiredDialog } from './session-expired-dialog.tsx'

/** The shell around a page that is not one of the routes behind the login. */
export function SignedInShell({ children }: { children: ReactNode }) {
  return (
    <CSPProvider disableStyleElements>
      <AppShell>{children}</AppShell>
      <AssumedSession />
      <SessionExpiredDialog />
    </CSPProvider>
  )
}
