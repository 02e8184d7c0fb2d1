import { useLingui } from '@lingui/react/macro'
import { Button } from '#web/ui/button.tsx'

type ResendButtonProps = { seconds: number; resending: boolean; disabled: boolean; onPress: () => void }

/** Asks for another code, once the server's delay is over. The end of the countdown is read out, its seconds are not. */
export function ResendButton({ seconds, resending, disabled, onPress }: ResendButtonProps) {
  const { t } = useLingui()
  const state = resending ? 'loading' : disabled || seconds > 0 ? 'disabled' : 'normal'
  return (
    <div className="text-center">
      <Button variant="quiet" state={state} onClick={onPress} className="tabular-nums">
        {seconds > 0 ? t`Resend OTP in ${seconds}s` : t`Resend OTP`}
      </Button>
      <p role="status" className="sr-only">
        {seconds === 0 && !resending ? t`You can ask for a new code now.` : ''}
      </p>
    </div>
  )
}
