import { useSyncExternalStore } from 'react'

const narrow = window.matchMedia('(max-width: 47.99rem)')

/** True under 768 px, where tables become cards: only one of the two is ever in the page. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener)
      return () => narrow.removeEventListener('change', listener)
    },
    () => narrow.matches,
  )
