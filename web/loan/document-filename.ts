import type { Day } from '#domain/calendar.ts'

/** '{label}_{YYYY-MM-DD}.pdf' (spec §7). */
export const buildFilename = (label: string, today: Day): string => `${label}_${today}.pdf`
