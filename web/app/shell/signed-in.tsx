import { CSPProvider } from '@base-ui/react/csp-provider'
import { useLingui } from '@lingui/react/macro'
import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet, useRouteContext, useRouter } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { queryClient } from '#web/api/query-client.ts'
import { rememberReturn } from '#web/app/return-to.ts'
import { PendingScreen } from '#web/app/route-states.tsx'
import { getIdentity } from '#web/session/claims.ts'
import { usePermissionsRetry } from '#web/session/permissions.ts'
import { clearSession, getLoginPath, getSession, useSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { AssumedSession } from './assumed-session.tsx'

/**
 * Wraps every page behind the login, with or without the shell. When another person signs in, in
 * this tab or another, everything is mounted again: nothing that was loaded or typed for one person
 * is shown to the next. Until the router has decided what the next person may see here, no page
 * asks for data.
 */
export function SignedIn({ children = <Outlet /> }: { children?: ReactNode }) {
  const identity = getIdentity(useSession().claims)
  // A page outside the signed-in routes has no such context.
  const { loadedFor = identity } = useRouteContext({ strict: false })
  if (identity === null) return null
  return (
    // Our content security policy forbids style elements that scripts add.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Fragment key={identity}>
          <KeptPermissions />
          {loadedFor === identity ? children : <PendingScreen />}
          <AssumedSession />
          <SessionExpiredDialog />
        </Fragment>
      </QueryClientProvider>
    </CSPProvider>
  )
}

function KeptPermissions() {
  usePermissionsRetry()
  return null
}

/**
 * Opens when the server refuses the token. The page stays behind it; the only action is to sign in.
 */
function SessionExpiredDialog() {
  const { t } = useLingui()
  const router = useRouter()
  const { expired } = useSession()

  function signIn() {
    const to = getLoginPath()
    rememberReturn(router.state.location.href, getIdentity(getSession().claims))
    clearSession()
    router.history.replace(to)
  }

  return (
    <Dialog
      open={expired}
      mustAnswer
      onClose={signIn}
      title={t`Please sign in again`}
      description={<p>{t`Your session has expired. Please sign in again.`}</p>}
      actions={<Button onClick={signIn}>{t`Sign in`}</Button>}
    />
  )
}
