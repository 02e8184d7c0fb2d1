import * as z from 'zod/mini'
import { parseDay, type Day } from '#domain/calendar.ts'

const rangeText = 'must be a date from 1900-01-01 to 2199-12-31'

/** A date that the engine and PostgreSQL can use; of an instant its date counts. */
export const isUsableDate = z.refine<string>((text) => parseDay(text.slice(0, 10)) !== null, rangeText)

/** A calendar date in India as `YYYY-MM-DD` (decision 1). */
export const day = z.codec(
  z.iso.date(rangeText).check(isUsableDate),
  z.custom<Day>((value) => typeof value === 'string'),
  {
    decode: (text) => text as Day,
    encode: (value) => value,
  },
)

/** An instant as RFC 3339 in UTC. */
export const instant = z.codec(
  z.iso.datetime(),
  z.custom<Date>((value) => value instanceof Date),
  {
    decode: (text) => new Date(text),
    encode: (value) => value.toISOString(),
  },
)
