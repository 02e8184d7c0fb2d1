import { useLingui } from '@lingui/react/macro'
import type { RefObject } from 'react'
import { Button } from '#web/ui/button.tsx'
import { OtpField } from '#web/ui/otp-field.tsx'

export const codeLength = 6

type CancelCodeFormProps = {
  id: string
  box: RefObject<HTMLInputElement | null>
  code: string
  /** A wrong code is reported at its field. */
  error: string | null
  /** `seconds`: until another code can be asked for. Not possible while the code is compared. */
  resend: { seconds: number; isSending: boolean; isPossible: boolean; send: () => void }
  onChange: (code: string) => void
  onSubmit: () => void
}

/** The code that confirms the end of a mandate, and the way to another one. */
export function CancelCodeForm({ id, box, code, error, resend, onChange, onSubmit }: CancelCodeFormProps) {
  const { t } = useLingui()
  const { seconds, isSending, isPossible, send } = resend
  return (
    <form
      id={id}
      noValidate
      className="mt-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <OtpField ref={box} id="cancel-code" label={t`6-digit OTP`} value={code} onChange={onChange} error={error} />
      <Button
        variant="quiet"
        className="mt-2 tabular-nums"
        state={isSending ? 'loading' : seconds > 0 || !isPossible ? 'disabled' : 'normal'}
        onClick={send}
      >
        {seconds > 0 ? t`Resend OTP in ${seconds}s` : t`Resend OTP`}
      </Button>
    </form>
  )
}
