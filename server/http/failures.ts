import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorCatalogue, type ErrorCode } from '#contract/errors.ts'
import type { Problem } from '#contract/problem.ts'
import { isDatabaseUnavailable } from '../database/unavailable.ts'
import { Failure, notReady } from './failure.ts'
import { methods } from './request-target.ts'
import { logRefusal } from './security-log.ts'

/** Answers every refusal and every defect with a problem document (RFC 9457, decision 2). */
export function answerFailures(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | Failure, request, reply) => {
    const failure = error instanceof Failure ? error : fromFastify(error)
    if (failure) return answer(request, reply, failure)
    if (isDatabaseUnavailable(error)) {
      request.log.error({ err: error }, 'database unavailable')
      return answer(request, reply, notReady(2))
    }
    request.log.error({ err: error }, 'unexpected error')
    return answer(request, reply, new Failure('Unexpected', 'Something went wrong on our side. Please try again.'))
  })
  app.setNotFoundHandler((request, reply) => {
    const isOurs = (methods as readonly string[]).includes(request.method)
    return answer(request, reply, isOurs ? new Failure('NotFound', 'There is nothing at this address.') : new Failure('MethodNotAllowed'))
  })
}

/** The headers of every problem document. */
export const problemHeaders = { 'cache-control': 'no-store', 'content-type': 'application/problem+json; charset=utf-8' }

/** The problem document of a refusal. */
export function problemOf({ code, message, extras }: Failure, requestId: string): Problem {
  const { status, title } = errorCatalogue[code]
  const { retryAfterSeconds: _header, closesConnection: _connection, ...shown } = extras
  return { type: `/problems/${code}`, title, status, detail: message, code, request_id: requestId, ...shown }
}

function answer(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  const { code, extras } = failure
  const { status } = errorCatalogue[code]
  const { retryAfterSeconds, closesConnection } = extras
  if (closesConnection) reply.header('connection', 'close')
  // Fastify sets this header when a body is too large; drain-request.ts lets the client read the
  // answer first.
  else reply.removeHeader('connection')
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterSeconds))))
  logRefusal(request, reply, code, status)
  return reply.code(status).headers(problemHeaders).serializer(JSON.stringify).send(problemOf(failure, request.id))
}

/** Maps Fastify's own refusals; null for a defect. */
function fromFastify(error: FastifyError): Failure | null {
  const codes: Record<string, [ErrorCode, string]> = {
    FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UnsupportedMediaType', 'The body must be application/json.'],
    FST_ERR_CTP_BODY_TOO_LARGE: ['PayloadTooLarge', 'The body is too large.'],
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['InvalidRequest', 'The body does not match its Content-Length.'],
    FST_ERR_CTP_EMPTY_JSON_BODY: ['InvalidRequest', 'The body is empty.'],
    FST_ERR_BAD_URL: ['InvalidRequest', 'The address is not valid.'],
  }
  const known = codes[error.code]
  if (known) return new Failure(...known)
  return error.statusCode && error.statusCode >= 400 && error.statusCode < 500
    ? new Failure('InvalidRequest', 'The request could not be read.')
    : null
}
