import { useLingui } from '@lingui/react/macro'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { Button } from '#web/ui/button.tsx'
import { phoneDigits } from '#web/ui/digits.ts'
import { PhoneField } from '#web/ui/phone-field.tsx'
import { useLoginTexts } from './login-texts.ts'
import type { Login } from './use-login.ts'

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
