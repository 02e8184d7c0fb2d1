import { errorCodes, type FastifyInstance } from 'fastify'
import { Failure } from './failure.ts'

const depthMax = 20

/**
 * Parses JSON bodies strictly: refuses exponents (`1e3` as an amount is a mistake), `__proto__`,
 * deep nesting and repeated fields. An empty body counts as absent (decision 28).
 */
export function readJsonBodies(app: FastifyInstance): void {
  // Fastify's default parsers also accept text bodies.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parseStrictJson(body as string))
    } catch (error) {
      done(error as Error)
    }
  })
  // A declared type without a body, as clients of forms send it, counts as no body too.
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (request.is404 || request.headers['content-length'] === '0') done(null, undefined)
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(request.headers['content-type']))
  })
}

/** @throws Failure InvalidRequest with what is wrong in the text. */
export function parseStrictJson(text: string): unknown {
  if (text.trim() === '') return undefined
  refuseDeepOrRepeated(text)
  try {
    return JSON.parse(text, reviveStrictly as (key: string, value: unknown) => unknown)
  } catch (error) {
    throw error instanceof Failure ? error : new Failure('InvalidRequest', 'The body is not valid JSON.')
  }
}

function reviveStrictly(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key === '__proto__') throw new Failure('InvalidRequest', 'The body has a field that is not allowed.')
  if (typeof value !== 'number' || context?.source === undefined) return value
  const field = key.slice(0, 64) || 'body'
  if (!/^-?[0-9]+(\.[0-9]+)?$/.test(context.source))
    throw new Failure('InvalidRequest', `${field} must be a plain decimal number.`, { field })
  if (!isExact(context.source, value))
    throw new Failure('InvalidRequest', `${field} has more digits than can be stored exactly. An amount has at most two decimals.`, {
      field,
    })
  return value
}

/**
 * Whether the parsed number equals the written decimal, apart from trailing zeros. JSON.parse reads
 * `10000.10000000000001` as 10000.1, an amount that nobody wrote.
 */
function isExact(source: string, value: number): boolean {
  return String(value) === (source.includes('.') ? withoutTrailingZeros(source) : source)
}

/** Uses a loop: a regular expression takes quadratic time when a digit follows many zeros. */
function withoutTrailingZeros(decimal: string): string {
  let end = decimal.length
  while (decimal[end - 1] === '0') end -= 1
  return decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end)
}

/**
 * Runs before JSON.parse, which recurses as deep as the text and keeps the last of two fields with
 * the same name; two readers of a repeated field could see different values.
 */
function refuseDeepOrRepeated(text: string): void {
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{') open.push(new Set())
    else if (character === '[') open.push(null)
    else if (character === '}' || character === ']') open.pop()
    else if (character === '"') {
      const end = endOfString(text, at)
      if (isFollowedByColon(text, end)) refuseRepeated(open.at(-1), text.slice(at, end))
      at = end - 1
    }
    if (open.length > depthMax) throw new Failure('InvalidRequest', 'The body is nested too deeply.')
  }
}

/** The index after the closing quotation mark. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  throw new Failure('InvalidRequest', 'The body is not valid JSON.')
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from
  while (' \t\r\n'.includes(text[at] ?? 'x')) at++
  return text[at] === ':'
}

function refuseRepeated(names: Set<string> | null | undefined, name: string): void {
  // Escapes allow several spellings of one name.
  const unescaped = name.includes('\\') ? unescapeName(name) : name
  if (names?.has(unescaped)) throw new Failure('InvalidRequest', 'The body has a field twice.')
  names?.add(unescaped)
}

function unescapeName(name: string): string {
  try {
    return JSON.stringify(JSON.parse(name))
  } catch {
    throw new Failure('InvalidRequest', 'The body is not valid JSON.')
  }
}
