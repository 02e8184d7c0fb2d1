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
