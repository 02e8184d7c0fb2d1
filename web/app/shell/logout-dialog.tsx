import { useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useReducer } from 'react'
import { logout } from '#contract/auth.ts'
import { call } from '#web/api/call.ts'
import { takeReturn } from '#web/app/return-to.ts'
import { clearSession, getLoginPath } from '#web/session/session.ts'
import { forgetStartedPayment } from '#web/session/started-payment.ts'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { logoutReducer } from './logout-state.ts'

/** After this the person is logged out on this device, whatever the call's result is. */
const logoutTimeoutMs = 5000

/** The logout dialog and the logout itself. `ask` opens the dialog. */
export function useLogout(): { ask: () => void; dialog: React.ReactNode } {
  const { t } = useLingui()
  const router = useRouter()
  const [state, dispatch] = useReducer(logoutReducer, 'idle')

  useEffect(() => {
    if (state !== 'logged-out') return
    const to = getLoginPath()
    takeReturn()
    forgetStartedPayment()
    clearSession()
    router.history.replace(to)
  }, [state, router])

  async function confirm() {
    dispatch('confirmed')
    try {
      await call(logout, {}, { keepSession: true, signal: AbortSignal.timeout(logoutTimeoutMs) })
      dispatch('call_succeeded')
    } catch {
      dispatch('call_failed')
    }
  }

  return {
    ask: () => dispatch('asked'),
    dialog: (
      <ConfirmDialog
        open={state === 'confirming' || state === 'logging-out'}
        title={t`Log out?`}
        confirmLabel={t`Logout`}
        cancelLabel={t`Stay logged in`}
        pending={state === 'logging-out'}
        onConfirm={() => void confirm()}
        onCancel={() => dispatch('cancelled')}
      >
        <p>{t`You will need a new code to log in again.`}</p>
      </ConfirmDialog>
    ),
  }
}
