import type { Day } from '#domain/calendar.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A day as the English screens write it: '05 Dec 2026'. */
export const shown = (day: Day): string => `${day.slice(8)} ${months[Number(day.slice(5, 7)) - 1] ?? ''} ${day.slice(0, 4)}`

/** The name of a day's button in the calendar. */
export const cell = (day: Day): string => shown(day).replace(/^0/, '')
