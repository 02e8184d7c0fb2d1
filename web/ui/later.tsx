import { type ReactNode, Suspense, useDeferredValue } from 'react'
import { useIsNarrow } from './data-table.tsx'

type LaterProps = {
  children: ReactNode
  /**
   * In about the size of the content, so that a page returns to where it was scrolled to. Shown as
   * well while the content's code is loading.
   */
  loading: ReactNode
}

/**
 * What is below the first screen of a phone. A phone renders it after the first paint, so that the
 * first screen does not wait for it; a wide screen renders it at once, because it shows it.
 */
export function Later({ children, loading }: LaterProps) {
  const isNarrow = useIsNarrow()
  return <Suspense fallback={loading}>{useDeferredValue(true, !isNarrow) ? children : loading}</Suspense>
}
