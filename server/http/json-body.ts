import type { FastifyInstance } from 'fastify'
import { Failure } from './failure.ts'

const depthMax = 20

/**
 * Reads JSON bodies strictly: no exponents (an amount of `1e3` is a mistake, not a thousand), no `__proto__`, no deep
 * nesting. An empty body counts as absent (decision 28).
 */
export function readJsonBodies(app: FastifyInstance): void {
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
  refuseDeepNesting(text)
  try {
    return JSON.parse(text, reviveStrictly as (key: string, value: unknown) => unknown)
  } catch (error) {
    throw error instanceof Failure ? error : new Failure('InvalidRequest', 'The body is not valid JSON.')
  }
}

function reviveStrictly(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key === '__proto__') throw new Failure('InvalidRequest', 'The body has a field that is not allowed.')
  if (typeof value === 'number' && context?.source !== undefined && !/^-?[0-9]+(\.[0-9]+)?$/.test(context.source))
    throw new Failure('InvalidRequest', `${key || 'body'} must be a plain decimal number.`, { field: key || 'body' })
  return value
}

/** Before parsing, since the parser itself would go as deep as the text. Brackets in strings only make it stricter by a little. */
function refuseDeepNesting(text: string): void {
  let depth = 0
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > depthMax) throw new Failure('InvalidRequest', 'The body is nested too deeply.')
  }
}
