import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { identityOf } from '#web/session/auth-state.ts'
import { useKeptPermissions } from '#web/session/permissions.ts'
import { queryClient } from '#web/api/query-client.ts'
import { useSession } from '#web/session/session.ts'
import { AssumedSession } from './assumed-session.tsx'
import { SessionExpiredDialog } from './session-expired-dialog.tsx'

/**
 * What every page behind the login has around it, whether it shows the shell or not. When somebody else is signed in, in this tab or
 * another, all of it is mounted anew: nothing that was loaded or typed for one person is shown to the next. Nobody sees nothing.
 */
export function SignedIn({ children = <Outlet /> }: { children?: ReactNode }) {
  const identity = identityOf(useSession().claims)
  if (identity === null) return null
  return (
    // Our content security policy forbids style elements that a script adds.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Fragment key={identity}>
          <KeptPermissions />
          {children}
          <AssumedSession />
          <SessionExpiredDialog />
        </Fragment>
      </QueryClientProvider>
    </CSPProvider>
  )
}

function KeptPermissions() {
  useKeptPermissions()
  return null
}
