import { dayInIndia, type Day } from '#domain/calendar.ts'

/** A fault in a line of a book. */
type Fault = { line: number; column: string | null; reason: string }

/** Collects all faults of a book, which is in memory as well, so it bounds their number. */
export class Faults {
  readonly #all: Fault[] = []

  get count(): number {
    return this.#all.length
  }

  add(line: number, column: string | null, reason: string): void {
    this.#all.push({ line, column, reason })
  }

  /** A line for each fault, in the order of the book. */
  report(): string[] {
    return this.#all
      .toSorted((left, right) => left.line - right.line)
      .map(({ line, column, reason }) => `line ${line}: ${column === null ? '' : `${column}: `}${reason}`)
  }
}

/** A refused book or list of papers. Nothing of it was stored. */
export class BookRefused extends Error {
  override readonly name = 'BookRefused'
  readonly faults: Faults
  constructor(faults: Faults) {
    super(`${faults.count} ${faults.count === 1 ? 'line is' : 'lines are'} wrong; nothing was imported`)
    this.faults = faults
  }
}

/** Prints the faults of a refused book on standard error, one in each line. */
export async function printFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BookRefused) for (const line of error.faults.report()) console.error(line)
    throw error
  }
}

/** Refuses a day in the future: a book contains past events only. */
export function refuseFutureDay(faults: Faults, now: Date, { line, date }: { line: number; date: Day }, column = 'date'): void {
  if (date > dayInIndia(now)) faults.add(line, column, `${date} is in the future`)
}
