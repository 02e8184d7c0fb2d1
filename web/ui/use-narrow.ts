import { useSyncExternalStore } from 'react'

/** Of the screen alone: a sheet of paper is no wider than a tablet, and is to hold every row. */
const narrow = {
  md: window.matchMedia('screen and (max-width: 47.99rem)'),
  lg: window.matchMedia('screen and (max-width: 63.99rem)'),
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
