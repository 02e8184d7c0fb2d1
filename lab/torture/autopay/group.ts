import { addDays, addMonths, dayAtMs, startOfDayInIndiaMs, toDay, type Day } from '#domain/calendar.ts'
import { randomNumbers } from '#domain/random-loan.testing.ts'
import { razorpayGateway } from '#server/adapters/payment-gateway/razorpay.ts'
import { collectionStatuses, type CollectionStatus } from '#domain/autopay.ts'
import { minuteMs, hourMs } from '#domain/durations.ts'
import { sweepDebits } from '#server/autopay/sweep-debits.ts'
import { sweepMandates } from '#server/autopay/sweep-mandates.ts'
import { syncReturns } from '#server/autopay/sync-returns.ts'
import type { Config } from '#server/config/config.ts'
import type { FailPointName } from '#server/config/fail-points.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { Failure } from '#server/http/failure.ts'
import type { JobData } from '#server/jobs/jobs.ts'
import { checkInvariants } from '#server/ledger/check-invariants.ts'
import { LedgerRefusal } from '#server/ledger/ledger-refusal.ts'
import { createLog } from '#server/log.ts'
import { sweepPaymentLinks } from '#server/payments/links/sweep-payment-links.ts'
import { followUpLoans } from '#server/payments/posting/follow-up-loans.ts'
import { submitRefund } from '#server/payments/refunds/submit-refund.ts'
import { sweepRefunds } from '#server/payments/refunds/sweep-refunds.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { actAtRandom, setUpMandate, type Actor } from './actions.ts'
import { Judge, type Finding } from './judge.ts'
import { SimulatedProvider } from './provider.ts'

type GroupOptions = { database: Database; config: Config; seed: number; loans: number; dueDates: number }
/** `debits`: how many reached the provider. */
export type GroupResult = { cases: number; debits: number; findings: Finding[] }

/**
 * The hours at which the group acts, by days after the due date: the notice of a low cap, the
 * announcement, the debits of three days, their outcomes, retries and returns.
 */
const debitHours = [5.02, 5.96, 6.02, 6.1, 7.02, 8.95, 9.1, 13.05, 18.2, 21.6]
const hoursByDay: Readonly<Record<number, readonly number[]>> = {
  [-7]: [10.02],
  [-2]: [10.02, 10.25, 18.2],
  [-1]: [5.02, 9.1, 21.6],
  0: debitHours,
  1: debitHours,
  2: debitHours,
  3: [6.02, 10.02, 18.2],
  4: [6.02, 10.02, 18.2],
  6: [6.02, 13.05],
  9: [7.02, 13.05],
}
/** Loans fall due on three days, one after another. */
const dueDaySpread = 3
const actionsOf100 = 20
const killsOf1000 = 4
const skewsMs = [-10 * minuteMs, 0, 10 * minuteMs]
/** Waits are shorter than the difference of two clocks, so that sweeps would follow each other. */
const sweepsMax = 2
/**
 * Days without faults and actions after which everything is at rest, and hours of them: one in the
 * eNACH window and one in each UPI window, by every worker's clock.
 */
const restDays = [1, 2, 3, 5, 8, 12]
const restHours = [1, 8, 14, 22]

/** A process that is killed at a fail-point: its work ends there, and the database rolls back. */
class Killed extends Error {}

/** The loans of a group share a clock, a provider, a database and two workers. */
export async function runGroup(options: GroupOptions): Promise<GroupResult> {
  const group = await createGroup(options)
  const firstDueOn = toDay('2026-03-02')
  for (let index = 0; index < options.dueDates; index += 1) {
    const dueOn = addMonths(firstDueOn, index)
    await group.moveTo(dueOn, -8, 9)
    await group.addLoansFor(dueOn)
    for (const days of Object.keys(hoursByDay)
      .map(Number)
      .toSorted((left, right) => left - right))
      for (const hour of hoursByDay[days] ?? []) await group.step(dueOn, days, hour)
  }
  await group.rest()
  return { cases: options.loans * options.dueDates, debits: group.provider.debits.size, findings: group.judge.findings }
}

