/**
 * Checks the shape of a value in an API response and returns its faults. `at` is the value's path.
 */
export type Shape = (value: unknown, at: string) => string[]

const makeShape =
  (what: string, test: (value: unknown) => boolean): Shape =>
  (value, at) =>
    test(value) ? [] : [`${at} is ${formatValue(value)}, not ${what}`]

export const text = makeShape('a text', (value) => typeof value === 'string' && value !== '')
export const flag = makeShape('true or false', (value) => typeof value === 'boolean')
export const number = makeShape('a number', (value) => typeof value === 'number' && Number.isFinite(value))
export const wholeNumber = makeShape('a whole number from 0', (value) => Number.isInteger(value) && Number(value) >= 0)
export const positive = makeShape('a whole number from 1', (value) => Number.isInteger(value) && Number(value) >= 1)
/** Rupees: a JSON number of at most two decimals. */
export const rupees = makeShape(
  'rupees of at most two decimals',
  (value) => typeof value === 'number' && value >= 0 && /^\d+(\.\d{1,2})?$/.test(String(value)),
)
export const day = makeShape(
  'a date',
  (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
)
export const instant = makeShape('an instant in UTC', (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value))
export const webAddress = makeShape(
  'a web address',
  (value) => typeof value === 'string' && /^https?:\/\/./.test(value) && URL.canParse(value),
)

export const oneOf = (...values: readonly string[]): Shape =>
  makeShape(`one of ${values.join(', ')}`, (value) => values.includes(String(value)) && typeof value === 'string')
export const exactly = (wanted: string | number | boolean | null): Shape => makeShape(JSON.stringify(wanted), (value) => value === wanted)
export const matching = (pattern: RegExp): Shape =>
  makeShape(`like ${String(pattern)}`, (value) => typeof value === 'string' && pattern.test(value))

export const nullable =
  (shape: Shape): Shape =>
  (value, at) =>
    value === null ? [] : shape(value, at)

/** A field that the specification calls optional. */
export const optional =
  (shape: Shape): Shape =>
  (value, at) =>
    value === undefined ? [] : shape(value, at)

export const listOf =
  (shape: Shape, least = 0): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) return [`${at} is ${formatValue(value)}, not a list`]
    if (value.length < least) return [`${at} has ${value.length} entries, not ${least} at least`]
    return value.flatMap((entry, index) => shape(entry, `${at}[${index}]`))
  }

/** An object with at least these fields. */
export const object =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is ${formatValue(value)}, not an object`]
    return Object.entries(fields).flatMap(([name, shape]) =>
      shape((value as Record<string, unknown>)[name], at === '' ? name : `${at}.${name}`),
    )
  }

/** A value that fulfils all shapes. */
export const both =
  (...shapes: readonly Shape[]): Shape =>
  (value, at) =>
    shapes.flatMap((shape) => shape(value, at))

function formatValue(value: unknown): string {
  const json = JSON.stringify(value) ?? 'missing'
  return json.length > 60 ? `${json.slice(0, 57)}...` : json
}
