const shownMax = 5

/**
 * Up to five consecutive page numbers, with the current one in the middle if possible (spec §9).
 */
export function listPageNumbers(current: number, total: number): number[] {
  const count = Math.min(shownMax, total)
  const first = Math.min(Math.max(1, current - Math.floor(shownMax / 2)), total - count + 1)
  return Array.from({ length: count }, (_, index) => first + index)
}

/** The first and the last entry of a page, counted from one. */
export function getEntryRange(page: number, pageSize: number, shown: number): { from: number; to: number } {
  const before = (page - 1) * pageSize
  return { from: shown === 0 ? 0 : before + 1, to: before + shown }
}

type PaginationFigures = { currentPage: number; totalPages: number; itemsPerPage: number; totalItems: number }

/**
 * Whether the pagination's figures are valid (spec §5): positive pages and page size, and no
 * negative number of items.
 */
export function isPagination({ currentPage, totalPages, itemsPerPage, totalItems }: PaginationFigures): boolean {
  const isPositive = (value: number) => Number.isInteger(value) && value > 0
  return isPositive(currentPage) && isPositive(totalPages) && isPositive(itemsPerPage) && Number.isInteger(totalItems) && totalItems >= 0
}
