import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { accessTable } from '#contract/access.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Clock } from '../config/clock.ts'
import type { Config } from '../config/config.ts'
import { limitRate, type RateLimit } from './rate-limit.ts'
import { isRefusedPerson, type CallName } from './authorize.ts'
import { limitConcurrency, type ConcurrencyLimits } from './concurrency-limit.ts'
import { Failure } from './failure.ts'

type Slots = Omit<ConcurrencyLimits, 'waitMsMax'>
type Limits = { person: Slots; refusals: RateLimit; entries: RateLimit; address: Slots | null; rate: RateLimit | null }

/**
 * Limits of this process, by KIST_LIMITS (decision 64). All sessions of a person share one: many
 * sessions would otherwise take the places of others. Null: no limit.
 */
const limitsByProfile: Record<Config['signIn']['limits'], Limits | null> = {
  strict: {
    person: { runningMax: 8, waitingMax: 32 },
    refusals: { burst: 30, perSecond: 1 / 60 },
    entries: { burst: 300, perSecond: 5 },
    address: { runningMax: 2, waitingMax: 32 },
    rate: { burst: 200, perSecond: 2 },
  },
  demo: {
    person: { runningMax: 80, waitingMax: 320 },
    refusals: { burst: 300, perSecond: 1 / 6 },
    entries: { burst: 3_000, perSecond: 50 },
    address: null,
    rate: null,
  },
  relaxed: null,
}

/**
 * Delays the refusal of a network over its limits, for a limited number of requests. A flood on
 * open connections then costs this process little more than one request per connection and second.
 */
const refusalDelayMs = 1_000
const delayedRefusalsMax = 256

/** Each takes about 200 bytes. Of more, the oldest are forgotten. */
const endedTokensMax = 10_000

/**
 * Without a session. Opening a generated document is public too, but counts for the session in the
 * document's signed address.
 */
const isUnauthenticated = (name: CallName): boolean => accessTable[name].needs === 'public' && name !== 'openGeneratedDocument'

const isRecorded = (name: CallName): boolean => accessTable[name].isRecorded === true || accessTable[name].scope === 'staff'

/** Runs the work of a request when the limits allow it. */
export type RequestLimits = <T>(call: Endpoint & { name: CallName }, http: FastifyRequest, work: () => Promise<T>) => Promise<T>

/** Who makes a request, as far as it is known without the database. */
type Requester = {
  /** The network by which addresses are counted. */
  networkOf(remoteAddress: string): string
  /**
   * The person of a valid token, and whether staff act for a borrower by it; null for any other
   * text, which is refused without a query.
   */
  personOf(token: string): Promise<{ userId: string; isAssuming: boolean } | null>
  /** The session in a document's signed address; null if not valid: refused without a query. */
  sessionOfTicket(query: unknown): string | null
}

/**
 * Limits concurrent requests before they reach the database: for each person, and for all requests
 * without a session together, which get a fifth of the database connections and their own
 * queue. A flood of sign-ins therefore does not slow down signed-in users.
 */
export function createRequestLimits(
  { config, clock }: { config: Config; clock: Clock },
  { networkOf, personOf, sessionOfTicket }: Requester,
): RequestLimits {
  const limits = limitsByProfile[config.signIn.limits]
  const waitMsMax = config.load.sessionWaitMsMax
  const limitUnauthenticated = limitConcurrency(config.load.unauthenticated, overloaded)
  const network = { limits, waitMsMax, clock, networkOf, refuseAfterDelay: createDelayedRefusal() }
  const limitSignIns = createNetworkLimit('AuthTooManyAttemptsError', network)
  const limitOthers = createNetworkLimit('TooManyRequests', network)
  const limitPerson = limits && limitConcurrency({ ...limits.person, waitMsMax })
  const countRefusals = limits && createRefusalCounter(limits.refusals, clock)
  const secondsToWaitAfterEntries = limits && limitRate(limits.entries)
  const endedTokens = createEndedTokens()

  return async (call, http, work) => {
    if (isUnauthenticated(call.name)) {
      const limitNetwork = call.errors?.includes('AuthTooManyAttemptsError') ? limitSignIns : limitOthers
      return limitNetwork(http.ip, () => limitUnauthenticated('', work))
    }
    if (!limitPerson || !countRefusals || !secondsToWaitAfterEntries) return work()
    const token = call.access === 'public' ? null : readToken(http)
    const person = token === null ? null : await personOf(token)
    const requester = call.access === 'public' ? sessionOfTicket(http.query) : (person?.userId ?? null)
    if (requester === null) return work()
    // Tokens of ended sessions have a limit of their own, so they cannot block their owner.
    const place = token !== null && endedTokens.has(token) ? `ended ${requester}` : requester
    const hasPace = isRecorded(call.name) || person?.isAssuming === true
    const waitSeconds = hasPace ? secondsToWaitAfterEntries(place, clock.now()) : 0
    if (waitSeconds > 0)
      throw new Failure('TooManyRequests', 'Too many requests at once. Please try again in a moment.', { retryAfterSeconds: waitSeconds })
    return limitPerson(place, () => countRefusals(`${requester} ${call.name}`, work)).catch((error: unknown) => {
      if (token !== null && error instanceof Failure && error.code === 'AuthSessionExpired') endedTokens.add(token)
      throw error
    })
  }
}

