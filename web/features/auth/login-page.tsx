import { Trans, useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { startSession } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { takeReturn } from '#web/return-to.ts'
import { Banner } from '#web/ui/banner.tsx'
import { LoginFrame } from './login-frame.tsx'
import { loginReducer } from './login-state.ts'
import { LoginSteps, MaskedPhone } from './login-steps.tsx'
import { useLogin } from './use-login.ts'

/** The borrower login (spec §2). */
export function LoginPage() {
  const { t } = useLingui()
  const router = useRouter()
  const login = useLogin({
    reducer: loginReducer,
    admit: async (token, user) => {
      startSession(token, user)
      return true
    },
    onSuccess: () => router.history.replace(takeReturn() ?? paths.index),
  })
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
              <b className="wrap-anywhere">{window.location.host}</b>.
            </Trans>
          </Banner>
        }
      />
    </LoginFrame>
  )
}
