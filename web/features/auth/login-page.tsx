import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { paths } from '#web/app/paths.ts'
import { Banner } from '#web/ui/banner.tsx'
import { LoginFrame } from './login-frame.tsx'
import { loginReducer } from './login-state.ts'
import { LoginSteps, MaskedPhone } from './login-steps.tsx'
import { useLogin } from './use-login.ts'

type LoginPageProps = {
  /** The site's name and port as the address bar shows them. */
  host: string
  /** A code is on its way: there is time to get ready for what follows. */
  onCodeSent?: () => void
  onSuccess: () => void
}

/** The borrower login (spec §2). It is drawn into its page at build time, so it asks neither router nor window for anything. */
export function LoginPage({ host, onCodeSent, onSuccess }: LoginPageProps) {
  const { t } = useLingui()
  const login = useLogin({
    reducer: loginReducer,
    admit: async (token, user) => {
      const { startSession } = await import('#web/session/session.ts')
      startSession(token, user)
      return true
    },
    onSuccess,
  })
  const codeSent = login.state.sent !== null
  useEffect(() => {
    if (codeSent) onCodeSent?.()
  }, [codeSent, onCodeSent])
  return (
    <LoginFrame home={paths.login}>
      <LoginSteps
        login={login}
        pageTitle={t`Log in`}
        title={t`Log in to your loan`}
        phoneHint={t`The number you gave your lender`}
        sentTo={
          <Trans>
            Sent by SMS to <MaskedPhone phone={login.state.phone} />
          </Trans>
        }
        notice={
          <Banner icon="shield" className="mb-6">
            <Trans>
              We never ask for your code by phone or message. Before you type it, check that the address is{' '}
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
