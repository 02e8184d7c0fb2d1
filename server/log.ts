import { pino, type DestinationStream, type Logger } from 'pino'
import { panPattern, phonePattern, upiPattern } from '#domain/personal-data.ts'
import type { Config } from './config/config.ts'

/** Fields whose values are never logged, at any depth up to three. */
const redactedFields = [
  'phone',
  'to',
  'otp',
  'token',
  'session_token',
  'sessionToken',
  'authorization',
  'cookie',
  'password',
  'secret',
  'keySecret',
  'key_secret',
  'ticket',
  'pan',
  'email',
  'first_name',
  'firstName',
  'last_name',
  'lastName',
  'original_name',
  'filename',
  'body',
  'text',
  'parameters',
]

/**
 * The logged fields of an error: PostgreSQL's names of objects, but not its `detail`, which quotes
 * rows.
 */
const errorFields = ['code', 'severity', 'schema', 'table', 'column', 'constraint', 'routine', 'syscall', 'statusCode', 'reason'] as const

/** Patterns of personal data and keys within texts, and their replacements. */
const patterns: readonly [RegExp, string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]'],
  // The prefix of a document ticket (documents/ticket.ts).
  [/\bWyI[\w-]{40,}\.[\w-]+/g, '[ticket]'],
  [/\b(Bearer|Basic)\s+[\w.~+/-]+=*/gi, '$1 [hidden]'],
  [/\brzp_(?:live|test)_\w+/g, '[key]'],
  [/(postgres(?:ql)?:\/\/[^:/\s]+):[^@\s]+@/g, '$1:[hidden]@'],
  [/[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/gi, '[e-mail]'],
  // After the e-mail addresses, which begin like one, and before the phones, which many contain.
  [upiPattern, '[UPI]'],
  [phonePattern, '[phone]'],
  [panPattern, '[PAN]'],
]

/**
 * Creates the logger. Three filters protect personal data and keys: redacted fields; a list of
 * allowed error fields; and replacement of phones, PANs, e-mails, UPI IDs, tokens and keys in
 * every written line.
 *
 * @param destination standard output by default.
 */
export function createLog({ logLevel, production }: Pick<Config, 'logLevel' | 'production'>, destination?: DestinationStream): Logger {
  const options = {
    level: logLevel,
    redact: { paths: redactedFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[hidden]' },
    serializers: { err: serializeError },
    hooks: { streamWrite: redactPersonalData },
    ...(production ? {} : { base: null, timestamp: pino.stdTimeFunctions.isoTime }),
  }
  return destination ? pino(options, destination) : pino(options)
}

type LoggedError = { type: string; message: string; stack: string; cause?: LoggedError } & Partial<
  Record<(typeof errorFields)[number], unknown>
>

/**
 * Serializes an error's type, message, stack and causes; other properties (a request, its headers,
 * a row) are omitted.
 */
function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'thrown without an error', stack: '' }
  const message = withoutValues(error)
  const logged: LoggedError = {
    type: error.constructor.name,
    message,
    // Skips the first lines of the stack, which repeat the message.
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
  }
  for (const field of errorFields) if (field in error) logged[field] = (error as unknown as Record<string, unknown>)[field]
  if (error.cause !== undefined && depth < 5) logged.cause = serializeError(error.cause, depth + 1)
  return logged
}

/**
 * Removes the values that PostgreSQL quotes in data exceptions (class 22, such as `invalid input
 * syntax for type uuid: "…"`).
 */
function withoutValues(error: Error): string {
  const isDataException = 'code' in error && typeof error.code === 'string' && /^22\w{3}$/.test(error.code)
  return isDataException ? error.message.replaceAll(/"[^"]*"/g, '"…"') : error.message
}

/** Replaces personal data and keys in a line. */
export function redactPersonalData(line: string): string {
  return patterns.reduce((text, [pattern, instead]) => text.replaceAll(pattern, instead), line)
}
