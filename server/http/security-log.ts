import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '#contract/errors.ts'
import type { Caller } from '../caller.ts'

/** A field of the request: a map of requests would slow down the garbage collector. */
const callerOf = Symbol('caller')
type Remembering = FastifyRequest & { [callerOf]?: Caller }

/** Stores the caller of a request, so that the log line of a later refusal can name the caller. */
export const rememberCaller = (request: FastifyRequest, caller: Caller): void => void ((request as Remembering)[callerOf] = caller)

/**
 * The security event of each error code; other codes are not security events. The names are those
 * of the OWASP logging vocabulary, except `authn_token_refused` and `authn_webhook_fail`.
 */
const eventNames: Partial<Record<ErrorCode, string>> = {
  AuthUserNotFoundError: 'authn_login_fail',
  AuthInvalidOTPError: 'authn_login_fail',
  AuthTooManyAttemptsError: 'authn_login_fail_max',
  AuthResendTooSoon: 'excess_rate_limit_exceeded',
  TooManyRequests: 'excess_rate_limit_exceeded',
  AuthSessionExpired: 'authn_token_refused',
  PermissionDenied: 'authz_fail',
  FourEyes: 'authz_fail',
  NotFound: 'authz_fail',
  InvalidRequest: 'input_validation_fail',
  MethodNotAllowed: 'input_validation_fail',
  UnsupportedMediaType: 'input_validation_fail',
  PayloadTooLarge: 'input_validation_fail',
  RequestTimeout: 'input_validation_fail',
  WebhookSignatureInvalid: 'authn_webhook_fail',
}

/**
 * Logs a refused request in one line: who, what, where and when, but never the content. The access
 * log records successful actions, each in the transaction of the action.
 */
export function logRefusal(request: FastifyRequest, reply: FastifyReply, code: ErrorCode, status: number): void {
  const event = eventNames[code] ?? (/^(File|Document)/.test(code) && status < 500 ? 'upload_validation' : undefined)
  if (!event) return
  const caller = (request as Remembering)[callerOf]
  request.log.info(
    {
      event,
      code,
      status,
      method: request.method,
      route: request.routeOptions.url ?? null,
      actor: caller?.actorId ?? null,
      subject: caller?.borrowerId ?? null,
      remote_address: request.ip,
      duration_ms: Math.round(reply.elapsedTime),
    },
    'refused',
  )
}
