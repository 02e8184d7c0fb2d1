import { Trans, useLingui } from '@lingui/react/macro'
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { focusHeading, usePageTitle } from '#web/app/page-title.ts'
import { Button } from '#web/ui/button.tsx'
import { FieldMessage } from '#web/ui/field-parts.tsx'
import { PhoneField } from '#web/ui/grouped-field.tsx'
import { loadAhead } from '#web/ui/background-loads.ts'
import { maskPhone } from './login-state.ts'
import { useLoginTexts } from './login-texts.ts'
import type { Login } from './use-login.ts'

// The code step loads while the number is being typed.
const loadCodeStep = () => import('./code-step.tsx')
const CodeStep = lazy(async () => ({ default: (await loadCodeStep()).CodeStep }))

type LoginStepsProps = {
  login: Login
  /** The page's title and heading at the phone step. */
  pageTitle: string
  title: string
  phoneHint: string
  /** Where the code was sent. */
  sentTo: ReactNode
  /** Shown between the heading and the form in both steps. */
  notice?: ReactNode
}

/** The two steps of a login with their headings. */
export function LoginSteps({ login, pageTitle, title, phoneHint, sentTo, notice }: LoginStepsProps) {
  const { t } = useLingui()
  const { step, phone, delivery } = login.state
  const isAtCode = step === 'enter-otp' || step === 'submitting-otp' || step === 'login-success'
  usePageTitle(isAtCode ? t`Enter the OTP` : pageTitle)

  useEffect(() => {
    // A failure is shown when the step is needed.
    void loadAhead(loadCodeStep)
  }, [])

  // Returning to the phone step moves the focus to its heading; the code step focuses its first box
  // itself.
  const wasAtCode = useRef(false)
  useEffect(() => {
    if (wasAtCode.current && !isAtCode) focusHeading()
    wasAtCode.current = isAtCode
  }, [isAtCode])

  return (
    <>
      <h1>{isAtCode ? t`Enter the 6-digit OTP` : title}</h1>
      {isAtCode ? (
        <div className="mt-1 mb-6 flex flex-wrap items-center gap-x-3">
          <p className="text-muted">
            {delivery === 'failed' || delivery === 'late' ? (
              <Trans>
                By SMS to <MaskedPhone phone={phone} />
              </Trans>
            ) : (
              sentTo
            )}
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
      ) : (
        <p className="mt-1 mb-6 text-muted">{t`We will send a 6-digit OTP to your mobile number.`}</p>
      )}
      {notice}
      {isAtCode ? (
        <Suspense fallback={<div className="h-72" />}>
          <CodeStep login={login} />
        </Suspense>
      ) : (
        <PhoneStep login={login} hint={phoneHint} />
      )}
    </>
  )
}

export const MaskedPhone = ({ phone }: { phone: string }) => <b className="whitespace-nowrap tabular-nums text-ink">{maskPhone(phone)}</b>

/** The first step: the phone number. */
function PhoneStep({ login, hint }: { login: Login; hint: string }) {
  const { t } = useLingui()
  const texts = useLoginTexts()
  const input = useRef<HTMLInputElement>(null)
  const { state } = login
  const isSending = state.step === 'submitting-phone'

  useEffect(() => {
    if (state.phoneError !== null) input.current?.focus()
  }, [state.phoneError])

  return (
    <form
      noValidate
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        login.submitPhone()
      }}
    >
      <PhoneField
        ref={input}
        id="phone"
        label={t`Mobile number`}
        hint={hint}
        // That error is about the person, not the number: the page shows it above.
        error={state.phoneError?.type === 'not-staff' ? null : texts.phone(state.phoneError)}
        value={state.phone}
        onChange={login.editPhone}
        disabled={isSending}
      />
      <SendButton isSending={isSending} />
    </form>
  )
}

function SendButton({ isSending }: { isSending: boolean }) {
  const { t } = useLingui()
  return (
    <Button type="submit" size="lg" block iconAfter="arrowRight" state={isSending ? 'loading' : 'normal'}>
      {t`Send OTP`}
    </Button>
  )
}

/**
 * What a submit of the phone step shows, for the page before its code is loaded
 * (web/entry/inline/phone-step.ts): the message of a number that is not complete, and the button
 * while the OTP is requested.
 */
export function PhoneStepAnswers() {
  const texts = useLoginTexts()
  return (
    <>
      <FieldMessage>{texts.phone({ type: 'validation' })}</FieldMessage>
      <SendButton isSending />
    </>
  )
}
