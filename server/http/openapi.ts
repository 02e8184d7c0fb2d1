import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { apiPrefix, idempotencyKeyPattern, type Endpoint } from '#contract/endpoint.ts'
import { accessTable } from '#contract/access.ts'
import { errorCatalogue, type ErrorCode } from '#contract/errors.ts'
import { problem } from '#contract/problem.ts'
import * as contract from '#contract/index.ts'
import type { Config } from '../config/config.ts'
import type { CallName, Row } from './authorize.ts'

type JsonObject = { [name: string]: unknown }

/**
 * Serves the contract as an OpenAPI 3.1 document at `/api/v1/openapi.json`, and outside production
 * a browsable page at `/api/docs` (decision 12).
 */
export async function serveOpenApi(app: FastifyInstance, config: Config): Promise<void> {
  const document = openApiDocument()
  app.get(`${apiPrefix}/openapi.json`, (_request, reply) => reply.header('cache-control', 'no-cache').send(document))
  if (config.production) return
  await app.register(fastifySwagger, { mode: 'static', specification: { document: document as never } })
  await app.register(fastifySwaggerUi, { routePrefix: '/api/docs', staticCSP: true })
}

export function openApiDocument(): JsonObject {
  const paths: Record<string, JsonObject> = {}
  // Sorted, so that two versions of the document can be compared.
  for (const [name, call] of (Object.entries<Endpoint>(contract) as [CallName, Endpoint][]).sort(([one], [other]) =>
    one < other ? -1 : 1,
  ))
    paths[formatPath(call)] = { ...paths[formatPath(call)], [call.method.toLowerCase()]: describeOperation(name, call) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kist',
      version: '1',
      description: 'Loans, payments and access of the servicing portal. Amounts are rupees with at most two decimals.',
    },
    servers: [{ url: apiPrefix }],
    paths,
    components: {
      securitySchemes: { session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Problem: toJsonSchema(problem) },
    },
  }
}

function describeOperation(name: CallName, call: Endpoint): JsonObject {
  return {
    operationId: name,
    summary: call.summary,
    tags: [call.path.split('/')[1]],
    ...(call.access === 'public' ? { security: [] } : { security: [{ session: [] }] }),
    ...(call.access !== 'public' && call.access !== 'session' && { 'x-permission': call.access }),
    'x-whose': accessTable[name].scope,
    ...((call.params ?? call.query ?? call.idempotent) && {
      parameters: [
        ...describeParameters('path', call.params),
        ...describeParameters('query', call.query),
        ...(call.idempotent ? [idempotencyHeader] : []),
      ],
    }),
    ...(call.body && { requestBody: { required: true, content: describeBody(call, call.body) } }),
    responses: {
      ...(call.answers === 'file'
        ? fileResponses
        : { 200: { description: 'Done', content: { 'application/json': { schema: toJsonSchema(call.response) } } } }),
      ...describeRefusals(name, call),
    },
  }
}

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeated request with the same key and body is executed once, and gets the same answer; another body gets 422.',
  schema: { type: 'string', pattern: idempotencyKeyPattern.source },
}

/** A form has text fields and one file. */
function describeBody(call: Endpoint, body: z.ZodMiniType): JsonObject {
  if (call.takes !== 'file') return { 'application/json': { schema: toJsonSchema(body) } }
  const schema = toJsonSchema(body) as { properties?: JsonObject; required?: string[] }
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  return {
    'multipart/form-data': {
      schema: { ...schema, properties: { ...schema.properties, file }, required: [...(schema.required ?? []), 'file'] },
    },
  }
}

const bytes = { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } }
const fileResponses = {
  200: { description: 'The whole file', ...bytes },
  206: { description: 'The requested range of the file', ...bytes },
  416: { description: 'The file has no such range' },
}

const formatPath = (call: Endpoint) => call.path.replace(/:([a-z_]+)/g, '{$1}')

function describeParameters(place: 'path' | 'query', schema: z.ZodMiniType | undefined): JsonObject[] {
  if (!schema) return []
  const { properties = {}, required = [] } = toJsonSchema(schema) as { properties?: Record<string, unknown>; required?: string[] }
  return Object.entries(properties).map(([name, property]) => ({ name, in: place, required: required.includes(name), schema: property }))
}

/** Groups the error codes by status, because OpenAPI allows one response per status. */
function describeRefusals(name: CallName, call: Endpoint): JsonObject {
  const row: Row = accessTable[name]
  const always: ErrorCode[] = [
    'InvalidRequest',
    'Unexpected',
    'Unavailable',
    'Overloaded',
    'TooManyRequests',
    ...(row.needs === 'public' ? [] : (['AuthSessionExpired'] as const)),
    ...(row.needs === 'public' || row.needs === 'session' ? [] : (['PermissionDenied'] as const)),
    ...(row.scope === 'staff' || row.isRefusedWhileAssuming ? (['PermissionDenied'] as const) : []),
    // Another borrower's object, a missing object, or staff who act for nobody.
    ...(row.scope === 'borrower' && !row.isEmptyForNobody ? (['NotFound'] as const) : []),
    // A malformed body is refused by every call that is not GET.
    ...(call.method === 'GET' ? [] : (['UnsupportedMediaType', 'PayloadTooLarge', 'RequestTimeout'] as const)),
  ]
  const byStatus = Map.groupBy(new Set([...always, ...(call.errors ?? [])]), (code) => errorCatalogue[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `${code}: ${errorCatalogue[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  )
}

/** The wire format of a contract value as JSON Schema 2020-12. */
function toJsonSchema(schema: z.ZodMiniType): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject
  return rest
}
