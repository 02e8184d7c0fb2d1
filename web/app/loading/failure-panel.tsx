import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { ErrorCode } from '#contract/errors.ts'
import { ApiError, getFailureKind, isWorthRetrying, type FailureKind } from '#web/api/api-error.ts'
import { paths } from '#web/app/paths.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { expireSession } from '#web/session/session.ts'
import { Button, type ButtonProps } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Icon, type IconName } from '#web/ui/icon.tsx'
import { ButtonLink } from '#web/ui/links.tsx'
import { focusPartWhenRemoved } from '#web/ui/move-focus.ts'
import { getFailureText } from './failure-text.ts'

type FailurePanelProps = {
  error: unknown
  /** What failed: 'Failed to load loans'. */
  title?: string
  onRetry?: () => void
  isRetrying?: boolean
}

const titles: Record<FailureKind, MessageDescriptor> = {
  unauthorized: msg`Please sign in again`,
  forbidden: msg`Access denied`,
  bad_request: msg`Not available`,
  network_error: msg`No connection`,
  server_error: msg`Something went wrong`,
}

const icons: Record<FailureKind, IconName> = {
  unauthorized: 'lock',
  forbidden: 'lock',
  bad_request: 'info',
  network_error: 'offline',
  server_error: 'alert',
}

/** Codes that say no more than our text of their kind. */
const codesWithOwnText: ReadonlySet<string> = new Set<ErrorCode>([
  'InvalidRequest',
  'PermissionDenied',
  'NotFound',
  'TooManyRequests',
  'Unexpected',
  'Overloaded',
  'Unavailable',
])

/**
 * The server's message (spec §8), or our text: for a code that says no more, and without a message.
 * A code can be unknown here: that of a newer server, or of the lender's gateway. The server writes
 * English, so Hindi readers get our text; so does everyone whose session has ended.
 */
function useMessage(error: unknown): string {
  const { i18n } = useLingui()
  const language = useLanguage()
  const isOwn = language === 'en' && error instanceof ApiError && error.kind !== 'unauthorized' && !codesWithOwnText.has(error.code ?? '')
  return (isOwn ? error.ownMessage : null) ?? i18n._(getFailureText(error))
}

/**
 * Replaces the part of the page that could not be loaded. Offers a retry where it can help (spec
 * §8).
 */
export function FailurePanel({ error, title, onRetry, isRetrying = false }: FailurePanelProps) {
  const { t, i18n } = useLingui()
  const kind = getFailureKind(error)
  const message = useMessage(error)
  const canRetry = onRetry !== undefined && isWorthRetrying(error)
  let action: ReactNode = null
  if (canRetry) {
    action = <RetryButton isRetrying={isRetrying} onRetry={onRetry} />
  } else if (kind === 'forbidden') {
    action = <ButtonLink to={paths.index}>{t`Go to home`}</ButtonLink>
  } else if (kind === 'unauthorized') {
    action = <Button onClick={expireSession}>{t`Sign in`}</Button>
  }
  return (
    <section role="alert" className="rounded-lg border border-line bg-raised px-4 py-10 text-center shadow-1">
      <Icon name={icons[kind]} size={56} className={kind === 'bad_request' ? 'mx-auto mb-5 text-muted' : 'mx-auto mb-5 text-danger'} />
      <h2 className="text-xl">{title ?? i18n._(titles[kind])}</h2>
      <p className="mx-auto mt-1 max-w-[32rem] text-balance text-muted">{message}</p>
      {action && <div className="mt-5">{action}</div>}
      <FailureReference error={error} />
    </section>
  )
}

/**
 * The request id, by which support finds the request in logs and traces; nothing without a
 * response.
 */
function FailureReference({ error }: { error: unknown }) {
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

/** A short failure inside a card, with a retry, or the way home where the person may not see it. */
export function FailureNote({ error, title, onRetry, isRetrying = false }: FailurePanelProps) {
  const { t } = useLingui()
  const message = useMessage(error)
  return (
    <div
      role="alert"
      className="grid min-h-50 content-center justify-items-center gap-2 rounded-md bg-sunken px-4 text-center text-sm md:min-h-53"
    >
      {title && <p className="font-semibold">{title}</p>}
      <p className="text-muted">{message}</p>
      {isWorthRetrying(error) && <RetryButton size="sm" variant="secondary" isRetrying={isRetrying} onRetry={onRetry} />}
      {getFailureKind(error) === 'forbidden' && (
        <ButtonLink size="sm" variant="secondary" to={paths.index}>
          {t`Go to home`}
        </ButtonLink>
      )}
      <FailureReference error={error} />
    </div>
  )
}

/** A failure in the place of a single value, with a retry beside it. */
export function FailureLine({ error, title, onRetry, isRetrying = false }: FailurePanelProps) {
  return (
    <>
      <span role="alert" className="text-muted">
        {title}
      </span>
      {isWorthRetrying(error) && <RetryButton variant="quiet" size="sm" className="-mr-3" isRetrying={isRetrying} onRetry={onRetry} />}
    </>
  )
}

type RetryButtonProps = Pick<ButtonProps, 'variant' | 'size' | 'className'> & { isRetrying: boolean; onRetry: (() => void) | undefined }

/**
 * Loads again what failed. A success removes the failure with this button: if it had the focus, the
 * heading of the part around gets it.
 */
function RetryButton({ isRetrying, onRetry, ...look }: RetryButtonProps) {
  const { t } = useLingui()
  return (
    <Button {...look} ref={focusPartWhenRemoved} icon="retry" state={isRetrying ? 'loading' : 'normal'} onClick={onRetry}>
      {t`Try again`}
    </Button>
  )
}
