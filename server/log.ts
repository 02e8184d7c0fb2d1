import { pino, type DestinationStream, type Logger } from 'pino'
import type { Config } from './config/config.ts'

/** Fields whose value is never told, wherever in a line they stand. */
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

/** What an error may say beside its message: PostgreSQL's names of things, never its `detail`, which quotes rows. */
const errorFields = ['code', 'severity', 'schema', 'table', 'column', 'constraint', 'routine', 'syscall', 'statusCode', 'reason'] as const

/** What a person or a key looks like inside of a text, and what is written instead. */
const patterns: readonly [RegExp, string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]'],
  // What a ticket of a document begins with (documents/ticket.ts).
  [/\bWyI[\w-]{40,}\.[\w-]+/g, '[ticket]'],
  [/\b(Bearer|Basic)\s+[\w.~+/-]+=*/gi, '$1 [hidden]'],
  [/\brzp_(?:live|test)_\w+/g, '[key]'],
  [/(postgres(?:ql)?:\/\/[^:/\s]+):[^@\s]+@/g, '$1:[hidden]@'],
  [/[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/gi, '[e-mail]'],
  [/(?<![\w.-])(?:\+?91[ -]?)?[6-9]\d{4}[ -]?\d{5}(?![\w-])/g, '[phone]'],
  [/\b[A-Z]{5}\d{4}[A-Z]\b/g, '[PAN]'],
]

/**
 * The one log. Three nets, one below the other: fields of a person or a key are silent; of an error only named fields are told; and
 * what looks like a phone, a PAN, an e-mail, a token or a key within any text is replaced as the line is written.
 *
 * @param destination standard output when absent.
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

type ToldError = { type: string; message: string; stack: string; cause?: ToldError } & Partial<
  Record<(typeof errorFields)[number], unknown>
>

/** An error's kind, words and place, down to its causes; whatever else hangs on it (a request, its headers, a row) is left out. */
export function serializeError(error: unknown, depth = 0): ToldError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'thrown without an error', stack: '' }
  const message = withoutValues(error)
  const told: ToldError = {
    type: error.constructor.name,
    message,
    // The first lines of a stack repeat the message.
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
  }
  for (const field of errorFields) if (field in error) told[field] = (error as unknown as Record<string, unknown>)[field]
  if (error.cause !== undefined && depth < 5) told.cause = serializeError(error.cause, depth + 1)
  return told
}

/** PostgreSQL quotes the value it cannot take (class 22, such as `invalid input syntax for type uuid: "…"`). */
function withoutValues(error: Error): string {
  const isDataException = 'code' in error && typeof error.code === 'string' && /^22\w{3}$/.test(error.code)
  return isDataException ? error.message.replaceAll(/"[^"]*"/g, '"…"') : error.message
}

/** A line as it may be written. */
export function redactPersonalData(line: string): string {
  return patterns.reduce((text, [pattern, instead]) => text.replaceAll(pattern, instead), line)
}
