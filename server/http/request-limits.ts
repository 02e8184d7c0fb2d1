import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Clock } from '../config/clock.ts'
import type { Config } from '../config/config.ts'
import { limitPace, type Pace } from './address-pace.ts'
import type { CallName } from './admit.ts'
import { limitConcurrency, type ConcurrencyLimits } from './concurrency-limit.ts'
import { Failure } from './failure.ts'

type Limits = { session: ConcurrencyLimits; address: ConcurrencyLimits | null; pace: Pace | null }

const strictSession: ConcurrencyLimits = { runningMax: 8, waitingMax: 32, waitMsMax: 5_000 }

/** In this process, by KIST_LIMITS (decision 64). Null: no limit. */
const limitsOf: Record<Config['signIn']['limits'], Limits | null> = {
  strict: {
    session: strictSession,
    address: { runningMax: 2, waitingMax: 32, waitMsMax: 5_000 },
    pace: { burst: 200, perSecond: 2 },
  },
  demo: { session: { ...strictSession, runningMax: 80, waitingMax: 320 }, address: null, pace: null },
  relaxed: null,
}

/** A request without a session waits so long for one of the few places at most. */
const unauthenticatedWaitMsMax = 10_000

/**
 * A network over its limits is answered so much later, for so many requests at a time: a flood on connections that stay open then costs this
 * process little more than their number each second.
 */
const refusalDelayMs = 1_000
const delayedRefusalsMax = 256

/** Calls that anybody can make the database work for. A generated document is opened by a signed address, which is checked in memory. */
const unauthenticatedCalls: ReadonlySet<CallName> = new Set<CallName>(['login', 'verify', 'verifyDocument'])

/** Does the work of a request when the limits let it. */
export type RequestLimits = <T>(call: Endpoint & { name: CallName }, http: FastifyRequest, work: () => Promise<T>) => Promise<T>

/**
 * Limits what is done at once before the database hears of it: for each session, and for all requests without one together, which get a small
 * share of the connections and a queue of their own. A flood of sign-ins then takes nothing from those who are signed in.
 *
 * @param networkOf what addresses are counted by.
 */
export function createRequestLimits(
  { config, clock }: { config: Config; clock: Clock },
  networkOf: (remoteAddress: string) => string,
): RequestLimits {
  const limits = limitsOf[config.signIn.limits]
  const { runningMax, waitingMax } = config.load.unauthenticated
  const ofSession = limits && limitConcurrency(limits.session)
  const ofAll = limitConcurrency({ runningMax, waitingMax, waitMsMax: unauthenticatedWaitMsMax }, overloaded)

  let delayedRefusals = 0
  const refuseLate = async (failure: Failure): Promise<never> => {
    if (delayedRefusals < delayedRefusalsMax) {
      delayedRefusals += 1
      await delay(refusalDelayMs)
      delayedRefusals -= 1
    }
    throw failure
  }

  const withoutSession = (code: 'AuthTooManyAttemptsError' | 'TooManyRequests') => {
    const refuse = (retryAfterSeconds: number) =>
      new Failure(code, 'Too many requests from this network. Please try again later.', { retryAfterSeconds })
    const atOnce = limits?.address ? limitConcurrency(limits.address, refuse) : null
    const secondsToWait = limits?.pace ? limitPace(limits.pace) : null
    return async <T>(remoteAddress: string, work: () => Promise<T>): Promise<T> => {
      const share = () => ofAll('', work)
      if (!atOnce || !secondsToWait) return share()
      const network = networkOf(remoteAddress)
      const waitSeconds = secondsToWait(network, clock.now())
      if (waitSeconds > 0) return refuseLate(refuse(waitSeconds))
      return atOnce(network, share)
    }
  }
  const signIn = withoutSession('AuthTooManyAttemptsError')
  const other = withoutSession('TooManyRequests')

  return async (call, http, work) => {
    if (unauthenticatedCalls.has(call.name)) return (call.errors?.includes('AuthTooManyAttemptsError') ? signIn : other)(http.ip, work)
    const token = call.access === 'public' ? null : tokenOf(http)
    return token === null || ofSession === null ? work() : ofSession(token, work)
  }
}

/** One session has one token, and one token has one spelling. What is no token of ours is refused without the database. */
const tokenOf = ({ headers }: FastifyRequest): string | null => /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null

function overloaded(retryAfterSeconds: number): Failure {
  return new Failure('Overloaded', 'Too many people are signing in at the moment. Please try again in a moment.', { retryAfterSeconds })
}
