import fc from 'fast-check'

/** One request of the fuzzer. */
export type FuzzCase = {
  params: Record<string, string>
  query: [name: string, value: string][]
  /** Absent for calls without a body. */
  body?: string
  contentType: string
  caller: 'borrower' | 'staff' | 'assumed' | 'nobody' | 'garbage'
}

type JsonSchema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
}
export type Operation = {
  operationId: string
  parameters?: { name: string; in: 'path' | 'query'; schema: JsonSchema }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, unknown>
}

/** Texts that are known to break programs. */
const hostileTexts = [
  '', ' ', '\u0000', 'a\u0000b', '%', '%%', '_', "'", '"', '\\', '`', ';', '--', '/*', "' or 1=1 --", "'; drop table users; --", '$1', '$$',
  '../', '..\\', '../../etc/passwd', '..%2f..%2f', '.', '..', '/', '//', 'file:///etc/passwd', 'http://127.0.0.1:5432/', '\r\nset-cookie: a=b', '\n', '\t',
  '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '{{7*7}}', '${7*7}', '#{7*7}', '%s%s%s%n', '\u202etxt.exe', '\u2066a\u2069', '🙂', '👩‍👩‍👧‍👦', '\ud800', '\udfff\ud800',
  'ＡＢＣ', '１２３４５６', '१२३४५६', 'İ', 'ß', 'ﬃ', 'é', 'e\u0301', '1e3', '1E400', '0x10', '1_000', '+1', '-0', '-1', '0', '1', '01', '1.0', '1.005', '1.', '.5', 'NaN', 'Infinity', '-Infinity',
  '9007199254740993', '99999999999999999999999', 'true', 'false', 'null', 'undefined', '[]', '{}', '[object Object]', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'CON', 'nul',
  '2026-02-30', '0000-00-00', '0000-01-01', '9999-12-31', '-271821-04-20T00:00:00Z', '2026-12-05T25:61:61Z', '1970-01-01', '+919000000001', '+00000000000000', '9000000001',
  'a'.repeat(65), 'a'.repeat(129), 'a'.repeat(5_000), '%'.repeat(100), '\u0301'.repeat(500),
] // prettier-ignore
const hugeText = 'x'.repeat(1_000_000)

const text = (known: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...hostileTexts), weight: 6 },
    { arbitrary: known.length > 0 ? fc.constantFrom(...known) : fc.uuid(), weight: 6 },
    { arbitrary: fc.string({ unit: 'binary', maxLength: 120 }), weight: 2 },
    { arbitrary: fc.string({ maxLength: 80 }), weight: 1 },
    { arbitrary: fc.integer().map(String), weight: 1 },
    { arbitrary: fc.double().map(String), weight: 1 },
  )

/** Any JSON value; most are values of the type that the schema requires. */
function value(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<unknown> {
  const fitting: fc.Arbitrary<unknown>[] = [text(known)]
  if (schema.enum) fitting.push(fc.constantFrom(...schema.enum))
  if (schema.type === 'number' || schema.type === 'integer')
    fitting.push(fc.constantFrom<unknown>(0, 1, 0.01, 1.005, 5_000, 12_345.67, -1, 1e15, 9e99), fc.integer(), fc.double({ noNaN: true }))
  if (schema.type === 'array') fitting.push(fc.array(text(known), { maxLength: 5 }))
  return fc.oneof(
    { arbitrary: fc.oneof(...fitting), weight: 12 },
    { arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [''], [[]], { $ne: null }, { toString: 1 }, 0, -1), weight: 3 },
    { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 1 },
  )
}

/** Malformed JSON, JSON that is not an object, and JSON that parsers read differently. */
const unusualBodies = ['', ' ', 'null', '[]', '""', '0', 'true', '{', '}', '{"a":1e3}', '{"a":1,"a":2}', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}', '['.repeat(3_000), `{"a":${'['.repeat(50)}`, '\ufeff{}', '{}\u0000', "{'a':1}", '{"a":01}', '{"a":NaN}'] // prettier-ignore

/**
 * Requests of one operation.
 *
 * @param known values that exist in the database, by field name.
 */
export function casesOf(operation: Operation, known: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<FuzzCase> {
  const parametersIn = (location: 'path' | 'query') => (operation.parameters ?? []).filter((parameter) => parameter.in === location)
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  const valuesOf = (name: string, field: JsonSchema) => [...(known[name] ?? []), ...((field.enum as string[] | undefined) ?? [])]
  const query = fc
    .tuple(
      ...parametersIn('query').map(({ name, schema: field }) =>
        fc.array(
          text(valuesOf(name, field)).map((one): [string, string] => [name, one]),
          { minLength: 0, maxLength: 2, size: 'max' },
        ),
      ),
    )
    .map((lists) => lists.map((list, index) => (list.length === 2 && index % 3 !== 0 ? list.slice(0, 1) : list)).flat())
  const extra = fc.oneof(
    { arbitrary: fc.constant<[string, string][]>([]), weight: 8 },
    { arbitrary: fc.tuple(text([]), text([])).map((pair): [string, string][] => [pair]), weight: 1 },
  )
  return fc.record({
    params: fc.record(Object.fromEntries(parametersIn('path').map(({ name, schema: field }) => [name, text(valuesOf(name, field))]))),
    query: fc.tuple(query, extra).map(([own, more]) => [...own, ...more]),
    ...(schema && { body: bodyOf(schema, known) }),
    contentType: fc.oneof(
      { arbitrary: fc.constant('application/json'), weight: 20 },
      {
        arbitrary: fc.constantFrom(
          '',
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data',
          'multipart/form-data; boundary=x',
          'application/json; charset=utf-16',
          'application/json;',
        ),
        weight: 1,
      },
    ),
    caller: fc.oneof(
      { arbitrary: fc.constant('borrower' as const), weight: 6 },
      { arbitrary: fc.constantFrom('staff' as const, 'assumed' as const), weight: 4 },
      { arbitrary: fc.constantFrom('nobody' as const, 'garbage' as const), weight: 1 },
    ),
  })
}

function bodyOf(schema: JsonSchema, known: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<string> {
  const fields = Object.entries(schema.properties ?? {})
  const object = fc.record(
    Object.fromEntries(
      fields.map(([name, field]) => [name, value(field, [...(known[name] ?? []), ...((field.enum as string[] | undefined) ?? [])])]),
    ),
    { requiredKeys: fields.length === 1 ? fields.map(([name]) => name) : [] },
  )
  return fc.oneof(
    { arbitrary: object.map((content) => JSON.stringify(content)), weight: 40 },
    {
      arbitrary: fc
        .tuple(object, fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }))
        .map(([content, more]) => JSON.stringify({ ...more, ...content })),
      weight: 4,
    },
    { arbitrary: fc.constantFrom(...unusualBodies), weight: 4 },
    { arbitrary: fc.jsonValue().map((any) => JSON.stringify(any)), weight: 1 },
    { arbitrary: fc.constant(JSON.stringify(Object.fromEntries(fields.map(([name]) => [name, hugeText.slice(0, 40_000)])))), weight: 1 },
    ...(fields.length > 0 ? [{ arbitrary: fc.constant(JSON.stringify({ [fields[0]?.[0] ?? '']: hugeText })), weight: 1 }] : []),
  )
}
