import { takeStaffListPosition } from '#web/session/staff-list.ts'

/** The id of what takes the focus in a borrower's row: its button, on phones its name. */
export const getPlaceId = (userId: string): string => `assume-${userId}`

const findPlace = (userId: string) => document.getElementById(getPlaceId(userId))
const findTable = (place: HTMLElement | null) => place?.closest('[role=region]') ?? null

/** Where the list is left for a borrower. */
export const readPosition = (href: string, userId: string) => ({
  href,
  scrollY: window.scrollY,
  tableScrollTop: findTable(findPlace(userId))?.scrollTop ?? 0,
  userId,
})

/** After exit: scrolls to where the list was left, and returns the focus to the borrower's row. */
export function restorePosition(): void {
  const position = takeStaffListPosition()
  if (position === null) return
  const place = findPlace(position.userId)
  if (place === null) return
  findTable(place)?.scrollTo(0, position.tableScrollTop)
  window.scrollTo(0, position.scrollY)
  place.focus({ preventScroll: true })
}
