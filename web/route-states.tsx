import { useRouter } from '@tanstack/react-router'
import { FailurePanel } from './ui/failure-panel.tsx'
import { Spinner } from './ui/spinner.tsx'

/** While a screen's code is on its way, on a slow connection. */
export const PendingScreen = () => (
  <div className="grid min-h-40 place-items-center text-2xl text-brand">
    <Spinner />
  </div>
)

/** When a screen's code did not arrive, or broke. */
export function ErrorScreen({ error }: { error: unknown }) {
  const router = useRouter()
  return (
    <main className="mx-auto max-w-content p-4 md:p-8">
      <FailurePanel error={error} onRetry={() => void router.invalidate()} />
    </main>
  )
}
