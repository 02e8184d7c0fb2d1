import type { FastifyInstance } from 'fastify'
import { Failure } from './failure.ts'

/** Limits of one query string. Node limits the request line and all headers together to 16 KB. */
const charactersMax = 8_192
const parametersMax = 100

type Query = Record<string, string | string[]>

/**
 * Queries over a limit. They are not parsed, because the router parses before any hook can refuse.
 */
const oversizedQueries = new WeakSet<object>()

/**
 * Parses a query in linear time. The result has no prototype. A repeated parameter becomes an array
 * of its first two values, which {@link refuseArrayParameters} refuses.
 */
export function parseQuery(text: string): Query {
  const query: Query = Object.create(null)
  if (isOversized(text)) {
    oversizedQueries.add(query)
    return query
  }
  for (const [name, value] of splitPairs(text)) {
    const earlier = query[name]
    if (earlier === undefined) query[name] = value
    else if (typeof earlier === 'string') query[name] = [earlier, value]
  }
  return query
}

/** Most queries are unescaped; splitting them is ten times cheaper than URLSearchParams. */
const splitPairs = (text: string): Iterable<[name: string, value: string]> =>
  /^\w+=[\w.:~-]*$/.test(text) ? [text.split('=') as [string, string]] : new URLSearchParams(text)

function isOversized(text: string): boolean {
  if (text.length > charactersMax) return true
  let parameters = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) if (++parameters > parametersMax) return true
  return false
}

/** Answers 400 to a query over a limit, on every path and before any other work. */
export function refuseOversizedQueries(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!oversizedQueries.has(request.query as object)) return done()
    done(
      new Failure(
        'InvalidRequest',
        `The query must have at most ${parametersMax} parameters and ${charactersMax} characters. Please send fewer.`,
        { field: 'query' },
      ),
    )
  })
}

/**
 * Refuses repeated (`a=1&a=2`) and array (`a[]=1`, `a[0]=1`) parameters, including unknown ones
 * (decision 28).
 *
 * @throws Failure InvalidRequest naming the parameter.
 */
export function refuseArrayParameters(query: unknown): void {
  for (const [name, value] of Object.entries(query as Query)) {
    const bracket = name.indexOf('[')
    if (typeof value === 'string' && bracket === -1) continue
    const field = (bracket === -1 ? name : name.slice(0, bracket)).slice(0, 64)
    throw new Failure('InvalidRequest', `${field || 'query'} must be given once, as a single value.`, { field: field || 'query' })
  }
}
