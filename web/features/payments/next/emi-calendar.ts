import type { Loan, ScheduleRow } from '#contract/loans.ts'
import { addDays, addMonths, dayOfMonth, type Day } from '#domain/calendar.ts'
import { minuteMs } from '#domain/durations.ts'
import type { Paise } from '#domain/money.ts'
import { listEmisToCome } from './next-payment-due.ts'

/** EMIs of one amount in months that follow each other: one event of a calendar, repeated. */
export type EmiSeries = { first: Day; amount: Paise; count: number; dueDay: number }

/**
 * The unpaid EMIs from `loan.as_of` on. The last one, and those before a change of the EMI, differ
 * in amount, so they are series of their own.
 */
export function listEmiSeries(loan: Pick<Loan, 'as_of'>, rows: readonly ScheduleRow[]): EmiSeries[] {
  const dueDay = Math.max(...rows.map((row) => dayOfMonth(row.due_date)))
  const continues = ({ first, count }: EmiSeries, day: Day) =>
    addMonths(first, 0, dueDay) === first && addMonths(first, count, dueDay) === day
  const series: EmiSeries[] = []
  for (const { due_date: day, pending_amount: amount } of listEmisToCome(loan, rows)) {
    const last = series.at(-1)
    if (last && last.amount === amount && continues(last, day)) last.count += 1
    else series.push({ first: day, amount, count: 1, dueDay })
  }
  return series
}

/** The texts of an event, in the reader's language. */
type CalendarTexts = { title: (amount: Paise) => string; description: string }

type CalendarFile = { lan: string; series: readonly EmiSeries[]; texts: CalendarTexts; host: string; url: string; now: Date }

/**
 * A calendar file (RFC 5545) of all-day events with a reminder at 9 am, three days before. A file
 * of a later day has the same UIDs and a higher SEQUENCE, so that calendars replace their events.
 * Series are numbered from the last one: what is paid, or newly divided, is at the front.
 */
export function writeCalendarFile({ lan, series, texts, host, url, now }: CalendarFile): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Kist//EMI calendar//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    ...series.flatMap((emis, index) => [
      'BEGIN:VEVENT',
      `UID:${encodeURIComponent(lan)}-emi-${series.length - index}@${host}`,
      `DTSTAMP:${now.toISOString().replace(/[-:]|\.\d+/g, '')}`,
      `SEQUENCE:${Math.floor(now.getTime() / minuteMs)}`,
      `DTSTART;VALUE=DATE:${writeDate(emis.first)}`,
      `DTEND;VALUE=DATE:${writeDate(addDays(emis.first, 1))}`,
      ...(emis.count > 1 ? [`RRULE:FREQ=MONTHLY;COUNT=${emis.count};${writeMonthDay(emis.dueDay)}`] : []),
      `SUMMARY:${escapeText(texts.title(emis.amount))}`,
      `DESCRIPTION:${escapeText(texts.description)}`,
      `URL:${url}`,
      'CLASS:PRIVATE',
      'TRANSP:TRANSPARENT',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      `DESCRIPTION:${escapeText(texts.title(emis.amount))}`,
      'TRIGGER:-P2DT15H',
      'END:VALARM',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${foldLine(line)}\r\n`).join('')
}

const writeDate = (day: Day): string => day.replaceAll('-', '')

/** A rule for the 31st would leave out shorter months; there the EMI is due on the last day. */
function writeMonthDay(dueDay: number): string {
  if (dueDay <= 28) return `BYMONTHDAY=${dueDay}`
  const days = Array.from({ length: dueDay - 27 }, (_, index) => 28 + index)
  return `BYMONTHDAY=${days.join(',')};BYSETPOS=-1`
}

const escapeText = (text: string): string => text.replace(/[\\;,]/g, String.raw`\$&`).replace(/\r?\n/g, String.raw`\n`)

const lineBytesMax = 75
const encoder = new TextEncoder()

/** Lines of at most 75 bytes; a continuation begins with a space. No character is divided. */
function foldLine(line: string): string {
  let folded = ''
  let bytes = 0
  for (const character of line) {
    const size = encoder.encode(character).length
    if (bytes + size > lineBytesMax) {
      folded += '\r\n '
      bytes = 1
    }
    folded += character
    bytes += size
  }
  return folded
}
