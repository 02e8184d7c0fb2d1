import * as z from 'zod/mini'
import { readStored } from './storage.ts'

/** Reads a stored JSON value; null if there is none, or it does not fit the schema. */
export const readStoredJson = <Value>(schema: z.ZodMiniType<Value>, ...stored: Parameters<typeof readStored>): Value | null =>
  parseStoredJson(schema, readStored(...stored))

/** The value of a stored text; null if it does not fit the schema. */
export function parseStoredJson<Value>(schema: z.ZodMiniType<Value>, text: string | null): Value | null {
  try {
    const read = z.safeParse(schema, JSON.parse(text ?? 'null'))
    return read.success ? read.data : null
  } catch {
    return null
  }
}
