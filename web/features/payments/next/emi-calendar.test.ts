import { describe, expect, it } from 'vitest'
import type { ScheduleRow } from '#contract/loans.ts'
import { addMonths, dayNumber, dayFromNumber, monthOf, toDay, yearOf, type Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { formatMoney } from '#web/ui/format.ts'
import { row } from '../samples.testkit.ts'
import { listEmiSeries, writeCalendarFile, type EmiSeries } from './emi-calendar.ts'

const today = { as_of: toDay('2026-11-23') }
const regular = paise(805_900n)

/** Rows on `dueDay` of each month from `first` on, the last one smaller. */
function buildRows(first: string, count: number, dueDay: number): ScheduleRow[] {
  return Array.from({ length: count }, (_, index) =>
    row(index + 1, {
      due_date: addMonths(toDay(first), index, dueDay),
      pending_amount: index === count - 1 ? paise(701_234n) : regular,
      status: 'Due',
    }),
  )
}

function write(series: readonly EmiSeries[], texts = { title: (amount: bigint) => `EMI ${amount}`, description: 'Kist' }): string {
  const now = new Date('2026-11-23T07:30:00.123Z')
  return writeCalendarFile({ lan: 'KST-24-001204', series, texts, host: 'kist.example', url: 'https://kist.example/active-loans', now })
}

/** The logical lines of a file: continuations joined to what they continue. */
const unfold = (file: string): string[] => file.replaceAll('\r\n ', '').trimEnd().split('\r\n')
const valuesOf = (file: string, name: string): string[] =>
  unfold(file)
    .filter((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`))
    .map((line) => line.slice(line.indexOf(':') + 1))

/** The days of a rule by RFC 5545: in each month the listed days, or the last that exists. */
function expandRule(start: Day, rule: string): Day[] {
  const parts = new Map(rule.split(';').map((part) => part.split('=') as [string, string]))
  const listed = (parts.get('BYMONTHDAY') ?? '').split(',').map(Number)
  const days: Day[] = []
  for (let number = dayNumber(start); days.length < Number(parts.get('COUNT')); number += 1) {
    const day = dayFromNumber(number)
    const existing = listed
      .map((date) => dayNumber(toDay(`${day.slice(0, 8)}01`)) + date - 1)
      .filter((date) => monthOf(dayFromNumber(date)) === monthOf(day) && yearOf(dayFromNumber(date)) === yearOf(day))
    const chosen = parts.has('BYSETPOS') ? existing.slice(-1) : existing
    if (chosen.includes(number)) days.push(day)
  }
  return days
}

describe('the EMIs of a calendar', () => {
  it('are a series of one amount, and the last EMI with its own', () => {
    expect(listEmiSeries(today, buildRows('2026-12-05', 63, 5))).toEqual([
      { first: '2026-12-05', amount: regular, count: 62, dueDay: 5 },
      { first: '2032-02-05', amount: 701_234n, count: 1, dueDay: 5 },
    ])
  })

  it('leave out what is paid, late or due before today', () => {
    const [paid, late, past, ...rest] = buildRows('2026-09-05', 5, 5)
    const rows = [
      { ...paid!, status: 'Paid' as const },
      { ...late!, status: 'Late' as const },
      { ...past!, status: 'Unknown' as const },
      ...rest,
    ]
    expect(listEmiSeries(today, rows).map(({ first, count }) => [first, count])).toEqual([
      ['2026-12-05', 1],
      ['2027-01-05', 1],
    ])
    expect(listEmiSeries({ as_of: toDay('2027-01-05') }, rows).map(({ first }) => first)).toEqual(['2027-01-05'])
    expect(listEmiSeries(today, [])).toEqual([])
  })

  it('begin a new series after a month without an EMI, and after an odd first day', () => {
    const [first, , third] = buildRows('2026-12-05', 4, 5)
    expect(listEmiSeries(today, [first!, third!]).map(({ count }) => count)).toEqual([1, 1])
    const odd = row(1, { due_date: toDay('2026-12-03'), pending_amount: regular })
    expect(listEmiSeries(today, [odd, ...buildRows('2027-01-05', 3, 5)]).map(({ count }) => count)).toEqual([1, 2, 1])
  })

  it.each([5, 28, 29, 30, 31])('repeat on exactly the due dates of the schedule, for due day %i', (dueDay) => {
    const rows = buildRows(addMonths(toDay('2026-12-01'), 0, dueDay), 40, dueDay)
    const file = write(listEmiSeries(today, rows))
    const [start = ''] = valuesOf(file, 'DTSTART')
    const days = expandRule(toDay(start.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3')), valuesOf(file, 'RRULE')[0] ?? '')
    expect(days).toEqual(rows.slice(0, -1).map((each) => each.due_date))
    expect(valuesOf(file, 'DTSTART')[1]).toBe(rows.at(-1)?.due_date.replaceAll('-', ''))
  })
})

describe('a calendar file', () => {
  const series = listEmiSeries(today, buildRows('2026-12-05', 3, 5))

  it('has all-day events with a stable id, a reminder and the amount of each', () => {
    const lines = unfold(write(series))
    expect(lines.slice(0, 5)).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Kist//EMI calendar//EN',
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
    ])
    expect(lines.slice(5, 24)).toEqual([
      'BEGIN:VEVENT',
      'UID:KST-24-001204-emi-2@kist.example',
      'DTSTAMP:20261123T073000Z',
      'SEQUENCE:29923650',
      'DTSTART;VALUE=DATE:20261205',
      'DTEND;VALUE=DATE:20261206',
      'RRULE:FREQ=MONTHLY;COUNT=2;BYMONTHDAY=5',
      'SUMMARY:EMI 805900',
      'DESCRIPTION:Kist',
      'URL:https://kist.example/active-loans',
      'CLASS:PRIVATE',
      'TRANSP:TRANSPARENT',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'DESCRIPTION:EMI 805900',
      'TRIGGER:-P2DT15H',
      'END:VALARM',
      'END:VEVENT',
      'BEGIN:VEVENT',
    ])
    expect(lines.at(-1)).toBe('END:VCALENDAR')
    expect(valuesOf(write(series), 'SUMMARY')).toEqual(['EMI 805900', 'EMI 701234'])
    expect(valuesOf(write(series), 'UID')).toEqual(['KST-24-001204-emi-2@kist.example', 'KST-24-001204-emi-1@kist.example'])
  })

  it('leaves of an earlier file only what is past: the other events have the same ids', () => {
    const rows = buildRows('2026-12-05', 4, 5).map((each, index) => (index === 0 ? { ...each, pending_amount: paise(500_000n) } : each))
    const idsOf = (shown: readonly ScheduleRow[]) => {
      const file = write(listEmiSeries(today, shown))
      return new Map(valuesOf(file, 'UID').map((id, index) => [id, valuesOf(file, 'SUMMARY')[index]]))
    }
    const [before, after] = [idsOf(rows), idsOf(rows.slice(1))]
    const left = [...before].filter(([id]) => !after.has(id)).map(([, title]) => title)
    expect(left, 'only what is past').toEqual(['EMI 500000'])
    expect([...after]).toEqual([...before].slice(1))
  })

  it('ends its lines with CRLF, folds them at 75 bytes, and divides no Hindi letter', () => {
    const hindi = {
      title: (amount: bigint) => `ईएमआई ${formatMoney(paise(amount))}, लोन KST-24-001204 की अगली किस्त का भुगतान इसी तारीख़ तक करें`,
      description: 'पोर्टल पर भुगतान करें; राशि बदल सकती है\nध्यान दें: \\ और , भी सही रहें',
    }
    const file = write(series, hindi)
    expect(file.endsWith('\r\n')).toBe(true)
    const physical = file.split('\r\n')
    for (const line of physical) {
      expect(line).not.toMatch(/[\r\n]/)
      expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75)
      expect(line.isWellFormed()).toBe(true)
    }
    expect(physical.some((line) => line.startsWith(' '))).toBe(true)
    expect(valuesOf(file, 'SUMMARY')[0]).toBe(hindi.title(regular).replaceAll(',', String.raw`\,`))
    expect(valuesOf(file, 'DESCRIPTION')[0]).toBe(String.raw`पोर्टल पर भुगतान करें\; राशि बदल सकती है\nध्यान दें: \\ और \, भी सही रहें`)
  })
})
