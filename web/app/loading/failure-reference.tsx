import { useLingui } from '@lingui/react/macro'
import { ApiError } from '#web/api/api-error.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'

/** What support finds the failed request by, in the log and in a trace; nothing where no answer came. */
export function FailureReference({ error }: { error: unknown }) {
  const { t } = useLingui()
  const requestId = error instanceof ApiError ? error.problem?.request_id : undefined
  if (!requestId) return null
  return (
    <p className="mt-4 flex flex-wrap items-center justify-center gap-x-2 text-xs text-muted">
      <span>
        {t`Error reference`} <span className="break-all select-all">{requestId}</span>
      </span>
      <CopyButton text={requestId} />
    </p>
  )
}
