import { useEffect, useState } from 'react'

/**
 * Whether a new live region may have its text. Screen readers read one whose text changes, so the
 * text comes after the empty element.
 */
export function useIsAnnounceable(): boolean {
  const [isReady, setIsReady] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsReady(true), 100)
    return () => clearTimeout(timer)
  }, [])
  return isReady
}
