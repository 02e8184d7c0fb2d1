import { Trans, useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { usePageTitle } from '#web/page-title.ts'
import { paths } from '#web/paths.ts'
import { takeReturn } from '#web/return-to.ts'
import { focusHeading } from '#web/route-focus.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { LoginFrame } from './login-frame.tsx'
import { maskedPhone } from './login-state.ts'
import { PhoneStep } from './phone-step.tsx'
import { useLogin } from './use-login.ts'

// The boxes are not needed until a number has been sent; they come while it is being typed.
const loadCodeStep = () => import('./code-step.tsx')
const CodeStep = lazy(async () => ({ default: (await loadCodeStep()).CodeStep }))

/** The borrower login (spec §2). */
export function LoginPage() {
  const { t } = useLingui()
  const router = useRouter()
  const login = useLogin(() => router.history.replace(takeReturn() ?? paths.index))
  const { step, phone } = login.state
  const atCode = step === 'enter-otp' || step === 'submitting-otp' || step === 'login-success'
  usePageTitle(atCode ? t`Enter the code` : t`Log in`)

  useEffect(() => {
    // A failure shows when the step itself needs it.
    loadCodeStep().catch(() => {})
  }, [])

  // Going back to the phone step is a change of screen too; the code step moves the focus to its first box itself.
  const wasAtCode = useRef(false)
  useEffect(() => {
    if (wasAtCode.current && !atCode) focusHeading()
    wasAtCode.current = atCode
  }, [atCode])

  return (
    <LoginFrame>
      {atCode ? (
        <>
          <h1>{t`Enter the 6-digit code`}</h1>
          <div className="mt-1 mb-6 flex flex-wrap items-center gap-x-3">
            <p className="text-muted">
              <Trans>
                Sent by SMS to <b className="whitespace-nowrap tabular-nums text-ink">{maskedPhone(phone)}</b>
              </Trans>
            </p>
            <Button
              variant="quiet"
              size="sm"
              className="-mx-3"
              state={step === 'enter-otp' && !login.state.resending ? 'normal' : 'disabled'}
              onClick={login.changeNumber}
            >
              {t`Change number`}
            </Button>
          </div>
        </>
      ) : (
        <>
          <h1>{t`Log in to your loan`}</h1>
          <p className="mt-1 mb-6 text-muted">{t`We will send a 6-digit code to your mobile number.`}</p>
        </>
      )}
      <Banner icon="shield" className="mb-6">
        <Trans>
          We never ask for your code by phone or message. Before you type it, check that the address is{' '}
          <b className="wrap-anywhere">{window.location.host}</b>.
        </Trans>
      </Banner>
      {atCode ? (
        <Suspense fallback={<div className="h-72" />}>
          <CodeStep login={login} />
        </Suspense>
      ) : (
        <PhoneStep login={login} />
      )}
    </LoginFrame>
  )
}
