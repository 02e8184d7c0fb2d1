import { useEffect, useRef, useState } from 'react'
import { tidySearch } from './list-query.ts'

const debounceMs = 500

/** What stands in the search box. It is searched for once typing has paused, or at once by `commit`. */
export function useSearchText(
  search: string,
  onSearch: (search: string) => void,
): { text: string; setText: (text: string) => void; commit: () => void } {
  const [text, setText] = useState(search)
  const searchedFor = useRef(search)
  const latest = useRef(onSearch)
  useEffect(() => {
    latest.current = onSearch
  })

  // Back and forward bring the words of another search with them; what was typed for this one stays as it was typed.
  useEffect(() => {
    if (search === searchedFor.current) return
    searchedFor.current = search
    setText(search)
  }, [search])

  function searchFor(wanted: string) {
    if (wanted === searchedFor.current) return
    searchedFor.current = wanted
    latest.current(wanted)
  }

  useEffect(() => {
    const timer = setTimeout(() => searchFor(tidySearch(text)), debounceMs)
    return () => clearTimeout(timer)
  }, [text])

  return { text, setText, commit: () => searchFor(tidySearch(text)) }
}
