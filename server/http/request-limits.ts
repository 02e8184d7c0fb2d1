import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Clock } from '../config/clock.ts'
import type { Config } from '../config/config.ts'
import { limitRate, type RateLimit } from './address-rate-limit.ts'
import type { CallName } from './authorize.ts'
import { limitConcurrency, type ConcurrencyLimits } from './concurrency-limit.ts'
import { Failure } from './failure.ts'

type Slots = Omit<ConcurrencyLimits, 'waitMsMax'>
type Limits = { session: Slots; address: Slots | null; rate: RateLimit | null }

/** Limits of this process, by KIST_LIMITS (decision 64). Null: no limit. */
const limitsByProfile: Record<Config['signIn']['limits'], Limits | null> = {
  strict: {
    session: { runningMax: 8, waitingMax: 32 },
    address: { runningMax: 2, waitingMax: 32 },
    rate: { burst: 200, perSecond: 2 },
  },
  demo: { session: { runningMax: 80, waitingMax: 320 }, address: null, rate: null },
  relaxed: null,
}

/**
 * Delays the refusal of a network over its limits, for a limited number of requests. A flood on
 * open connections then costs this process little more than one request per connection and second.
 */
const refusalDelayMs = 1_000
const delayedRefusalsMax = 256

/**
 * Calls without a session that use the database. The only other public call opens a generated
 * document, and counts for the session in the document's signed address.
 */
const unauthenticatedCalls: ReadonlySet<CallName> = new Set<CallName>(['login', 'verify', 'readCodeStatus', 'verifyDocument'])

/** Runs the work of a request when the limits allow it. */
export type RequestLimits = <T>(call: Endpoint & { name: CallName }, http: FastifyRequest, work: () => Promise<T>) => Promise<T>

/**
 * Limits concurrent requests before they reach the database: for each session, and for all requests
 * without a session together, which get a fifth of the database connections and their own
 * queue. A flood of sign-ins therefore does not slow down signed-in users.
 *
 * @param networkOf gives the network by which addresses are counted.
 * @param sessionOfTicket gives the session in the signed address of a document; null if the address
 * is not valid, so that it is refused without a database query.
 */
export function createRequestLimits(
  { config, clock }: { config: Config; clock: Clock },
  networkOf: (remoteAddress: string) => string,
  sessionOfTicket: (query: unknown) => string | null,
): RequestLimits {
  const limits = limitsByProfile[config.signIn.limits]
  const waitMsMax = config.load.sessionWaitMsMax
  const limitSession = limits && limitConcurrency({ ...limits.session, waitMsMax })
  const limitUnauthenticated = limitConcurrency(config.load.unauthenticated, overloaded)

  let delayedRefusals = 0
  const refuseAfterDelay = async (failure: Failure): Promise<never> => {
    if (delayedRefusals < delayedRefusalsMax) {
      delayedRefusals += 1
      await delay(refusalDelayMs)
      delayedRefusals -= 1
    }
    throw failure
  }

  const createUnauthenticatedLimit = (code: 'AuthTooManyAttemptsError' | 'TooManyRequests') => {
    const refuse = (retryAfterSeconds: number) =>
      new Failure(code, 'Too many requests from this network. Please try again later.', { retryAfterSeconds })
    const limitNetwork = limits?.address ? limitConcurrency({ ...limits.address, waitMsMax }, refuse) : null
    const secondsToWait = limits?.rate ? limitRate(limits.rate) : null
    return async <T>(remoteAddress: string, work: () => Promise<T>): Promise<T> => {
      const runUnauthenticated = () => limitUnauthenticated('', work)
      if (!limitNetwork || !secondsToWait) return runUnauthenticated()
      const network = networkOf(remoteAddress)
      const waitSeconds = secondsToWait(network, clock.now())
      if (waitSeconds > 0) return refuseAfterDelay(refuse(waitSeconds))
      return limitNetwork(network, runUnauthenticated)
    }
  }
  const signIn = createUnauthenticatedLimit('AuthTooManyAttemptsError')
  const other = createUnauthenticatedLimit('TooManyRequests')

  return async (call, http, work) => {
    if (unauthenticatedCalls.has(call.name)) return (call.errors?.includes('AuthTooManyAttemptsError') ? signIn : other)(http.ip, work)
    const session = call.access === 'public' ? sessionOfTicket(http.query) : readToken(http)
    return session === null || limitSession === null ? work() : limitSession(session, work)
  }
}

/** A session has exactly one token. Any other text is refused without a database query. */
const readToken = ({ headers }: FastifyRequest): string | null => /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null

function overloaded(retryAfterSeconds: number): Failure {
  return new Failure('Overloaded', 'Too many people are signing in at the moment. Please try again in a moment.', { retryAfterSeconds })
}
