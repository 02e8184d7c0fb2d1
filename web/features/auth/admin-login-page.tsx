import { Trans, useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { logout, type User } from '#contract/auth.ts'
import { call } from '#web/api/call.ts'
import { paths } from '#web/app/paths.ts'
import { takeHrefAfterLogin } from '#web/app/return-to.ts'
import { readClaims } from '#web/session/auth-state.ts'
import { isStaff } from '#web/session/claims.ts'
import { logoutTimeoutMs, startSession } from '#web/session/session.ts'
import { Banner } from '#web/ui/banner.tsx'
import { adminLoginReducer } from './admin-login-state.ts'
import { LoginFrame } from './login-frame.tsx'
import { LoginSteps, MaskedPhone } from './login-steps.tsx'
import { useLoginTexts } from './login-texts.ts'
import { useLogin } from './use-login.ts'

/**
 * The staff login (spec §2). It leads to the list of borrowers, or back to a page of staff. Only
 * the right code reveals that somebody is not staff.
 */
export function AdminLoginPage() {
  const { t } = useLingui()
  const texts = useLoginTexts()
  const router = useRouter()
  const onSuccess = () => router.history.replace(takeHrefAfterLogin(paths.users))
  const login = useLogin({ reducer: adminLoginReducer, admit: admitStaff, onSuccess })
  const { phoneError } = login.state
  return (
    <LoginFrame home={paths.adminLogin}>
      <div role="alert">
        {phoneError?.type === 'not-staff' && (
          <Banner tone="danger" className="mb-6">
            {texts.phone(phoneError)}
          </Banner>
        )}
      </div>
      <LoginSteps
        login={login}
        pageTitle={t`Staff sign-in`}
        title={t`Staff sign-in`}
        phoneHint={t`Your registered 10-digit work number`}
        sentTo={
          <Trans>
            If <MaskedPhone phone={login.state.phone} /> is registered for staff, an OTP has been sent to it by SMS.
          </Trans>
        }
      />
    </LoginFrame>
  )
}

/** Stores the session of a staff member; ends the session of anyone else. */
async function admitStaff(token: string, user: User): Promise<boolean> {
  if (!isStaff(readClaims(token))) {
    await call(logout, {}, { token, changesSession: true, signal: AbortSignal.timeout(logoutTimeoutMs) }).catch(() => {})
    return false
  }
  startSession(token, user)
  return true
}
