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
import { findFinalFocus } from './final-focus.ts'
import { useSecondsLeft } from './use-seconds-left.ts'

/** Ends a mandate, or the request for one: first the consequence, then a fresh code. */
export function CancelDialog({ mandate, onClose }: { mandate: Mandate; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const formId = useId()
  const keep = useRef<HTMLButtonElement>(null)
  const nextBox = useRef<HTMLInputElement>(null)
  const permission = usePermission('mandate:update')
  const send = useCancelCode(mandate)
  const cancel = useCancelMandate(mandate)
  const [code, setCode] = useState('')
  // The last code that was sent stays valid while another one is asked for.
  const [sent, setSent] = useState<NonNullable<typeof send.data> | null>(null)
  // After a failure nothing was sent: only the server's own wait counts.
  const seconds = useSecondsLeft(send.submittedAt, send.isError ? getRetrySeconds(send.error) : (sent?.resend_after_seconds ?? 0))
  const codeError = useCodeError(cancel.error)
  useEffect(() => {
    if (sent !== null || codeError !== null) nextBox.current?.focus()
  }, [sent, codeError])
  const close = (): void => {
    if (!cancel.isPending) onClose()
  }
  const sendCode = (): void => {
    setCode('')
    cancel.reset()
    if (!send.isPending && seconds === 0) send.mutate(undefined, { onSuccess: setSent })
  }
  const submit = (): void => {
    if (sent === null || code.length < codeLength || cancel.isPending) return
    cancel.mutate({ session_token: sent.session_token, otp: code }, { onSuccess: onClose })
  }
  const failure = cancel.isError && codeError === null ? cancel.error : send.error
  return (
    <Dialog
      open
      onClose={close}
      title={t`End automatic payments?`}
      initialFocus={keep}
      findFinalFocus={() => findFinalFocus(cancel)}
      description={
        <p>
          {t`From now on nothing is debited, except what your bank is carrying out already. Your EMIs stay due: pay them by hand. You can set it up again at any time.`}
        </p>
      }
      actions={
        <>
          {sent === null ? (
            <ActionButton variant="danger" permission={permission} state={send.isPending ? 'loading' : 'normal'} onClick={sendCode}>
              {t`Send OTP`}
            </ActionButton>
          ) : (
            <Button
              variant="danger"
              type="submit"
              form={formId}
              state={cancel.isPending ? 'loading' : code.length < codeLength ? 'disabled' : 'normal'}
            >
              {t`End automatic payments`}
            </Button>
          )}
          <Button ref={keep} variant="secondary" onClick={close}>
            {t`Keep them on`}
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
          resend={{ seconds, isSending: send.isPending, send: sendCode }}
          onChange={setCode}
          onSubmit={submit}
        />
      )}
      {failure && (
        <Banner tone="danger" live="alert" className="mt-4">
          {isTooMany(failure) ? t`Too many attempts. Please wait before you ask for another OTP.` : i18n._(getRefusalText(failure))}
        </Banner>
      )}
    </Dialog>
  )
}

const isTooMany = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'AuthTooManyAttemptsError' || error.code === 'AuthResendTooSoon')

const getRetrySeconds = (error: unknown): number => (error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0)

/** A wrong code is reported at its field. */
function useCodeError(error: unknown): string | null {
  const { t } = useLingui()
  return error instanceof ApiError && error.code === 'AuthInvalidOTPError'
    ? t`This OTP is wrong or has expired. Check the latest SMS.`
    : null
}
