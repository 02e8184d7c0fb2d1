import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { OtpField } from '#web/ui/otp-field.tsx'
import { useLoginTexts } from './login-texts.ts'
import { verifyIsBlocked } from './login-state.ts'
import { ResendButton } from './resend-button.tsx'
import type { Login } from './use-login.ts'
import { useSmsCode } from './use-sms-code.ts'

/** The second step: the code from the SMS. */
export function CodeStep({ login }: { login: Login }) {
  const { t } = useLingui()
  const texts = useLoginTexts()
  const nextBox = useRef<HTMLInputElement>(null)
  const { state } = login
  const verifying = state.step === 'submitting-otp'
  const shutOff = verifyIsBlocked(state) || state.resending

  const { codeError, sent } = state
  useEffect(() => nextBox.current?.focus(), [sent])
  // The keystroke that clears an error must not move the focus.
  useEffect(() => {
    if (codeError !== null) nextBox.current?.focus()
  }, [codeError])
  useSmsCode(login.editCode)

  return (
    <form
      noValidate
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        login.submitCode()
      }}
    >
      {state.expiredNewSent && (
        <Banner tone="positive" live="status">
          {t`That code had expired. We have sent a new one: type the code from the latest SMS.`}
        </Banner>
      )}
      <OtpField
        ref={nextBox}
        id="code"
        label={t`6-digit code`}
        value={state.code}
        onChange={login.editCode}
        error={texts.code(state.codeError)}
        disabled={verifying}
      />
      <Button type="submit" size="lg" block state={verifying ? 'loading' : shutOff ? 'disabled' : 'normal'}>
        {t`Verify and log in`}
      </Button>
      <ResendButton seconds={state.resendSeconds} resending={state.resending} disabled={verifying} onPress={login.resend} />
    </form>
  )
}
