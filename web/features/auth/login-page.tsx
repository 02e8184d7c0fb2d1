import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { paths } from '#web/app/paths.ts'
import { Banner } from '#web/ui/banner.tsx'
import { LoginFrame } from './login-frame.tsx'
import { loginReducer } from './login-state.ts'
import { LoginSteps, MaskedPhone } from './login-steps.tsx'
import { useLogin } from './use-login.ts'

type LoginPageProps = {
  /** Host and port as in the address bar. */
  host: string
  /** The phone that was submitted before this code was loaded, as far as it was typed. */
  submittedPhone?: string | null
  /** Called when a code was sent: the portal can load now. */
  onCodeSent?: () => void
  onSuccess: () => void
}

/**
 * The borrower login (spec §2). The build renders it too, so it uses neither the router nor
 * `window`.
 */
export function LoginPage({ host, submittedPhone = null, onCodeSent, onSuccess }: LoginPageProps) {
  const { t } = useLingui()
  const login = useLogin({
    reducer: loginReducer,
    admit: async (token, user) => {
      const { startSession } = await import('#web/session/session.ts')
      startSession(token, user)
      return true
    },
    onSuccess,
    keepsSentCode: true,
    submittedPhone,
  })
  const codeSent = login.state.sent !== null
  useEffect(() => {
    if (codeSent) onCodeSent?.()
  }, [codeSent, onCodeSent])
  return (
    <LoginFrame home={paths.login}>
      <LoginSteps
        login={login}
        pageTitle={t`Sign in`}
        title={t`Sign in to your loan`}
        phoneHint={t`The number you gave your lender`}
        sentTo={
          <Trans>
            Sent by SMS to <MaskedPhone phone={login.state.phone} />
          </Trans>
        }
        notice={
          <Banner icon="shield" className="mb-6">
            <Trans>
              We never ask for your OTP by phone or message. Before you enter it, check that the address is{' '}
              <b className="wrap-anywhere" data-host>
                {host}
              </b>
              .
            </Trans>
          </Banner>
        }
      />
    </LoginFrame>
  )
}
