import { dayInIndia, type Day } from '#domain/calendar.ts'

/** What is wrong with a line of a book. */
export type Fault = { line: number; column: string | null; reason: string }

const toldMax = 50

/** Collects what is wrong with a book: so many faults are kept to be told, all are counted. */
export class Faults {
  readonly #kept: Fault[] = []
  count = 0

  add(line: number, column: string | null, reason: string): void {
    this.count += 1
    if (this.#kept.length < toldMax) this.#kept.push({ line, column, reason })
  }

  /** A line for each, in the order of the book, then how many more there are. */
  report(): string[] {
    const lines = this.#kept
      .toSorted((left, right) => left.line - right.line)
      .map(({ line, column, reason }) => `line ${line}: ${column === null ? '' : `${column}: `}${reason}`)
    return this.count > lines.length ? [...lines, `and ${this.count - lines.length} more`] : lines
  }
}

/** A book that was not imported. Nothing of it is in the database. */
export class BookRefused extends Error {
  override readonly name = 'BookRefused'
  readonly faults: Faults
  constructor(faults: Faults) {
    super(`${faults.count} ${faults.count === 1 ? 'line is' : 'lines are'} wrong; nothing was imported`)
    this.faults = faults
  }
}

/** What a book tells has happened; a day to come is a mistake. */
export function refuseAhead(faults: Faults, now: Date, { line, date }: { line: number; date: Day }): void {
  if (date > dayInIndia(now)) faults.add(line, 'date', `${date} lies ahead`)
}
