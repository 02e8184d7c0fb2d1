import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '#contract/errors.ts'
import type { Caller } from '../caller.ts'

const callers = new WeakMap<FastifyRequest, Caller>()

/** Stores the caller of a request for the log line of a later refusal. */
export const rememberCaller = (request: FastifyRequest, caller: Caller): void => void callers.set(request, caller)

/** Event names of the OWASP logging vocabulary. Other codes are not security events. */
const events: Partial<Record<ErrorCode, string>> = {
  AuthUserNotFoundError: 'authn_login_fail',
  AuthInvalidOTPError: 'authn_login_fail',
  AuthTooManyAttemptsError: 'authn_login_fail_max',
  AuthResendTooSoon: 'excess_rate_limit_exceeded',
  TooManyRequests: 'excess_rate_limit_exceeded',
  AuthSessionExpired: 'authn_token_refused',
  PermissionDenied: 'authz_fail',
  NotFound: 'authz_fail',
  InvalidRequest: 'input_validation_fail',
  MethodNotAllowed: 'input_validation_fail',
  UnsupportedMediaType: 'input_validation_fail',
  PayloadTooLarge: 'input_validation_fail',
  RequestTimeout: 'input_validation_fail',
  WebhookSignatureInvalid: 'authn_webhook_fail',
}

/**
 * Logs a refusal in one line: who, what, where, when, and never the content of the request. The
 * access log records successes, in their own transactions.
 */
export function logRefusal(request: FastifyRequest, reply: FastifyReply, code: ErrorCode, status: number): void {
  const event = events[code] ?? (/^(File|Document)/.test(code) && status < 500 ? 'upload_validation' : undefined)
  if (!event) return
  const caller = callers.get(request)
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
