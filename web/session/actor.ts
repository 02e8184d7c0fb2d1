import * as z from 'zod/mini'
import type { User } from '#contract/auth.ts'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'

/** The staff member behind an assumed session, whose token shows the borrower's person: what is needed to name them, and no more. */
const actor = z.object({ user_id: z.string(), first_name: z.string(), last_name: z.string(), email: z.nullable(z.string()) })
export type Actor = z.output<typeof actor>

export const actorOf = ({ user_id, metadata: { first_name, last_name }, email }: User): Actor => ({ user_id, first_name, last_name, email })

export function rememberActor(kept: Actor | null): void {
  writeStored(storageKeys.actor, kept && JSON.stringify(kept))
}

export function readActor(): Actor | null {
  try {
    const read = z.safeParse(actor, JSON.parse(readStored(storageKeys.actor) ?? 'null'))
    return read.success ? read.data : null
  } catch {
    return null
  }
}
