import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { apiPrefix, idempotencyKeyPattern, type Endpoint, type RequestOf, type ResponseOf } from '#contract/endpoint.ts'
import type { Context } from '../context.ts'
import { authorize, logRefusedPerson, reauthorize, type CallName } from './authorize.ts'
import type { Caller, Origin } from '../caller.ts'
import { compressAnswer } from './encodings.ts'
import { decode } from './decode.ts'
import { createDeviceCookie, type DeviceCookie } from './device-cookie.ts'
import { Failure } from './failure.ts'
import { sendFile, type FileAnswer } from './file-answer.ts'
import { refuseArrayParameters } from './query.ts'
import { answerOnce, singleAttempt, type Attempt } from './idempotency.ts'
import type { RequestLimits } from './request-limits.ts'
import { isReading, type Reading } from './reading.ts'
import { runReading } from './run-reading.ts'
import { createSerializer } from './serializer.ts'
import { findSite } from './site.ts'
import { receiveForm, type StagedFile } from './uploads.ts'
import { rememberCaller } from './security-log.ts'

/** The input of a use case: the decoded content and facts about the request. */
export type Request<E extends Endpoint> = RequestOf<E> &
  (E extends { takes: 'file' } ? { file: StagedFile } : unknown) & {
    origin: Origin
    deviceCookie: DeviceCookie
    /** This attempt of the request, by its Idempotency-Key. */
    attempt: Attempt
    /** The portal's origin that the caller uses, for addresses in answers. */
    site: string
  }

/** The answer of a call, before encoding, or its file. */
export type AnswerOf<E extends Endpoint> = E extends { answers: 'file' } ? FileAnswer : ResponseOf<E>

/** Does the work of one call. A public call has no caller. */
export type UseCase<E extends Endpoint> = (
  context: Context,
  caller: E['access'] extends 'public' ? null : Caller,
  request: Request<E>,
) => Promise<AnswerOf<E>>

/** One use case for every call of the contract; a missing one does not compile. */
export type UseCases<C extends Record<string, Endpoint>> = {
  // The entry of a reading's assumed session is written before its permission could be checked.
  [Name in keyof C]: UseCase<C[Name]> | (C[Name]['access'] extends 'session' ? Reading<C[Name]> : never)
}

/** Runs before any byte of a form is read; throws a Failure if the caller may not send one. */
export type BeforeForm = (context: Context, caller: Caller) => Promise<void>

/** Mounts a call: checks access, decodes, runs the use case, encodes. */
export function route<E extends Endpoint>(
  app: FastifyInstance,
  context: Context,
  call: E & { name: CallName },
  useCase: UseCase<E> | Reading<E>,
  limits: RequestLimits,
  beforeForm?: BeforeForm,
): void {
  const serialize = createSerializer(call)
  const handle = async (http: FastifyRequest, reply: FastifyReply) => {
    const origin = readOrigin(http)
    const note = (caller: Caller) => rememberCaller(http, caller)
    // Log lines of the use case carry the request id that a failed answer shows.
    const requestContext = { ...context, log: http.log as Context['log'] }
    if (isReading(useCase)) {
      const answer = await context.tracing.span(`use case ${call.name}`, 'internal', {}, () =>
        runReading(requestContext, call, useCase, { authorization: http.headers.authorization, origin, note }, () =>
          createRequest<E>(context, call, http, reply, origin, null),
        ),
      )
      return sendRead(reply, serialize(answer), http.headers['accept-encoding'])
    }
    const caller = await authorize(context, call, http.headers.authorization, origin, note)
    if (caller) await beforeForm?.(requestContext, caller)
    const form = call.takes === 'file' ? await receiveForm(http, context.config.documents) : null
    try {
      if (form) await reauthorize(context, call, http.headers.authorization)
      const request = createRequest<E>(context, call, http, reply, { ...origin, sessionId: caller?.sessionId ?? null }, form)
      const work = (attempt: Attempt) =>
        context.tracing.span(`use case ${call.name}`, 'internal', {}, () =>
          useCase(requestContext, caller as Parameters<UseCase<E>>[1], Object.assign(request, { attempt })),
        )
      if (call.answers === 'file') return await sendFile(http, reply, (await work(singleAttempt)) as FileAnswer)
      const key = call.idempotent ? readIdempotencyKey(http) : null
      if (key === null || caller === null) return send(reply, serialize(await work(singleAttempt)))
      // The keys of staff who act for nobody are their own.
      const borrowerId = caller.borrowerId ?? caller.actorId
      const { body } = request as { body?: unknown }
      const json = await answerOnce(
        requestContext,
        { ...caller, borrowerId },
        { call: call.name, key, body, unhashedFields: call.unhashedFields },
        async (attempt) => serialize(await work(attempt)),
      )
      return send(reply, json)
    } catch (error) {
      await logRefusedPerson(context, call, caller, error, origin)
      throw error
    } finally {
      await form?.discard()
    }
  }
  app.route({
    method: call.method,
    url: `${apiPrefix}${call.path}`,
    handler: (http, reply) => limits(call, http, () => handle(http, reply)),
  })
}

/** @throws Failure InvalidRequest naming the wrong field. */
function createRequest<E extends Endpoint>(
  { config }: Context,
  call: E,
  http: FastifyRequest,
  reply: FastifyReply,
  origin: Origin,
  form: { fields: Record<string, unknown>; file: StagedFile } | null,
): Request<E> {
  refuseArrayParameters(http.query)
  return {
    ...(call.params && { params: decode(call.params, http.params) }),
    ...(call.query && { query: decode(call.query, http.query) }),
    ...(call.body && { body: decode(call.body, form?.fields ?? http.body ?? {}) }),
    ...(form && { file: form.file }),
    origin,
    deviceCookie: createDeviceCookie(http, reply, config.origins),
    attempt: singleAttempt,
    // A getter, because few calls use it.
    get site() {
      return findSite(config.origins, http.headers.host)
    },
  } as unknown as Request<E>
}

const send = (reply: FastifyReply, json: string | Buffer): FastifyReply =>
  reply.header('cache-control', 'no-store').header('content-type', 'application/json; charset=utf-8').send(json)

/**
 * Sends what a call has read, compressed. No other answer is: what holds a token or a code must not
 * show by its length what else is in it.
 */
function sendRead(reply: FastifyReply, json: string, acceptedEncodings: string | undefined): FastifyReply {
  const compressed = compressAnswer(json, acceptedEncodings)
  return compressed === null ? send(reply, json) : send(reply.header('content-encoding', 'br'), compressed)
}

function readOrigin(http: FastifyRequest): Origin {
  return { requestId: http.id, remoteAddress: http.ip, userAgent: (http.headers['user-agent'] ?? '').slice(0, 300), sessionId: null }
}

/** @throws Failure InvalidRequest unless the key is like {@link idempotencyKeyPattern}. */
function readIdempotencyKey(http: FastifyRequest): string | null {
  const key = http.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !idempotencyKeyPattern.test(key))
    throw new Failure('InvalidRequest', 'Idempotency-Key must have 1 to 255 printable characters.', { field: 'Idempotency-Key' })
  return key
}