async function createGroup({ database, config, seed, loans: loansAtOnce }: GroupOptions) {
  const below = randomNumbers(seed)
  let trueMs = startOfDayInIndiaMs(toDay('2026-02-01'))
  let isCalm = false
  const judge: Judge = new Judge(database, () => provider)
  const provider: SimulatedProvider = new SimulatedProvider({ nowMs: () => trueMs, below, observer: judge })
  const jobs: JobData['send-refund'][] = []
  const codes = new Map<string, string>()
  const statuses = new Map<string, CollectionStatus>()
  const actors: Actor[] = []

  const contextAt = (skewMs: number): Context => ({
    // A call that the simulated provider lacks fails: nothing listens at this address.
    ...({ callers: undefined } as unknown as Context),
    config,
    database,
    gateway: { ...razorpayGateway({ ...config.razorpay, baseUrl: 'http://127.0.0.1:9' }), ...provider.gateway },
    // Two events never have one instant.
    clock: { now: () => new Date((trueMs += 1) + skewMs) },
    jobs: {
      enqueue: async (_sql, queue, data) => {
        if (queue === 'send-refund') jobs.push(data as JobData['send-refund'])
        if (queue === 'send-sms') codes.set((data as JobData['send-sms']).to, (data as JobData['send-sms']).code ?? '')
      },
    },
    log: createLog({ logLevel: 'error', production: true }, { write: (line) => noteError(judge, line) }),
    failPoint: async (name: FailPointName) => {
      if (!isCalm && below(1_000) < killsOf1000) throw new Killed(`killed at ${name}`)
    },
  })
  const context = contextAt(0)
  const workers = [contextAt(skewsMs[below(3)] ?? 0), contextAt(skewsMs[below(3)] ?? 0)]

  /** Refusals and kills are part of a history; any other error is a finding. */
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
      if (cause instanceof Killed || cause instanceof Failure || cause instanceof LedgerRefusal) return
      if (/not confirmed by the provider|from the provider|the provider's refunds are not available/.test(String(cause))) return
      judge.add('broken', `${what}: ${String(cause)}`)
    }
  }

  const run = async (loop: (worker: Context) => Promise<number>, worker: Context): Promise<number> => {
    let found = 0
    await attempt(loop.name, async () => (found = await loop(worker)))
    return found
  }
  /** Debits are swept by both workers at once, everything else by one of them. */
  const sweepAll = async (): Promise<void> => {
    const worker = workers[below(2)] ?? context
    for (const job of jobs.splice(0)) if (isCalm || below(10) > 0) await attempt('a refund', () => submitRefund(context, job))
    for (const loop of [sweepMandates, sweepPaymentLinks, sweepRefunds, followUpLoans]) await run(loop, worker)
    for (let times = 0; times < sweepsMax; times += 1) {
      const found = await Promise.all(workers.map((one) => run(sweepDebits, one)))
      if (Math.max(...found) === 0) return
    }
  }
  const moveTo = async (dueOn: Day, days: number, hour: number): Promise<void> => {
    trueMs = Math.max(trueMs, startOfDayInIndiaMs(addDays(dueOn, days)) + hour * hourMs)
    await sweepAll()
  }

  return {
    judge,
    provider,
    moveTo,
    /** Adds loans for those that are closed. */
    addLoansFor: async (dueOn: Day): Promise<void> => {
      await addProduct(database, context.clock.now(), 'education', educationLoan)
      await addProduct(database, context.clock.now(), 'no_grace', { ...educationLoan, late_charge: { grace_days: 0, amount: 500 } })
      const states = await Promise.all(actors.map(({ loan }) => judge.stateOn(loan.borrowerId, loan.loanId, dueOn)))
      const open = actors.filter((_, index) => states[index]?.status !== 'CLOSED')
      actors.splice(0, actors.length, ...open)
      while (actors.length < loansAtOnce)
        actors.push(await addActor({ context, provider, judge, codes, seed, index: judge.loans.size }, dueOn))
    },
    /** Moves the clock by steps around a due date; some loans act, while both workers sweep. */
    step: async (dueOn: Day, days: number, hour: number): Promise<void> => {
      const at = startOfDayInIndiaMs(addDays(dueOn, days)) + hour * hourMs + below(8) * minuteMs
      trueMs = Math.max(trueMs, at)
      provider.isDown = below(12) === 0
      const acting = actors.filter(() => below(100) < actionsOf100)
      await Promise.all([...acting.map((actor) => attempt('an action', () => actAtRandom(actor))), sweepAll()])
      if (hour === 18.2) await attempt('returns', () => syncReturns(context))
      await judgeStatuses(database, judge, statuses)
    },
    /** Ends all faults, and lets every debit and refund come to its end. */
    rest: async (): Promise<void> => {
      isCalm = true
      provider.isDown = false
      provider.faultsPerMille = 0
      const from = dayAtMs(trueMs)
      for (const days of restDays)
        for (const hour of restHours) {
          trueMs = Math.max(trueMs, startOfDayInIndiaMs(addDays(from, days)) + hour * hourMs)
          await attempt('returns', () => syncReturns(context))
          await sweepAll()
        }
      await judge.compareMoney(trueMs)
      await judge.judgeRest(trueMs)
      const { broken } = await checkInvariants(database, { now: new Date(trueMs) })
      for (const { id, detail } of broken) judge.add('broken', `${id} ${detail}`)
    },
  }
}

