/** Addresses lose what follows their path: a search of staff is somebody's phone or PAN. Their page is enough to know. */
const query = /((?:https?:\/\/|\/)[^\s"'<>?#]*)[?#][^\s"'<>]*/g
const phone = /(?:\+?91[\s-]?)?(?<![\w.-])[6-9]\d{4}[\s-]?\d{5}(?![\w-])/g
const pan = /\b[A-Z]{5}\d{4}[A-Z]\b/gi

/** A value as it may leave the browser: every text in it without queries, phones and PANs. */
export function withoutSecrets<T>(value: T): T
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(query, '$1').replace(pan, '…').replace(phone, '…')
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item as unknown))
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item as unknown)]))
}
