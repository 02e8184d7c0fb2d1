import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { LoadClass } from '../config/config.ts'
import type { Metrics, MoneyFigures } from '../observability.ts'

/** From 5 ms, a typical read, to the timeout of provider calls. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Creates the metrics of one server.
 *
 * @param options.process whether to include memory, CPU and event loop metrics; once per process is
 * enough.
 */
export function createMetrics(options: { process: boolean }): Metrics {
  const registry = new Registry()
  if (options.process) collectDefaultMetrics({ register: registry })
  const { counter, histogram, gauge } = createConstructors(registry)
  const requests = counter('kist_http_requests_total', 'Answered requests.', ['method', 'route', 'status'])
  const durations = histogram('kist_http_request_duration_seconds', 'Time from the arrival of a request to the end of its answer.', [
    'method',
    'route',
  ])
  const shed = counter('kist_http_requests_shed_total', 'Requests refused by load shedding.', ['class'])
  const provider = histogram('kist_provider_call_duration_seconds', 'Calls to the payment provider by outcome.', ['call', 'outcome'])
  const signInCodes = counter('kist_sign_in_codes_total', 'Codes to unknown devices by the breaker’s decision: sent, delayed or refused.', [
    'outcome',
  ])
  const examinations = histogram(
    'kist_file_examination_duration_seconds',
    'Examinations of uploaded files by outcome, including the start of a process.',
    ['outcome'],
  )
  const loopFailures = counter('kist_background_failures_total', 'Failed runs of a background loop.', ['loop'])
  const codesFree = gauge(
    'kist_sign_in_codes_free',
    'Codes to unknown devices that may be sent now without a delay; at 0 the breaker is open.',
  )
  const codesPerDay = gauge('kist_sign_in_unused_codes_per_day', 'Codes to unknown devices that may stay unused a day.')
  codesFree.remove()
  codesPerDay.remove()
  const figures = createFigureGauges(gauge)

  // Finding a series by its labels costs more than counting; routes and statuses are few.
  type Series = { count: Counter.Internal; duration: Histogram.Internal<string> }
  const series = new Map<string, Map<string, Series>>()
  const shedByClass: Record<LoadClass, Counter.Internal> = {
    critical: shed.labels('critical'),
    normal: shed.labels('normal'),
    bulky: shed.labels('bulky'),
  }
  return {
    requestEnded({ method, route = 'none', status, seconds }) {
      const known = knownMethods.has(method) ? method : 'other'
      const key = `${known} ${status}`
      const ofRoute = series.get(route) ?? new Map<string, Series>()
      const { count, duration } = ofRoute.get(key) ?? {
        count: requests.labels(known, route, String(status)),
        duration: durations.labels(known, route),
      }
      if (!ofRoute.has(key)) series.set(route, ofRoute.set(key, { count, duration }))
      count.inc()
      if (seconds !== null) duration.observe(seconds)
    },
    requestShed: (loadClass) => shedByClass[loadClass].inc(),
    providerCalled: (call, outcome, seconds) => provider.observe({ call, outcome }, seconds),
    signInCodeDecided: (outcome) => signInCodes.inc({ outcome }),
    fileExamined: (outcome, seconds) => examinations.observe({ outcome }, seconds),
    loopFailed: (loop) => loopFailures.inc({ loop }),
    showFigures: figures,
    showBreaker(codes) {
      codesFree.remove()
      codesPerDay.remove()
      if (!codes) return
      codesFree.set(codes.free)
      codesPerDay.set(codes.perDay)
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

type CreateGauge = (name: string, help: string, labelNames?: string[]) => Gauge

/** Creates metrics of one registry, each by one call. */
function createConstructors(registry: Registry) {
  const registers = [registry]
  const gauge: CreateGauge = (name, help, labelNames = []) => new Gauge({ name, help, labelNames, registers })
  return {
    counter: (name: string, help: string, labelNames: string[]) => new Counter({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, labelNames: string[]) =>
      new Histogram({ name, help, labelNames, buckets: durationBuckets, registers }),
    gauge,
  }
}

/** The figures that are one number each. */
type NumberFigure = { [Name in keyof MoneyFigures]: MoneyFigures[Name] extends number ? Name : never }[keyof MoneyFigures]

/** @returns a function that sets all money gauges. */
function createFigureGauges(gauge: CreateGauge): (figures: MoneyFigures | null) => void {
  const databaseUp = gauge('kist_database_up', 'Whether the database answered the query for the money figures: 1 or 0.')
  const money = {
    paymentLinksOpen: gauge('kist_payment_links_open', 'Payment links that block another link.'),
    capturesUnposted: gauge('kist_captures_unposted', 'Captured payments that are not posted to the ledger.'),
    capturesUnpostedPaise: gauge('kist_captures_unposted_paise', 'The sum of captured payments that are not posted.'),
    captureOldestSeconds: gauge(
      'kist_capture_unposted_oldest_seconds',
      'Age of the oldest captured payment that is not posted; 0 without one.',
    ),
    inboxOpen: gauge('kist_webhook_inbox_open', 'Unprocessed webhook events.'),
    refundsOpen: gauge('kist_refunds_open', 'Decided refunds that are not processed yet.'),
    refundsFailed: gauge('kist_refunds_failed', 'Refunds that the provider refused.'),
    inboxOldestSeconds: gauge('kist_webhook_inbox_oldest_seconds', 'Age of the oldest unprocessed webhook event; 0 without one.'),
    refundOldestSeconds: gauge('kist_refund_waiting_oldest_seconds', 'Age of the oldest refund that is not processed; 0 without one.'),
  } satisfies Record<NumberFigure, Gauge>
  const reviews = gauge('kist_payment_reviews_open', 'Differences with the provider that need a review, by kind.', ['kind'])
  const leases = gauge('kist_lease_done_timestamp_seconds', 'When a leased loop last succeeded, in any process.', ['name'])
  const jobs = gauge('kist_jobs', 'Jobs that are not done, by queue and state.', ['queue', 'state'])

  const invariantsBroken = gauge('kist_invariants_broken', 'Invariants that failed at the last check by any process.')
  const invariantsCheckedAt = gauge('kist_invariants_checked_timestamp_seconds', 'When the invariants were last checked.')

  const sweepStopped = gauge('kist_storage_sweep_stopped', '1 with the reason if the storage sweep is stopped.', ['reason'])

  const archiveFailing = gauge('kist_log_archive_failing', "1 if PostgreSQL's last attempt to archive its log failed, else 0.")
  const archiveAge = gauge('kist_log_archive_age_seconds', 'Since PostgreSQL archived a segment of its log last.')

  const show = (figures: MoneyFigures | null) => {
    databaseUp.set(figures ? 1 : 0)
    jobs.reset()
    reviews.reset()
    leases.reset()
    for (const [name, one] of Object.entries(money) as [keyof typeof money, Gauge][])
      if (figures) one.set(figures[name])
      else one.remove()
    // Absent until the first check, because 0 would mean that all invariants hold.
    invariantsBroken.remove()
    invariantsCheckedAt.remove()
    if (figures?.invariants) {
      invariantsBroken.set(figures.invariants.broken)
      invariantsCheckedAt.set(figures.invariants.checkedAt.getTime() / 1_000)
    }
    sweepStopped.reset()
    if (figures?.storageSweepStopped) sweepStopped.set({ reason: figures.storageSweepStopped }, 1)
    archiveFailing.remove()
    archiveAge.remove()
    if (figures?.logArchive) {
      archiveFailing.set(figures.logArchive.isFailing ? 1 : 0)
      archiveAge.set(figures.logArchive.ageSeconds)
    }
    for (const { kind, count } of figures?.reviewsOpen ?? []) reviews.set({ kind }, count)
    for (const { name, finishedAt } of figures?.leases ?? []) leases.set({ name }, finishedAt.getTime() / 1_000)
    for (const { queue, state, count } of figures?.jobs ?? []) jobs.set({ queue, state }, count)
  }
  show(null)
  return show
}
