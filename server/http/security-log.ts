import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '#contract/errors.ts'
import type { Caller } from '../caller.ts'

const callers = new WeakMap<FastifyRequest, Caller>()

/** So that a refusal later in the request can say whose it was. */
export const noteCaller = (request: FastifyRequest, caller: Caller): void => void callers.set(request, caller)

/** Names of the OWASP logging vocabulary. What is not here is no matter of security. */
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
 * One line a refusal: who, what, where, when, and never what was sent. What succeeded is in the access log, in the transaction
 * that did it.
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
