import { useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { useReducer } from 'react'
import { logout } from '#contract/auth.ts'
import { call } from '#web/api/call.ts'
import { takeReturn } from '#web/app/return-to.ts'
import { changeSession } from '#web/session/change-session.ts'
import { clearSession, getLoginPath, logoutTimeoutMs } from '#web/session/session.ts'
import { forgetStartedPayment } from '#web/session/started-payment.ts'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { logoutReducer } from './logout-state.ts'

/** The logout dialog and the logout itself. `ask` opens the dialog. */
export function useLogout(): { ask: () => void; dialog: React.ReactNode } {
  const { t } = useLingui()
  const router = useRouter()
  const [state, dispatch] = useReducer(logoutReducer, 'idle')

  async function confirm() {
    dispatch('confirmed')
    await changeSession(async () => {
      // Spec §4 'Logout': logged out on this device, whatever the server responds.
      await call(logout, {}, { changesSession: true, signal: AbortSignal.timeout(logoutTimeoutMs) }).catch(() => {})
      leave()
    })
  }

  function leave() {
    const to = getLoginPath()
    takeReturn()
    forgetStartedPayment()
    clearSession()
    router.history.replace(to)
  }

  return {
    ask: () => dispatch('asked'),
    dialog: (
      <ConfirmDialog
        open={state === 'confirming' || state === 'logging-out'}
        title={t`Sign out?`}
        confirmLabel={t`Sign out`}
        cancelLabel={t`Stay signed in`}
        pending={state === 'logging-out'}
        onConfirm={() => void confirm()}
        onCancel={() => dispatch('cancelled')}
      >
        <p>{t`You will need a new OTP to sign in again.`}</p>
      </ConfirmDialog>
    ),
  }
}
