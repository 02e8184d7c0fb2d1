import { useEffect } from 'react'
import type * as z from 'zod/mini'
import { forgetTyped, readStored, storageKeys, writeStored } from '#web/storage.ts'
import { parseStoredJson } from '#web/stored-json.ts'
import { getIdentity } from './claims.ts'
import { getSession } from './session.ts'

// What is typed in the open dialog, in this tab: its person finds it again after a reload, and
// after the sign-in that follows the end of a session.

/** Whose entry it is and where it was typed, in front of the entry; null if nobody is signed in. */
function buildMark(place: string): string | null {
  const owner = getIdentity(getSession().claims)
  return owner && `${owner}\n${place}\n`
}

/** Replaces what was typed elsewhere: one dialog is open at a time. */
export function rememberTyped(place: string, entry: object): void {
  const mark = buildMark(place)
  if (mark !== null) writeStored(storageKeys.typed, mark + JSON.stringify(entry), 'sessionStorage')
}

/** What this person typed at this place; null if that is nothing. */
export function readTyped<Entry>(place: string, schema: z.ZodMiniType<Entry>): Entry | null {
  const mark = buildMark(place)
  const stored = readStored(storageKeys.typed, 'sessionStorage')
  return mark !== null && stored?.startsWith(mark) ? parseStoredJson(schema, stored.slice(mark.length)) : null
}

/**
 * Keeps what is typed in the dialog that calls it. Closed, sent or left, it is forgotten; not by a
 * reload, which runs no cleanup, nor by the end of the session.
 */
export function useKeptTyped(place: string, entry: object): void {
  useEffect(() => rememberTyped(place, entry))
  useEffect(
    () => () => {
      if (getSession().claims !== null) forgetTyped()
    },
    [],
  )
}
