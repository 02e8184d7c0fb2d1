import type { HttpRequest } from './http.ts'

/** A refusal with its HTTP status, answered as `{"error":{"description"}}`. */
export class ControlError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Input = Readonly<Record<string, unknown>>

/** The JSON body of a control call; a list stands for `{"faults":[…]}`. */
export function inputOf(request: HttpRequest): Input {
  if (request.body.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(request.body)
    if (Array.isArray(value)) return { faults: value }
    if (typeof value === 'object' && value !== null) return value as Input
  } catch {
    // Said below.
  }
  throw new ControlError(400, 'the body must be a JSON object')
}

export function oneOf<T extends string>(input: Input, field: string, allowed: readonly T[]): T | undefined {
  const value = input[field]
  if (value === undefined) return undefined
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw new ControlError(400, `${field} must be one of ${allowed.join(', ')}`)
  return found
}

export function wholeOf(input: Input, field: string, min: number, max: number): number | undefined {
  const value = input[field]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) {
    return value
  }
  throw new ControlError(400, `${field} must be a whole number from ${min} to ${max}`)
}

export function textOf(input: Input, field: string): string | undefined {
  const value = input[field]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '') throw new ControlError(400, `${field} must be a text`)
  return value
}

/** An http(s) address; undefined when it is not given. */
export function addressOf(input: Input, field: string): string | undefined {
  const value = input[field]
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)) return value
  throw new ControlError(400, `${field} must be an http(s) address`)
}

export function listOf(input: Input, field: string): string[] | undefined {
  const value = input[field]
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value as string[]
  throw new ControlError(400, `${field} must be a list of texts`)
}

/** A duration in seconds; it may be negative. */
export function secondsOf(input: Input, field: string): number | undefined {
  const value = input[field]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= 1e9) return value
  throw new ControlError(400, `${field} must be a number`)
}
