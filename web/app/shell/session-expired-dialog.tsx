import { useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { clearSession, loginPath, useSession } from '#web/session/session.ts'
import { rememberReturn } from '#web/app/return-to.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'

/** Opens when the server refuses the token. The page stays behind it; the only way on is to sign in. */
export function SessionExpiredDialog() {
  const { t } = useLingui()
  const router = useRouter()
  const { expired } = useSession()

  function signIn() {
    const to = loginPath()
    rememberReturn(router.state.location.href)
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
