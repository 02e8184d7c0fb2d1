import { ownTexts, ProviderError } from './errors.ts'
import type { HttpRequest } from './http.ts'
import type { Body } from './link-input.ts'

type Nested = { [key: string]: Nested | string | number | boolean }

/** The body of an API call: JSON, a form, or nothing; throws a provider error when unreadable. */
export function parseBody(request: HttpRequest): Body {
  if (request.body.trim() === '') return {}
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('application/x-www-form-urlencoded')) return parseForm(request.body)
  let value: unknown
  try {
    value = JSON.parse(request.body)
  } catch {
    throw new ProviderError(ownTexts.notJson)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProviderError(ownTexts.notJson)
  }
  return value as Body
}

/** `customer[name]=A&amount=100` as nested maps; whole numbers and true/false get their type. */
function parseForm(body: string): Body {
  const root: Nested = Object.create(null) as Nested
  for (const [name, value] of new URLSearchParams(body)) {
    const keys = name.split(/\[|\]\[|\]/).filter((key) => key !== '')
    const last = keys.pop()
    if (last === undefined) continue
    let map = root
    for (const key of keys) {
      const inner = map[key]
      map = map[key] = typeof inner === 'object' ? inner : (Object.create(null) as Nested)
    }
    map[last] = isTyped(keys[0] ?? last) ? typed(value) : value
  }
  return root
}

/** Only these fields are converted: a reference of digits stays a text. */
const typedFields = ['amount', 'first_min_partial_amount', 'expire_by', 'accept_partial', 'upi_link', 'notify', 'reminder_enable']
const isTyped = (field: string): boolean => typedFields.includes(field)

function typed(value: string): string | number | boolean {
  if (/^-?\d{1,16}$/.test(value)) return Number(value)
  if (value === 'true') return true
  if (value === 'false') return false
  return value
}