/** Throws a failure late, or at once while {@link delayedRefusalsMax} others wait. */
function createDelayedRefusal() {
  let delayedRefusals = 0
  return async (failure: Failure): Promise<never> => {
    if (delayedRefusals < delayedRefusalsMax) {
      delayedRefusals += 1
      await delay(refusalDelayMs)
      delayedRefusals -= 1
    }
    throw failure
  }
}

type NetworkLimitOptions = {
  limits: Limits | null
  waitMsMax: number
  clock: Clock
  networkOf: Requester['networkOf']
  refuseAfterDelay(failure: Failure): Promise<never>
}

/** Limits the rate and the concurrent requests of each network, where a profile has such limits. */
function createNetworkLimit(
  code: 'AuthTooManyAttemptsError' | 'TooManyRequests',
  { limits, waitMsMax, clock, networkOf, refuseAfterDelay }: NetworkLimitOptions,
) {
  const refuse = (retryAfterSeconds: number) =>
    new Failure(code, 'Too many requests from this network. Please try again later.', { retryAfterSeconds, refusal: 'too_many_requests' })
  const limitNetwork = limits?.address ? limitConcurrency({ ...limits.address, waitMsMax }, refuse) : null
  const secondsToWait = limits?.rate ? limitRate(limits.rate) : null
  return async <T>(remoteAddress: string, work: () => Promise<T>): Promise<T> => {
    if (!limitNetwork || !secondsToWait) return work()
    const network = networkOf(remoteAddress)
    const waitSeconds = secondsToWait(network, clock.now())
    if (waitSeconds > 0) return refuseAfterDelay(refuse(waitSeconds))
    return limitNetwork(network, work)
  }
}

/**
 * A call that a person may not make is refused without the database when it was refused too often:
 * each refusal is an entry of the access log, which nobody can delete.
 */
function createRefusalCounter(limit: RateLimit, clock: Clock) {
  const secondsToWait = limitRate(limit)
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const waitSeconds = secondsToWait(key, clock.now(), 0)
    if (waitSeconds > 0)
      throw new Failure('TooManyRequests', 'This was refused many times. Please try again later.', { retryAfterSeconds: waitSeconds })
    try {
      return await work()
    } catch (error) {
      if (error instanceof Failure && isRefusedPerson(error.code)) secondsToWait(key, clock.now())
      throw error
    }
  }
}

/** Remembers tokens whose session has ended, by their signatures, which alone are of no use. */
function createEndedTokens() {
  const signatures = new Set<string>()
  const signatureOf = (token: string): string => token.slice(token.lastIndexOf('.') + 1)
  return {
    has: (token: string): boolean => signatures.has(signatureOf(token)),
    add: (token: string): void => {
      const [oldest] = signatures.size >= endedTokensMax ? signatures : []
      if (oldest !== undefined) signatures.delete(oldest)
      signatures.add(signatureOf(token))
    },
  }
}

const readToken = ({ headers }: FastifyRequest): string | null => /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null

function overloaded(retryAfterSeconds: number): Failure {
  return new Failure('Overloaded', 'Too many people are signing in at the moment. Please try again in a moment.', { retryAfterSeconds })
}
