import { existsSync } from 'node:fs'
import { countVitest } from '#tools/test-count.ts'
import { buildWebWhenStale } from '#tools/web-build.ts'

/**
 * Critical instants for tests of days, years and quotes, India time. A run before midnight
 * continues into the next day.
 */
const instants: readonly string[] = [
  '2026-12-31T23:28',
  '2026-12-31T23:52',
  '2026-12-31T23:58',
  '2027-01-31T23:52',
  '2027-04-01T00:05',
  '2028-02-28T12:00',
  '2028-02-29T12:00',
]

/** The library of Debian's package `faketime` for programs with threads. */
const libraries = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)

/**
 * `npm run lab -- odd-days [INSTANT…] [-- VITEST OPTIONS]`: unit and API tests with the
 * wall clock of Node and PostgreSQL moved by one offset, which is computed at the start; the
 * monotonic clock stays.
 *
 * @returns whether every test passed at every instant.
 */
export async function oddDays(args: readonly string[]): Promise<boolean> {
  const library = libraries.find(existsSync)
  if (library === undefined) throw new Error('odd-days needs Debian’s package faketime: apt-get install faketime')
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const wanted = end === 0 ? instants : args.slice(0, end)
  // Some API tests read the pages of the build.
  buildWebWhenStale()
  let failures = 0
  for (const instant of wanted) {
    const offsetSeconds = Math.round((Date.parse(`${instant}:00+05:30`) - Date.now()) / 1_000)
    const { passed, failed } = await countVitest(
      `odd-day-${instant.replaceAll(':', '')}.json`,
      ['--project', 'unit', '--project', 'server', ...args.slice(end + 1)],
      {
        LD_PRELOAD: library,
        FAKETIME: `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
    )
    console.log(`odd-days ${instant} IST: ${passed} passed, ${failed} failed`)
    failures += failed
  }
  return failures === 0
}
