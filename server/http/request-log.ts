import type { FastifyBaseLogger } from 'fastify'

type Bindings = Parameters<FastifyBaseLogger['child']>[0]
type Options = Parameters<FastifyBaseLogger['child']>[1]

/**
 * Creates the logger of one request at its first line. Most requests write none, and creating one
 * applies all redaction rules to its bindings.
 */
export function createRequestLog(parent: FastifyBaseLogger, bindings: Bindings, options: Options): FastifyBaseLogger {
  return new RequestLog(parent, bindings, options) as unknown as FastifyBaseLogger
}

type Method = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'child'
type Line = Parameters<FastifyBaseLogger['info']>

class RequestLog implements Record<Method, (...line: Line) => unknown> {
  readonly #parent: FastifyBaseLogger
  readonly #bindings: Bindings
  readonly #options: Options
  #created: FastifyBaseLogger | null = null
  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: Options) {
    this.#parent = parent
    this.#bindings = bindings
    this.#options = options
  }
  get #log(): FastifyBaseLogger {
    return (this.#created ??= this.#parent.child(this.#bindings, this.#options))
  }
  get level() {
    return this.#parent.level
  }
  fatal(...line: Line) {
    this.#log.fatal(...line)
  }
  error(...line: Line) {
    this.#log.error(...line)
  }
  warn(...line: Line) {
    this.#log.warn(...line)
  }
  info(...line: Line) {
    this.#log.info(...line)
  }
  debug(...line: Line) {
    this.#log.debug(...line)
  }
  trace(...line: Line) {
    this.#log.trace(...line)
  }
  child(...line: Line) {
    return this.#log.child(...(line as unknown as [Bindings, Options]))
  }
}
