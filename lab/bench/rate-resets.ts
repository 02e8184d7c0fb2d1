import { addDays, dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { systemClock } from '#server/config/clock.ts'
import { connect } from '#server/database/connect.ts'
import { runWithLease } from '#server/database/lease.ts'
import { createLog } from '#server/log.ts'
import { computePreview, preparePreview, readPreview } from '#server/rate-resets/preview-run.ts'
import { requestRun } from '#server/rate-resets/request-run.ts'
import { rateResetsLease, runRateResets } from '#server/rate-resets/run-rate-resets.ts'
import { benchmarkCode } from '#testkit/floating-loan.ts'
import { queryOnce } from '#testkit/query-once.ts'
import { openFloatingBook, type Book } from './book.ts'
import { ratio, rounded, type Benchmark } from './measure.ts'

/** The seconds that a run over 100,000 loans may take. */
const allowedSeconds = 120
const loansAllowedFor = 100_000

/** A run over many floating loans: computed, stored, and their borrowers notified. */
export const rateResetsBenchmark: Benchmark = {
  name: 'rate-resets',
  run: async ({ quick }) => {
    const loans = quick ? loansAllowedFor / 10 : loansAllowedFor
    const book = await openFloatingBook(loans)
    await removeResets(book)
    const clock = systemClock('+0s')
    const database = connect(book.appUrl, { connectionsMax: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 60_000 })
    try {
      const now = clock.now()
      const effectiveOn = addDays(dayInIndia(now), 40)
      const input = { benchmark: benchmarkCode, effectiveOn }
      const previewBegun = performance.now()
      await computePreview({ database, clock }, input, () => {})
      const previewSeconds = (performance.now() - previewBegun) / 1_000
      const answerBegun = performance.now()
      await preparePreview({ database, clock }, input)
      const figures = await database.asSystem((sql) =>
        readPreview(sql, input, { now, rules: { upiDebitMaximumPaise: rupeesToPaise(15_000) } }),
      )
      const answerMs = performance.now() - answerBegun
      await database.asSystem((sql) => requestRun(sql, input, now, 'bench'))
      const log = createLog({ logLevel: 'warn', production: false })
      const begun = performance.now()
      await runWithLease(database, { name: rateResetsLease }, (lease) =>
        runRateResets({ database, clock, log, failPoint: () => Promise.resolve() }, lease),
      )
      const seconds = (performance.now() - begun) / 1_000
      await expectAllNotified(book, figures.loans)
      const floor = (allowedSeconds * loans) / loansAllowedFor
      return `rate-resets: ratio ${ratio(seconds, floor)} (ours ${seconds.toFixed(1)} s for ${rounded(figures.loans)} loans, floor ${floor} s allowed; preview computed in ${previewSeconds.toFixed(1)} s, then answered in ${Math.round(answerMs)} ms)`
    } finally {
      await database.close()
    }
  },
}

const removeResets = (book: Book) =>
  queryOnce(book.superuserUrl, 'truncate rate_resets, rate_reset_runs, rate_reset_previews, rate_reset_preview_loans, notices')

/** @throws unless each loan has one reset and its borrower one notice. */
async function expectAllNotified(book: Book, loans: number): Promise<void> {
  const [row] = await queryOnce<{ resets: number; notices: number }>(
    book.superuserUrl,
    `select (select count(*)::int from rate_resets where state = 'notified') as resets, (select count(*)::int from notices) as notices`,
  )
  if (row?.resets !== loans || row.notices !== loans || loans === 0)
    throw new Error(`${loans} loans, ${row?.resets} notified resets, ${row?.notices} notices`)
}
