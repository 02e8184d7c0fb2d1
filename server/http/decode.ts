import * as z from 'zod/mini'
import { Failure } from './failure.ts'

/**
 * Decodes outside data by its contract. Unknown fields are dropped.
 *
 * @throws Failure InvalidRequest naming the first wrong field and the reason.
 */
export function decode<S extends z.ZodMiniType>(schema: S, input: unknown): z.output<S> {
  // Without its input, an issue of a wrong value does not differ from that of a missing one.
  const result = z.safeDecode(schema, input as z.input<S>, { reportInput: true })
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const field = issue?.path.join('.') || 'body'
  throw new Failure('InvalidRequest', `${field} ${reasonOf(issue)}.`, { field })
}

const typeNames: Readonly<Record<string, string>> = { int: 'a whole number', object: 'an object', array: 'an array' }

/** What is wrong with a field, to follow its name. The input must have been reported with it. */
export function reasonOf(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${typeNames[issue.expected] ?? `a ${issue.expected}`}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`
    case 'too_small':
      return `must be at least ${issue.minimum}${unit(issue.origin)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${unit(issue.origin)}`
    case 'unrecognized_keys':
      return `has the unknown field ${issue.keys.join(', ')}`
    default:
      return issue?.message && issue.message !== 'Invalid input' ? issue.message : 'is not valid'
  }
}

const unit = (origin: string) => (origin === 'string' ? ' characters' : '')
