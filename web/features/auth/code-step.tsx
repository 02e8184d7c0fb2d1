import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { OtpField } from '#web/ui/otp-field.tsx'
import { CodeSent } from './code-sent.tsx'
import { useLoginTexts } from './login-texts.ts'
import type { Login } from './use-login.ts'

/** The second step: the code from the SMS. */
export function CodeStep({ login }: { login: Login }) {
  const { t } = useLingui()
  const texts = useLoginTexts()
  const nextBox = useRef<HTMLInputElement>(null)
  const { state } = login
  // After the right code the portal is still loading.
  const isVerifying = state.step === 'submitting-otp' || state.step === 'login-success'
  const isBlocked = state.blockedBy !== null || state.resending

  const { codeError, sent } = state
  useEffect(() => nextBox.current?.focus(), [sent])
  // The keystroke that clears an error must not move the focus.
  useEffect(() => {
    if (codeError !== null) nextBox.current?.focus()
  }, [codeError])
  useSmsCode(sent?.sessionToken, login.editCode)

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
          {t`That OTP had expired. We have sent a new one: enter the OTP from the latest SMS.`}
        </Banner>
      )}
      <CodeSent sent={sent} delivery={state.delivery} />
      <OtpField
        ref={nextBox}
        id="code"
        label={t`6-digit OTP`}
        value={state.code}
        onChange={login.editCode}
        error={texts.code(state.codeError)}
        disabled={isVerifying}
      />
      <Button type="submit" size="lg" block state={isVerifying ? 'loading' : isBlocked ? 'disabled' : 'normal'}>
        {t`Verify and sign in`}
      </Button>
      <ResendButton seconds={state.resendSeconds} resending={state.resending} disabled={isVerifying} onPress={login.resend} />
    </form>
  )
}

type ResendButtonProps = { seconds: number; resending: boolean; disabled: boolean; onPress: () => void }

/**
 * Requests another code after the server's delay. Screen readers read the end of the countdown, not
 * its seconds.
 */
function ResendButton({ seconds, resending, disabled, onPress }: ResendButtonProps) {
  const { t } = useLingui()
  const state = resending ? 'loading' : disabled || seconds > 0 ? 'disabled' : 'normal'
  return (
    <div className="text-center">
      <Button variant="quiet" state={state} onClick={onPress} className="tabular-nums">
        {seconds > 0 ? t`Resend OTP in ${seconds}s` : t`Resend OTP`}
      </Button>
      <p role="status" className="sr-only">
        {seconds === 0 && !resending ? t`You can ask for a new OTP now.` : ''}
      </p>
    </div>
  )
}

type SmsCredential = Credential & { code?: string }

/**
 * Reads the code from the SMS where the phone supports it (WebOTP, Chrome on Android). Each request
 * reads one SMS, so each sent code has its own.
 */
function useSmsCode(sessionToken: string | undefined, onCode: (code: string) => void): void {
  const latest = useRef(onCode)
  useEffect(() => {
    latest.current = onCode
  })
  useEffect(() => {
    if (sessionToken === undefined || !('OTPCredential' in window)) return
    const ended = new AbortController()
    const request = { otp: { transport: ['sms'] }, signal: ended.signal } as CredentialRequestOptions
    navigator.credentials.get(request).then(
      (credential) => {
        const code = (credential as SmsCredential | null)?.code
        if (code !== undefined) latest.current(code)
      },
      () => {
        // Declined, not supported or replaced: the person types the code.
      },
    )
    return () => ended.abort()
  }, [sessionToken])
}
