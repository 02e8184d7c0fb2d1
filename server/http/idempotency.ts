import { createHmac, hash, randomUUID } from 'node:crypto'
import type { Endpoint } from '#contract/endpoint.ts'
import type { ErrorCode } from '#contract/errors.ts'
import { errorCatalogue } from '#contract/errors.ts'
import { dayMs } from '#domain/durations.ts'
import { stringifyExact } from '#domain/money.ts'
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

/** One attempt of a request with an Idempotency-Key (decision 56). */
export type Attempt = {
  /**
   * The id of what an earlier attempt made with an unknown outcome: settle it, do not make it
   * again.
   */
  madeBefore: string | null
  /**
   * Stores the id of what the request makes, in the transaction that makes it.
   *
   * @throws Failure RequestInProgress if another attempt has taken over.
   */
  remember(sql: Sql, madeId: string): Promise<void>
}

/** The attempt of a request without a key. */
export const singleAttempt: Attempt = { madeBefore: null, remember: () => Promise.resolve() }

const retentionMs = dayMs
/**
 * A retry takes over this long after the process of the first attempt died. A living process
 * renews.
 */
const leaseMs = 6_000
const renewalMs = 2_000

/** Answers with these statuses are final: a retry gets the same answer. */
const finalStatuses: ReadonlySet<number> = new Set([409, 422, 502])

/** The content of a stored refusal. */
type StoredFailure = { code: ErrorCode; detail: string; extras: Failure['extras'] }

/**
 * Answers a request with an Idempotency-Key. A final answer is repeated. While one attempt runs,
 * the next is refused. After an unknown outcome the next attempt settles what the first one made.
 * Only final answers are stored.
 *
 * @param work makes the answer's JSON.
 * @throws Failure IdempotencyKeyReused if the key was used with another body.
 * @throws Failure RequestInProgress while another attempt with the key runs.
 */
export async function answerOnce(
  context: Context,
  caller: Caller & { borrowerId: string },
  request: { call: string; key: string; body: unknown; unhashedFields?: Endpoint['unhashedFields'] },
  work: (attempt: Attempt) => Promise<string>,
): Promise<string> {
  const key = { borrower_id: caller.borrowerId, actor_id: caller.actorId, call: request.call, idempotency_key: request.key }
  const runId = randomUUID()
  const begun = await begin(context, key, hashRequest(context.config, request), runId)
  if ('status' in begun) return repeat(begun)
  const stopRenewing = startRenewing(context, key, runId)
  const attempt: Attempt = {
    madeBefore: begun.madeBefore,
    remember: async (sql, madeId) => {
      // Another attempt has taken over, because this one did not renew its lease.
      if (!(await changeRequest(sql, key, runId, { made_id: madeId }))) throw inProgress()
      begun.madeBefore = madeId
    },
  }
  try {
    const answer = await work(attempt)
    await stopRenewing()
    await settle(context, key, runId, { status: 200, answer })
    return answer
  } catch (error) {
    await stopRenewing()
    await settle(context, key, runId, finalFailure(error), begun.madeBefore !== null)
    throw error
  }
}

type FinalAnswer = { status: number; answer: string }

function begin(
  context: Context,
  key: IdempotentKey,
  requestHash: Buffer,
  runId: string,
): Promise<FinalAnswer | { madeBefore: string | null }> {
  return context.database.asBorrower(key.borrower_id, async (sql) => {
    const now = context.clock.now()
    const run = { request_hash: requestHash, begun_at: now, run_id: runId, running_until: new Date(now.getTime() + leaseMs) }
    if (await insertRequest(sql, key, run)) return { madeBefore: null }
    const row = await lockRequest(sql, key)
    // The previous attempt deleted its row a moment ago.
    if (!row) throw inProgress()
    if (now.getTime() - row.begun_at.getTime() > retentionMs) {
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
  new Failure('RequestInProgress', 'The same request is still being processed. Try again in a moment with the same Idempotency-Key.', {
    retryAfterSeconds: renewalMs / 1_000,
  })

function repeat({ status, answer }: FinalAnswer): string {
  if (status === 200) return answer
  const { code, detail, extras } = JSON.parse(answer) as StoredFailure
  throw new Failure(code, detail, extras)
}

function finalFailure(error: unknown): FinalAnswer | null {
  if (!(error instanceof Failure)) return null
  const { status } = errorCatalogue[error.code]
  // Figures that are being computed are asked for again with the same key.
  if (!finalStatuses.has(status) || error.code === 'PreviewInProgress') return null
  const stored: StoredFailure = { code: error.code, detail: error.message, extras: error.extras }
  return { status, answer: JSON.stringify(stored) }
}

/**
 * Stores a final answer. Otherwise keeps the row if the attempt made something, and deletes it if
 * not.
 */
async function settle(
  context: Context,
  key: IdempotentKey,
  runId: string,
  final: FinalAnswer | null,
  hasMadeSomething = false,
): Promise<void> {
  await context.database.asBorrower(key.borrower_id, async (sql) => {
    if (final) await changeRequest(sql, key, runId, { ...final, running_until: null })
    else if (hasMadeSomething) await changeRequest(sql, key, runId, { running_until: null })
    else await deleteRequest(sql, key, runId)
  })
}

/**
 * Renews the lease of a run until the returned function is called, which waits for renewals under
 * way: one that ended after the run would keep its key from the next attempt.
 */
function startRenewing(context: Context, key: IdempotentKey, runId: string): () => Promise<unknown> {
  let renewal: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    const next = renew(context, key, runId).catch((error: unknown) =>
      context.log.warn({ err: error }, 'could not renew the lease of an idempotent request'),
    )
    renewal = Promise.all([renewal, next])
  }, renewalMs)
  return () => {
    clearInterval(timer)
    return renewal
  }
}

const renew = ({ database, clock }: Context, key: IdempotentKey, runId: string): Promise<boolean> =>
  database.asBorrower(key.borrower_id, (sql) =>
    changeRequest(sql, key, runId, { running_until: new Date(clock.now().getTime() + leaseMs) }),
  )

/**
 * Hashes the decoded body, in which amounts are bigint and days are strings. A call with fields
 * that are left out has a keyed hash, because the rest of such a body could be guessed.
 */
function hashRequest(
  { signIn }: Pick<Context['config'], 'signIn'>,
  { body, unhashedFields }: { body: unknown; unhashedFields?: Endpoint['unhashedFields'] },
): Buffer {
  const text = stringifyExact(withoutFields(body, unhashedFields ?? []))
  return unhashedFields ? createHmac('sha256', signIn.codeKey).update(`request ${text}`).digest() : hash('sha256', text, 'buffer')
}

function withoutFields(body: unknown, fields: readonly string[]): unknown {
  const copy = structuredClone(body) as Record<string, Record<string, unknown> | undefined>
  for (const [outer = '', inner = ''] of fields.map((field) => field.split('.'))) delete copy?.[outer]?.[inner]
  return copy
}
