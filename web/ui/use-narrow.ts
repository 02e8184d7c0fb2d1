import { useSyncExternalStore } from 'react'

const narrow = {
  md: window.matchMedia('(max-width: 47.99rem)'),
  lg: window.matchMedia('(max-width: 63.99rem)'),
}

/** True under 768 px (`md`), where a page is a phone's, or under 1024 (`lg`), where no table has room. */
export const useNarrow = (below: keyof typeof narrow): boolean =>
  useSyncExternalStore(
    (listener) => {
      narrow[below].addEventListener('change', listener)
      return () => narrow[below].removeEventListener('change', listener)
    },
    () => narrow[below].matches,
  )
