import * as z from 'zod/mini'
import { amount, rupeesMax } from '#contract/amount.ts'
import { day, instant } from '#contract/day.ts'
import type { Endpoint } from '#contract/endpoint.ts'

/** Writes a value as JSON, or throws if it breaks the contract. */
type JsonWriter = (value: unknown) => string

/**
 * Builds a function that writes the answers of a call as JSON and checks them against the contract:
 * the work of `z.encode` and `JSON.stringify`, prepared once per call instead of once per answer.
 * `z.encode` handles the schema kinds that are not known here.
 *
 * @returns a function that throws if an answer breaks the contract, which is a defect.
 */
export function createSerializer({ response }: Pick<Endpoint, 'response'>): JsonWriter {
  return createWriter(response)
}

function createWriter(schema: z.core.$ZodType): JsonWriter {
  const whole = writers.get(schema)
  if (whole) return whole
  const { def } = schema._zod as unknown as { def: Definition }
  if (def.checks && def.checks.length > 0) return encoded(schema)
  switch (def.type) {
    case 'object':
      return def.catchall ? encoded(schema) : createObjectWriter(def.shape)
    case 'array':
      return createArrayWriter(createWriter(def.element))
    case 'nullable':
      return nullable(createWriter(def.innerType))
    case 'string':
      return def.format === undefined ? text : encoded(schema)
    case 'number':
      return def.format === undefined ? number : def.format === 'safeint' ? integer : encoded(schema)
    case 'boolean':
      return boolean
    case 'enum':
      return createOneOfWriter(Object.values(def.entries))
    case 'literal':
      return createOneOfWriter(def.values)
    default:
      return encoded(schema)
  }
}

type Definition = { checks?: unknown[] } & (
  | { type: 'object'; shape: Record<string, z.core.$ZodType>; catchall?: unknown }
  | { type: 'array'; element: z.core.$ZodType }
  | { type: 'nullable' | 'optional'; innerType: z.core.$ZodType }
  | { type: 'string' | 'number'; format?: string }
  | { type: 'enum'; entries: Record<string, string | number> }
  | { type: 'literal'; values: unknown[] }
  | { type: 'boolean' | 'unknown' }
)

const refuse = (expected: string): never => {
  throw new TypeError(`The answer breaks its contract: ${expected} is expected`)
}

const text: JsonWriter = (value) => (typeof value === 'string' ? JSON.stringify(value) : refuse('a string'))
const number: JsonWriter = (value) => (typeof value === 'number' && Number.isFinite(value) ? String(value) : refuse('a number'))
const integer: JsonWriter = (value) => (Number.isSafeInteger(value) ? String(value) : refuse('a whole number'))
const boolean: JsonWriter = (value) => (typeof value === 'boolean' ? String(value) : refuse('true or false'))

/** The text of each number of paise after the rupees: '', .01, …, .1, …, .99. */
const paiseTexts = Array.from({ length: 100 }, (_, paise) => String(paise / 100).slice(1))
/** Writes rupees: a schedule has a thousand amounts, and the text of a fraction takes long. */
const amountText: JsonWriter = (value) => {
  if (typeof value !== 'bigint') return refuse('an amount')
  const paise = Number(value)
  if (paise < 0 || paise > rupeesMax * 100) return refuse('an amount within the contract’s range')
  const rest = paise % 100
  return `${(paise - rest) / 100}${paiseTexts[rest]}`
}
const dayText: JsonWriter = (value) => (typeof value === 'string' && z.core.regexes.date.test(value) ? `"${value}"` : refuse('a day'))
const instantText: JsonWriter = (value) => (value instanceof Date ? `"${value.toISOString()}"` : refuse('a time'))

/** Writers of the contract's own types, which occur hundreds of times in one answer. */
const writers = new Map<z.core.$ZodType, JsonWriter>([
  [amount, amountText],
  [day, dayText],
  [instant, instantText],
])

const nullable =
  (write: JsonWriter): JsonWriter =>
  (value) =>
    value === null ? 'null' : write(value)

const createArrayWriter =
  (write: JsonWriter): JsonWriter =>
  (value) => {
    if (!Array.isArray(value)) return refuse('a list')
    let json = '['
    for (let index = 0; index < value.length; index += 1) json += (index === 0 ? '' : ',') + write(value[index])
    return `${json}]`
  }

function createOneOfWriter(values: readonly unknown[]): JsonWriter {
  const known = new Map(values.map((value) => [value, JSON.stringify(value)]))
  return (value) => known.get(value) ?? refuse(`one of ${[...known.values()].join(', ')}`)
}

/** Omits fields that the contract does not name, as `z.encode` does. */
function createObjectWriter(shape: Record<string, z.core.$ZodType>): JsonWriter {
  const fields = Object.entries(shape).map(([name, schema]) => {
    const { def } = schema._zod as unknown as { def: Definition }
    const isOptional = def.type === 'optional'
    return { name, isOptional, key: `${JSON.stringify(name)}:`, write: createWriter(isOptional ? def.innerType : schema) }
  })
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('an object')
    const given = value as Record<string, unknown>
    let json = '{'
    for (const { name, isOptional, key, write } of fields) {
      const own = given[name]
      if (own === undefined && isOptional) continue
      json += (json.length === 1 ? '' : ',') + key + write(own)
    }
    return `${json}}`
  }
}

const encoded =
  (schema: z.core.$ZodType): JsonWriter =>
  (value) =>
    JSON.stringify(z.encode(schema, value as never)) ?? refuse('a value')
