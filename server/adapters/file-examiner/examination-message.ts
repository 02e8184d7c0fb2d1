import * as z from 'zod/mini'
import { fileRefusalReasons } from '#domain/documents.ts'
import { piecesMax, type Examination } from './file-examiner.ts'

/** A longer answer is not read, and the examining process is killed. */
export const answerCharactersMax = 131_072

const position = z.int().check(z.nonnegative())
const range = z.strictObject({ from: position, to: position }).check(z.refine(({ from, to }) => from < to))
const inserted = z.strictObject({ hex: z.string().check(z.regex(/^([0-9a-f]{2}){1,64}$/)) })

const message = z.union([
  z.strictObject({
    kind: z.literal('accepted'),
    pieces: z.nullable(z.array(z.union([range, inserted])).check(z.minLength(1), z.maxLength(piecesMax))),
  }),
  z.strictObject({ kind: z.literal('refused'), reason: z.enum(fileRefusalReasons) }),
])

/**
 * Parses the answer of the examining process; null for anything else, because the process is as
 * untrusted as the file.
 */
export function readAnswer(line: string): Examination | null {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    // The caller treats null as a missing answer.
    return null
  }
  return message.safeParse(json).data ?? null
}
