import { leaveStaffList, takeStaffListPosition } from '#web/session/staff-list.ts'

/** The id of the button in a borrower's row. */
export const getButtonId = (userId: string): string => `assume-${userId}`

const findButton = (userId: string) => document.getElementById(getButtonId(userId))
const findTable = (button: HTMLElement | null) => button?.closest('[role=region]') ?? null

/** Remembers where the list is left for a borrower. */
export function rememberPosition(href: string, userId: string): void {
  leaveStaffList({ href, scrollY: window.scrollY, tableScrollTop: findTable(findButton(userId))?.scrollTop ?? 0, userId })
}

/** After exit: scrolls to where the list was left, and returns the focus to the borrower's row. */
export function restorePosition(): void {
  const position = takeStaffListPosition()
  if (position === null) return
  const button = findButton(position.userId)
  if (button === null) return
  findTable(button)?.scrollTo(0, position.tableScrollTop)
  window.scrollTo(0, position.scrollY)
  button.focus({ preventScroll: true })
}
