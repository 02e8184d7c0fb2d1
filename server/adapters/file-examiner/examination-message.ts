import * as z from 'zod/mini'
import { fileRefusalReasons } from '#domain/documents.ts'
import { piecesMax, type Examination } from './file-examiner.ts'

/** An answer longer than this is not read: the examining process is ended. */
export const answerCharactersMax = 131_072

const place = z.int().check(z.nonnegative())
const range = z.strictObject({ from: place, to: place }).check(z.refine(({ from, to }) => from < to))
const inserted = z.strictObject({ hex: z.string().check(z.regex(/^([0-9a-f]{2}){1,64}$/)) })

const message = z.union([
  z.strictObject({
    kind: z.literal('accepted'),
    pieces: z.nullable(z.array(z.union([range, inserted])).check(z.minLength(1), z.maxLength(piecesMax))),
  }),
  z.strictObject({ kind: z.literal('refused'), reason: z.enum(fileRefusalReasons) }),
])

/** What the examining process answered, or null for anything else: it is believed no more than the file it looked at. */
export function readAnswer(line: string): Examination | null {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    // Text that is not JSON is no answer, as the caller is told.
    return null
  }
  return message.safeParse(json).data ?? null
}
