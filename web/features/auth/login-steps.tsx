import { useLingui } from '@lingui/react/macro'
import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { focusHeading, usePageTitle } from '#web/app/page-title.ts'
import { Button } from '#web/ui/button.tsx'
import { phoneDigits } from '#web/ui/digits.ts'
import { PhoneField } from '#web/ui/grouped-field.tsx'
import { maskedPhone } from './login-state.ts'
import type { Login } from './use-login.ts'
import { useLoginTexts } from './login-texts.ts'

// The boxes are not needed until a number has been sent; they come while it is being typed.
const loadCodeStep = () => import('./code-step.tsx')
const CodeStep = lazy(async () => ({ default: (await loadCodeStep()).CodeStep }))

type LoginStepsProps = {
  login: Login
  /** The page's name, and its heading, at the phone step. */
  pageTitle: string
  title: string
  phoneHint: string
  /** Where the code went. */
  sentTo: ReactNode
  /** Stands between the heading and the form in both steps. */
  notice?: ReactNode
}

/** The two steps of a login, under the heading of each. */
export function LoginSteps({ login, pageTitle, title, phoneHint, sentTo, notice }: LoginStepsProps) {
  const { t } = useLingui()
  const { step } = login.state
  const atCode = step === 'enter-otp' || step === 'submitting-otp' || step === 'login-success'
  usePageTitle(atCode ? t`Enter the code` : pageTitle)

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
    <>
      <h1>{atCode ? t`Enter the 6-digit code` : title}</h1>
      {atCode ? (
        <div className="mt-1 mb-6 flex flex-wrap items-center gap-x-3">
          <p className="text-muted">{sentTo}</p>
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
        <p className="mt-1 mb-6 text-muted">{t`We will send a 6-digit code to your mobile number.`}</p>
      )}
      {notice}
      {atCode ? (
        <Suspense fallback={<div className="h-72" />}>
          <CodeStep login={login} />
        </Suspense>
      ) : (
        <PhoneStep login={login} hint={phoneHint} />
      )}
    </>
  )
}

/** A number that can be recognised but not read off the screen. */
export const MaskedPhone = ({ phone }: { phone: string }) => <b className="whitespace-nowrap tabular-nums text-ink">{maskedPhone(phone)}</b>

/** The first step: the number the code goes to. */
export function PhoneStep({ login, hint }: { login: Login; hint: string }) {
  const { t } = useLingui()
  const texts = useLoginTexts()
  const input = useRef<HTMLInputElement>(null)
  const { state } = login
  const sending = state.step === 'submitting-phone'

  // The field is in the page before the code is: what was typed meanwhile is taken over.
  const drawn = useRef(login)
  useLayoutEffect(() => {
    const typed = phoneDigits(input.current?.value ?? '')
    if (typed !== drawn.current.state.phone) drawn.current.editPhone(typed)
  }, [])

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
        // That one is about the person, not the number: the page says it above.
        error={state.phoneError?.type === 'not-staff' ? null : texts.phone(state.phoneError)}
        value={state.phone}
        onChange={login.editPhone}
        disabled={sending}
      />
      <Button type="submit" size="lg" block iconAfter="arrowRight" state={sending ? 'loading' : 'normal'}>
        {t`Send code`}
      </Button>
    </form>
  )
}
