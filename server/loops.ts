import { minuteMs } from '#domain/durations.ts'
import type { Context } from './context.ts'
import { anchorAudit } from './audit/anchor-audit.ts'
import { maintainSignInLimits } from './auth/send-limits.ts'
import { sweepDebits } from './autopay/sweep-debits.ts'
import { sweepMandates } from './autopay/sweep-mandates.ts'
import { syncReturns } from './autopay/sync-returns.ts'
import { runWithLease, type Lease } from './database/lease.ts'
import { storageSweepLease, sweepOrphans } from './documents/sweep-orphans.ts'
import { sweepStaging } from './http/uploads.ts'
import { repeat, type Repetition } from './jobs/repeat.ts'
import { announceDue } from './autopay/announce-due.ts'
import { announceLateCharges } from './notices/announce-late-charges.ts'
import { sendNotices } from './notices/send-notices.ts'
import { logExpiredProposals } from './operations/log-expired.ts'
import { requestReconciliation } from './payments/reconciliation/request-reconciliation.ts'
import { sweepPaymentLinks } from './payments/links/sweep-payment-links.ts'
import { followUpLoans } from './payments/posting/follow-up-loans.ts'
import { sweepRefunds } from './payments/refunds/sweep-refunds.ts'
import { purgeExpired } from './privacy/purge-expired.ts'
import { announceEmiStart } from './rate-resets/announce-emi-start.ts'
import { followResets } from './rate-resets/follow-resets.ts'
import { computeRequestedPreviews } from './rate-resets/preview-run.ts'
import { rateResetsLease, runRateResets } from './rate-resets/run-rate-resets.ts'
import { writeDefaults } from './rate-resets/write-defaults.ts'
import { invariantsLease, watchInvariants } from './telemetry/watch-invariants.ts'
import type { Inbox } from './webhooks/inbox.ts'
import { sweepInbox } from './webhooks/sweep-inbox.ts'

/** How often daily work is checked. */
const housekeepingIntervalMs = 10 * minuteMs
/** How often a process checks whether a lease is free and its next run due. */
const leasePollMs = 30_000
/**
 * How far a worker's clock and the database's may differ in production. With a wrong one a worker
 * requests tomorrow's debits, and a day anchored ahead stops the daily anchor (decision 0230).
 */
const clockDifferenceMsMax = 15 * minuteMs

/** @throws Error if the clocks differ by more. */
function refuseWrongClock(now: Date, databaseNow: Date): void {
  const aheadMs = now.getTime() - databaseNow.getTime()
  if (Math.abs(aheadMs) <= clockDifferenceMsMax) return
  const minutes = Math.round(Math.abs(aheadMs) / minuteMs)
  throw new Error(`The clock of this machine is ${minutes} minutes ${aheadMs > 0 ? 'ahead of' : 'behind'} the database: set both by NTP`)
}

/**
 * Starts the loops for the role of this process. Every worker runs the sweeps and the sending of
 * notices, because they claim single rows. Loops over all data run under a lease, in one process at
 * a time.
 */
export function startLoops(context: Context, inbox: Inbox): Repetition[] {
  const { clock, config, database, log, metrics } = context
  const { sweepIntervalMs } = config.payments
  const { stagingDirectory, orphanAgeMs, sweepIntervalMs: storageIntervalMs } = config.documents
  const loop = (name: string, intervalMs: number, work: () => Promise<number>) =>
    repeat(name, intervalMs, { log, onFailure: () => metrics.loopFailed(name) }, work)
  const leased = (name: string, everyMs: number, work: (lease: Lease) => Promise<number>, delaysFirstRun = false) =>
    loop(name, Math.min(everyMs, leasePollMs), async () => {
      const run = await runWithLease(database, { name, everyMs, delaysFirstRun }, async (lease) => {
        // Elsewhere the clock is moved on purpose.
        if (config.production) refuseWrongClock(clock.now(), lease.acquiredAt)
        const found = await work(lease)
        if (found > 0) lease.requestNextRun()
        return found
      })
      return run.ran ? run.result : 0
    })

  // Every process has its own staging directory.
  const loopsOfEveryProcess = [
    loop('staging', storageIntervalMs, async () => {
      await sweepStaging(stagingDirectory, orphanAgeMs)
      return 0
    }),
  ]
  if (config.role === 'web') return loopsOfEveryProcess
  return [
    ...loopsOfEveryProcess,
    loop('inbox', sweepIntervalMs, () => sweepInbox(context, inbox)),
    loop('payment links', sweepIntervalMs, () => sweepPaymentLinks(context)),
    loop('refunds', sweepIntervalMs, () => sweepRefunds(context)),
    loop('loans', sweepIntervalMs, () => followUpLoans(context)),
    loop('notices', sweepIntervalMs, () => sendNotices(context)),
    leased('reconciliation', housekeepingIntervalMs, () => requestReconciliation(context), true),
    leased('audit', housekeepingIntervalMs, async (lease) => ((await anchorAudit(context, lease)) ? 1 : 0)),
    leased('autopay mandates', sweepIntervalMs, () => sweepMandates(context)),
    leased('autopay debits', sweepIntervalMs, () => sweepDebits(context)),
    leased('autopay returns', housekeepingIntervalMs, () => syncReturns(context), true),
    leased('due soon', sweepIntervalMs, () => announceDue(context)),
    leased('late charges', sweepIntervalMs, () => announceLateCharges(context)),
    leased(rateResetsLease, sweepIntervalMs, (lease) => runRateResets(context, lease)),
    leased('rate reset previews', sweepIntervalMs, (lease) => computeRequestedPreviews(context, lease)),
    leased('rate reset defaults', sweepIntervalMs, ({ signal }) => writeDefaults(context, signal)),
    leased('rate reset changes', sweepIntervalMs, () => followResets(context)),
    leased('emi start', sweepIntervalMs, () => announceEmiStart(context)),
    leased(storageSweepLease, storageIntervalMs, (lease) => sweepOrphans(context, lease)),
    leased('sign-in limits', housekeepingIntervalMs, () => maintainSignInLimits(context)),
    leased('expired proposals', housekeepingIntervalMs, () => logExpiredProposals(context)),
    leased('retention', housekeepingIntervalMs, () => purgeExpired(context)),
    ...(config.invariantsIntervalMs > 0
      ? [leased(invariantsLease, config.invariantsIntervalMs, (lease) => watchInvariants(context, lease), true)]
      : []),
  ]
}
