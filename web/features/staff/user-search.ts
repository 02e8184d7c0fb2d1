import { useEffect, useRef, useState } from 'react'

/** What the address of the list says: reload and Back show the same borrowers. The first page and an empty search are left out. */
export type ListQuery = { search?: string; page?: number }

const searchMax = 100
const pageMax = 1_000_000

/** The address as it may have been typed by hand: whatever cannot be searched for falls away. */
export function readListQuery(params: Record<string, unknown>): ListQuery {
  const search = tidySearch(String(params['search'] ?? ''))
  const page = Number(params['page'])
  return {
    ...(search !== '' && { search }),
    ...(Number.isSafeInteger(page) && page > 1 && page <= pageMax && { page }),
  }
}

/** What was typed, as it is searched for. */
export const tidySearch = (text: string): string =>
  text
    .replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')
    .trim()
    .slice(0, searchMax)
    .toWellFormed()

/** Another search begins at its first page. */
export const withSearch = (text: string): ListQuery => readListQuery({ search: text })

export const withPage = (query: ListQuery, page: number): ListQuery => readListQuery({ ...query, page })

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
