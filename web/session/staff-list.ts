/**
 * Where staff left their list of borrowers: exit leads back to the same search, page and row. Kept
 * in memory alone, because the words of a search may be a phone or a PAN.
 */
type ListPosition = {
  /** With search and page. */
  href: string
  scrollY: number
  /** Of the table, which scrolls by itself. */
  tableScrollTop: number
  /** The borrower whose row was used. */
  userId: string
}

let left: ListPosition | null = null
let isReturning = false

export function leaveStaffList(position: ListPosition): void {
  left = position
  isReturning = false
}

/** The address of the list as it was left; null if it is not known. */
export const getStaffListHref = (): string | null => left?.href ?? null

/** The next list that is shown takes the position. */
export function returnToStaffList(): void {
  isReturning = true
}

/** The position to restore; the second call returns null. */
export function takeStaffListPosition(): ListPosition | null {
  if (!isReturning) return null
  isReturning = false
  return left
}

export function forgetStaffList(): void {
  left = null
  isReturning = false
}