async function addActor(
  {
    context,
    provider,
    judge,
    codes,
    seed,
    index,
  }: Omit<Actor, 'loan' | 'below' | 'codeOf'> & { codes: Map<string, string>; seed: number; index: number },
  dueOn: Day,
): Promise<Actor> {
  const below = randomNumbers(seed * 100_003 + index)
  const number = String(index).padStart(5, '0')
  const phone = `+9196000${number}`
  const lan = `KST-A-${number}`
  const now = context.clock.now()
  const borrowerId = await addPerson(context.database, now, { phone, firstName: 'Torture', lastName: number })
  const loan = await addLoan(context.database, now, borrowerId, {
    lan,
    title: 'x',
    product: below(2) === 0 ? 'education' : 'no_grace',
    sanctionedRupees: 100_000,
    disbursals: [{ date: addDays(dueOn, -20), rupees: 100_000 }],
    annualRatePercent: 12,
    instalments: 24,
    firstDueDate: addDays(dueOn, index % dueDaySpread),
  })
  const judged = { borrowerId, loanId: loan.loanId, lan, phone, hasOtherMoney: false }
  judge.loans.set(loan.loanId, judged)
  const actor: Actor = { context, provider, judge, loan: judged, below, codeOf: (to) => codes.get(to) }
  await setUpMandate(actor).catch((error: unknown) => {
    if (!(error instanceof Failure) && !(error instanceof Killed)) judge.add('broken', `set-up: ${String(error)}`)
  })
  return actor
}

/** An error that a loop logs is a finding, unless the process was killed there. */
function noteError(judge: Judge, line: string): void {
  const { err, msg } = JSON.parse(line) as { err?: { type?: string; message?: string }; msg: string }
  if (err === undefined || /killed at/.test(err.message ?? '') || err.type === 'Failure') return
  judge.add('broken', `${msg}: ${err.type} ${err.message}`)
}

const order: readonly CollectionStatus[] = collectionStatuses
/** No collection goes back: a failed one can only turn out to be captured. */
async function judgeStatuses(database: Database, judge: Judge, known: Map<string, CollectionStatus>): Promise<void> {
  const rows = await database.asSystem((sql) => sql.selectFrom('collections').select(['reference', 'status']).execute())
  for (const { reference, status } of rows) {
    const before = known.get(reference)
    const isBack =
      before !== undefined &&
      (order.indexOf(status) < order.indexOf(before)
        ? !(before === 'failed' && status === 'captured')
        : before === 'captured' && status !== before)
    if (isBack) judge.add('broken', `debit ${reference} was ${before} and is ${status}`)
    known.set(reference, status)
  }
}
