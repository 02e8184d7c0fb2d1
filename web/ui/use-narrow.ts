import { useSyncExternalStore } from 'react'

/** Of the screen alone: a sheet of paper is no wider than a tablet, and is to hold every row. */
const narrow = window.matchMedia('screen and (max-width: 47.99rem)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** True under 768 px, where a page is a phone's and no table has room. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
