/** Lengths of time. A day of the calendar in India always has 24 hours. */

export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export const hourSeconds = 3_600
export const daySeconds = 24 * hourSeconds
