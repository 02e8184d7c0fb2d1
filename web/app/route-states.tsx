import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '#web/api/api-error.ts'
import { Spinner } from '#web/ui/button.tsx'
import { FailurePanel } from './loading/failure-panel.tsx'
import { focusHeading } from './page-title.ts'
import { isLoanPath } from './paths.ts'

/** Shown while a screen's code loads on a slow connection. */
export const PendingScreen = () => (
  <div className="grid min-h-40 place-items-center text-2xl text-brand">
    <Spinner />
  </div>
)

/** Shown when a screen's code could not be loaded or threw an error. */
export function ErrorScreen({ error }: { error: unknown }) {
  const router = useRouter()
  const isCodeMissing = isMissingCode(error)
  return (
    <div className="mx-auto max-w-content py-4 md:py-8">
      <FailurePanel
        error={
          isCodeMissing ? new ApiError({ kind: 'network_error', network: navigator.onLine ? 'failed' : 'offline', cause: error }) : error
        }
        // A browser may cache a failed import; only a new page load requests it again.
        onRetry={() => (isCodeMissing ? window.location.reload() : void router.invalidate())}
      />
    </div>
  )
}

/**
 * Browsers word it differently: 'dynamically imported module', 'Importing a module script failed'.
 */
const isMissingCode = (error: unknown): boolean => error instanceof TypeError && /import/i.test(error.message)

type Place = { pathname: string }

/** Also two tabs of the loan page: the tab that was pressed keeps the focus. */
const isSameScreen = ({ pathname: from }: Place, { pathname: to }: Place): boolean => from === to || (isLoanPath(from) && isLoanPath(to))

/** Moves the focus to the heading of a new screen, so that screen readers read it. */
export function RouteFocus() {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
        if (fromLocation !== undefined && !isSameScreen(fromLocation, toLocation)) focusHeading()
      }),
    [router],
  )
  return null
}
