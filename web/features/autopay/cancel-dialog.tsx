import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useEffect, useId, useRef, useState } from 'react'
import type { Mandate } from '#contract/autopay.ts'
import { ApiError } from '#web/api/api-error.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { useCancelCode, useCancelMandate } from './autopay-queries.ts'
import { getRefusalText } from './autopay-texts.ts'
import { CancelCodeForm, codeLength } from './cancel-code-form.tsx'
import { getCancelTexts } from './cancel-texts.ts'
import { findFinalFocus } from './final-focus.ts'
import { useSecondsLeft } from './use-seconds-left.ts'

/** Ends a mandate, or the request for one: first the consequence, then a fresh code. */
export function CancelDialog({ mandate, onClose }: { mandate: Mandate; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const texts = getCancelTexts(mandate)
  const formId = useId()
  const keep = useRef<HTMLButtonElement>(null)
  const nextBox = useRef<HTMLInputElement>(null)
  const permission = usePermission('mandate:update')
  const { sent, send, forget } = useCancelCode(mandate)
  const cancel = useCancelMandate(mandate)
  const [code, setCode] = useState('')
  // After a failure nothing was sent: only the server's own wait counts.
  const wait = send.isError ? { fromMs: send.submittedAt, seconds: getRetrySeconds(send.error) } : null
  const seconds = useSecondsLeft(wait?.fromMs ?? sent?.atMs ?? 0, wait?.seconds ?? sent?.resend_after_seconds ?? 0)
  const codeError = useCodeError(cancel.error)
  useEffect(() => {
    if (sent !== null || codeError !== null) nextBox.current?.focus()
  }, [sent, codeError])
  const sendCode = (): void => {
    if (send.isPending || seconds > 0) return
    setCode('')
    cancel.reset()
    send.mutate()
  }
  const submit = (): void => {
    if (sent === null || code.length < codeLength || cancel.isPending) return
    const onError = (error: unknown): void => {
      // The code was right, and is used up.
      if (error instanceof ApiError && error.code === 'PaymentGatewayUnavailable') forget()
    }
    cancel.mutate({ session_token: sent.session_token, otp: code }, { onSuccess: onClose, onError })
  }
  const failureText = useFailureText(cancel.isError && codeError === null ? cancel.error : send.error, seconds > 0)
  return (
    <Dialog
      open
      isBusy={cancel.isPending}
      holdsInput
      onClose={onClose}
      title={i18n._(texts.title)}
      // A code that was sent before can be typed at once.
      initialFocus={sent === null ? keep : nextBox}
      findFinalFocus={() => findFinalFocus(cancel)}
      description={<p>{i18n._(texts.effect)}</p>}
      actions={
        <>
          {sent === null ? (
            <ActionButton
              variant="danger"
              className="tabular-nums"
              permission={permission}
              state={send.isPending ? 'loading' : seconds > 0 ? 'disabled' : 'normal'}
              onClick={sendCode}
            >
              {seconds > 0 ? t`Resend OTP in ${seconds}s` : t`Send OTP`}
            </ActionButton>
          ) : (
            <Button
              variant="danger"
              type="submit"
              form={formId}
              state={cancel.isPending ? 'loading' : code.length < codeLength ? 'disabled' : 'normal'}
            >
              {i18n._(texts.confirm)}
            </Button>
          )}
          <Button ref={keep} variant="secondary" state={cancel.isPending ? 'disabled' : 'normal'} onClick={onClose}>
            {i18n._(texts.keep)}
          </Button>
        </>
      }
    >
      {sent === null ? (
        <p className="mt-3 text-sm text-muted">{t`To confirm, we send an OTP to your mobile number.`}</p>
      ) : (
        <CancelCodeForm
          id={formId}
          box={nextBox}
          code={code}
          error={codeError}
          resend={{ seconds, isSending: send.isPending, isPossible: !cancel.isPending, send: sendCode }}
          onChange={setCode}
          onSubmit={submit}
        />
      )}
      {failureText !== null && (
        <Banner tone="danger" live="alert" className="mt-4">
          {failureText}
        </Banner>
      )}
    </Dialog>
  )
}

const getRetrySeconds = (error: unknown): number => (error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0)

/** Why no code was sent, or why the end was refused. `isWaiting`: no code can be asked for yet. */
function useFailureText(error: unknown, isWaiting: boolean): string | null {
  const { t, i18n } = useLingui()
  if (!error) return null
  const code = error instanceof ApiError ? error.code : null
  if (code === 'AuthTooManyAttemptsError') return t`Too many attempts. Please wait before you ask for another OTP.`
  if (code !== 'AuthResendTooSoon') return i18n._(getRefusalText(error))
  const seconds = Math.ceil(getRetrySeconds(error))
  return isWaiting
    ? t`${plural(seconds, {
        one: 'An OTP was sent a moment ago. You can ask for another in # second.',
        other: 'An OTP was sent a moment ago. You can ask for another in # seconds.',
      })}`
    : null
}

/** A wrong code is reported at its field. */
function useCodeError(error: unknown): string | null {
  const { t } = useLingui()
  return error instanceof ApiError && error.code === 'AuthInvalidOTPError'
    ? t`This OTP is wrong or has expired. Check the latest SMS.`
    : null
}
