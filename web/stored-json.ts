import * as z from 'zod/mini'
import { readStored } from './storage.ts'

/** Reads a stored JSON value; null if there is none, or it does not fit the schema. */
export function readStoredJson<Value>(schema: z.ZodMiniType<Value>, ...stored: Parameters<typeof readStored>): Value | null {
  try {
    const read = z.safeParse(schema, JSON.parse(readStored(...stored) ?? 'null'))
    return read.success ? read.data : null
  } catch {
    return null
  }
}
