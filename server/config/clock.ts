import { readFileSync } from 'node:fs'
import { secondMs, minuteMs, hourMs, dayMs } from '#domain/durations.ts'
import { isMissing } from './is-missing.ts'

/** The only source of time on the server. */
export type Clock = { now(): Date }

const unitMs = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs }

/**
 * Parses `+3d`, `-1h` or an instant to the milliseconds to add to the system clock; null if it is
 * none of these.
 */
export function parseClockShift(text: string, systemNow = Date.now()): number | null {
  const shift = /^([+-]\d{1,6})([smhd])$/.exec(text)
  if (shift) return Number(shift[1]) * unitMs[shift[2] as keyof typeof unitMs]
  const instant = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(instant) ? null : instant - systemNow
}

/** The system clock, shifted by KIST_CLOCK. */
export function systemClock(shift: string): Clock {
  const offsetMs = parseClockShift(shift) ?? 0
  return { now: () => new Date(Date.now() + offsetMs) }
}

/** A clock that also adds the offset in the sandbox's `clock.json`. For the demo only. */
export function demoClock(shift: string, clockFile: string): Clock {
  const base = systemClock(shift)
  return { now: () => new Date(base.now().getTime() + readOffsetMs(clockFile)) }
}

function readOffsetMs(clockFile: string): number {
  try {
    const { offset_ms } = JSON.parse(readFileSync(clockFile, 'utf8')) as { offset_ms?: unknown }
    return typeof offset_ms === 'number' && Number.isFinite(offset_ms) ? offset_ms : 0
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}
