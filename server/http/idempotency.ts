import { hash, randomUUID } from 'node:crypto'
import type { ErrorCode } from '#contract/errors.ts'
import { errorCatalogue } from '#contract/errors.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Caller } from '../caller.ts'
import { Failure } from './failure.ts'
import {
  changeRequest,
  deleteRequest,
  insertRequest,
  lockRequest,
  restartRequest,
  takeOverRequest,
  type IdempotentKey,
} from './idempotency-store.ts'

/** One try of a request that has an Idempotency-Key (decision 56). */
export type Attempt = {
  /** What an earlier try under the same key made, when nobody knows what became of it: it is to be settled, not made again. */
  madeBefore: string | null
  /** Stores the id of what is made, in the transaction that makes it. */
  remember(sql: Sql, madeId: string): Promise<void>
}

/** A request without a key. */
export const singleAttempt: Attempt = { madeBefore: null, remember: () => Promise.resolve() }

const keptMs = 24 * 3_600_000
/** A process that dies leaves its request to the next try after so long; one that lives prolongs it in good time. */
const leaseMs = 6_000
const renewalMs = 2_000

/** The statuses that stay what they are, however often the request is repeated. */
const finalStatuses: ReadonlySet<number> = new Set([409, 422, 502])

/** The content of a stored refusal. */
type StoredFailure = { code: ErrorCode; detail: string; extras: Failure['extras'] }

/**
 * Answers a request under its key: a final answer is repeated as it was; while the first try runs, the next one is refused; after an
 * unknown outcome the next try settles what the first one made. An answer that is not final is never stored.
 *
 * @param work makes the answer's JSON.
 * @throws Failure IdempotencyKeyReused when the key was used with another body.
 * @throws Failure RequestInProgress while another try under the key runs.
 */
export async function answerOnce(
  context: Context,
  caller: Caller & { borrowerId: string },
  request: { call: string; key: string; body: unknown },
  work: (attempt: Attempt) => Promise<string>,
): Promise<string> {
  const key = { borrower_id: caller.borrowerId, actor_id: caller.actorId, call: request.call, idempotency_key: request.key }
  const runId = randomUUID()
  const begun = await begin(context, key, hashOf(request.body), runId)
  if ('status' in begun) return repeat(begun)
  const renewal = setInterval(() => {
    renew(context, key, runId).catch((error: unknown) => context.log.warn({ err: error }, 'an idempotent request was not prolonged'))
  }, renewalMs)
  const attempt: Attempt = {
    madeBefore: begun.madeBefore,
    remember: async (sql, madeId) => {
      begun.madeBefore = madeId
      await changeRequest(sql, key, runId, { made_id: madeId })
    },
  }
  try {
    const answer = await work(attempt)
    await settle(context, key, runId, { status: 200, answer })
    return answer
  } catch (error) {
    await settle(context, key, runId, finalFailure(error), begun.madeBefore !== null)
    throw error
  } finally {
    clearInterval(renewal)
  }
}

type Final = { status: number; answer: string }

function begin(context: Context, key: IdempotentKey, requestHash: Buffer, runId: string): Promise<Final | { madeBefore: string | null }> {
  return context.database.asBorrower(key.borrower_id, async (sql) => {
    const now = context.clock.now()
    const run = { request_hash: requestHash, begun_at: now, run_id: runId, running_until: new Date(now.getTime() + leaseMs) }
    if (await insertRequest(sql, key, run)) return { madeBefore: null }
    const row = await lockRequest(sql, key)
    // The try before ended without a final answer at this very moment.
    if (!row) throw inProgress()
    if (now.getTime() - row.begun_at.getTime() > keptMs) {
      await restartRequest(sql, key, run)
      return { madeBefore: null }
    }
    if (!row.request_hash.equals(requestHash))
      throw new Failure('IdempotencyKeyReused', 'This Idempotency-Key was used with another request.', { field: 'Idempotency-Key' })
    if (row.status !== null && row.answer !== null) return { status: row.status, answer: row.answer }
    if (row.running_until !== null && row.running_until > now) throw inProgress()
    await takeOverRequest(sql, key, run)
    return { madeBefore: row.made_id }
  })
}

const inProgress = () =>
  new Failure('RequestInProgress', 'The same request is still being worked on. Ask again in a moment, with the same Idempotency-Key.', {
    retryAfterSeconds: renewalMs / 1_000,
  })

function repeat({ status, answer }: Final): string {
  if (status === 200) return answer
  const { code, detail, extras } = JSON.parse(answer) as StoredFailure
  throw new Failure(code, detail, extras)
}

function finalFailure(error: unknown): Final | null {
  if (!(error instanceof Failure)) return null
  const { status } = errorCatalogue[error.code]
  if (!finalStatuses.has(status)) return null
  const stored: StoredFailure = { code: error.code, detail: error.message, extras: error.extras }
  return { status, answer: JSON.stringify(stored) }
}

/** Stores a final answer. Without one, the row stays for the next try where something was made, and goes where nothing was. */
async function settle(context: Context, key: IdempotentKey, runId: string, final: Final | null, hasMade = false): Promise<void> {
  await context.database.asBorrower(key.borrower_id, async (sql) => {
    if (final) await changeRequest(sql, key, runId, { ...final, running_until: null })
    else if (hasMade) await changeRequest(sql, key, runId, { running_until: null })
    else await deleteRequest(sql, key, runId)
  })
}

const renew = ({ database, clock }: Context, key: IdempotentKey, runId: string): Promise<boolean> =>
  database.asBorrower(key.borrower_id, (sql) =>
    changeRequest(sql, key, runId, { running_until: new Date(clock.now().getTime() + leaseMs) }),
  )

/** Of the decoded body: amounts are bigint there, days text. */
const hashOf = (body: unknown): Buffer =>
  hash(
    'sha256',
    JSON.stringify(body, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
    'buffer',
  )
