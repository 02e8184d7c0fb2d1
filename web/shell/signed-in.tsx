import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { queryClient } from '#web/api/query-client.ts'
import { AssumedSession } from './assumed-session.tsx'
import { SessionExpiredDialog } from './session-expired-dialog.tsx'

/** What every page behind the login has around it, whether it shows the shell or not. */
export function SignedIn() {
  return (
    // Our content security policy forbids style elements that a script adds.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Outlet />
        <AssumedSession />
        <SessionExpiredDialog />
      </QueryClientProvider>
    </CSPProvider>
  )
}
