import { useEffect, useRef, useState } from 'react'

/**
 * The list's search parameters: reload and Back show the same borrowers. The first page and an
 * empty search are left out.
 */
export type ListQuery = { search?: string; page?: number }

const searchMax = 100
const pageMax = 1_000_000

/** The URL may have been typed by hand: invalid parts are dropped. */
export function readListQuery(params: Record<string, unknown>): ListQuery {
  const search = tidySearch(String(params['search'] ?? ''))
  const page = Number(params['page'])
  return {
    ...(search !== '' && { search }),
    ...(Number.isSafeInteger(page) && page > 1 && page <= pageMax && { page }),
  }
}

/** The typed text as it is searched for. */
export const tidySearch = (text: string): string =>
  text
    .replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')
    .trim()
    .slice(0, searchMax)
    .toWellFormed()

/** Another search starts at its first page. */
export const buildSearchQuery = (text: string): ListQuery => readListQuery({ search: text })

export const buildPageQuery = (query: ListQuery, page: number): ListQuery => readListQuery({ ...query, page })

/**
 * Leads from a page that no longer exists, because entries were removed, to the last one.
 *
 * @param onPage replaces the address.
 */
export function useExistingPage(
  page: number,
  { data, isPlaceholderData }: { data: { total_pages: number } | undefined; isPlaceholderData: boolean },
  onPage: (page: number) => void,
): void {
  const lastPage = isPlaceholderData ? 0 : (data?.total_pages ?? 0)
  const isBeyondLastPage = lastPage > 0 && page > lastPage
  useEffect(() => {
    if (isBeyondLastPage) onPage(lastPage)
  }, [isBeyondLastPage, lastPage, onPage])
}

const debounceMs = 500

/**
 * The text of the search field. It is searched for after a pause in typing, or at once by `commit`.
 */
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

  // Back and Forward bring another search's text; a text typed for this search stays as typed.
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
