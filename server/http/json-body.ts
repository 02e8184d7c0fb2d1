import type { FastifyInstance } from 'fastify'
import { Failure } from './failure.ts'

const depthMax = 20

/**
 * Reads JSON bodies strictly: no exponents (an amount of `1e3` is a mistake, not a thousand), no `__proto__`, no deep
 * nesting, no field twice. An empty body counts as absent (decision 28).
 */
export function readJsonBodies(app: FastifyInstance): void {
  // The framework's own would take text for a body too.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parseStrictJson(body as string))
    } catch (error) {
      done(error as Error)
    }
  })
}

/** @throws Failure InvalidRequest saying what is wrong with the text. */
export function parseStrictJson(text: string): unknown {
  if (text.trim() === '') return undefined
  refuseDeepAndDouble(text)
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
    throw new Failure('InvalidRequest', `${field} has more digits than can be kept. An amount has at most two decimals.`, { field })
  return value
}

/**
 * Whether a number is the decimal number that was written. JSON.parse reads `10000.10000000000001` as 10000.1, an amount that nobody wrote.
 * Trailing zeros do not matter.
 */
function isExact(source: string, value: number): boolean {
  return String(value) === (source.includes('.') ? withoutTrailingZeros(source) : source)
}

/** A loop, because a regular expression for this takes quadratic time where a digit follows many zeros. */
function withoutTrailingZeros(decimal: string): string {
  let end = decimal.length
  while (decimal[end - 1] === '0') end -= 1
  return decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end)
}

/**
 * Before parsing, since the parser itself would go as deep as the text, and keeps the last of two fields of one name without a
 * word: what one reader of a body takes for its content and another does not.
 */
function refuseDeepAndDouble(text: string): void {
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{') open.push(new Set())
    else if (character === '[') open.push(null)
    else if (character === '}' || character === ']') open.pop()
    else if (character === '"') {
      const end = endOfString(text, at)
      if (isFollowedByColon(text, end)) refuseDouble(open.at(-1), text.slice(at, end))
      at = end - 1
    }
    if (open.length > depthMax) throw new Failure('InvalidRequest', 'The body is nested too deeply.')
  }
}

/** One past the closing quotation mark. */
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

function refuseDouble(names: Set<string> | null | undefined, name: string): void {
  // One name may be written in several ways.
  const plain = name.includes('\\') ? plainName(name) : name
  if (names?.has(plain)) throw new Failure('InvalidRequest', 'The body has a field twice.')
  names?.add(plain)
}

function plainName(name: string): string {
  try {
    return JSON.stringify(JSON.parse(name))
  } catch {
    throw new Failure('InvalidRequest', 'The body is not valid JSON.')
  }
}
