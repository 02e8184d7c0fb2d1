import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { distributionColumnOf, localTables, referenceTables } from '#server/database/distribute.ts'
import { listenToStatements } from './listen-to-statements.ts'

/**
 * What Citus refuses, or answers wrongly, of the serving login's statements on distributed tables.
 * Each test that starts a portal or a context keeps these rules; the answers themselves are tested
 * on a cluster (`npm run lab -- citus test`).
 */

const isDistributed = (table: string): boolean =>
  !(table in localTables) && !(table in referenceTables) && !table.startsWith('pg_') && table !== 'information_schema'

const namedTables = (text: string): string[] =>
  [...text.matchAll(/\b(?:from|join|into|update)\s+"?(?:public"?\.)?"?([a-z_]+)"?(?![\w.(])/gi)].map(([, table = '']) =>
    table.toLowerCase(),
  )

/** The tables of the database; other names in a statement are of its parts and of functions. */
const tables: ReadonlySet<string> = new Set(
  [
    ...(
      readFileSync(join(import.meta.dirname, '../server/database/schema.generated.ts'), 'utf8').split('export interface DB {')[1] ?? ''
    ).matchAll(/^ {2}(\w+): /gm),
  ].map(([, name = '']) => name),
)

export function findDistributionFault(text: string): string | null {
  const named = [...new Set(namedTables(text))].filter((table) => tables.has(table))
  const distributed = named.filter(isDistributed)
  if (distributed.length === 0) return null
  const target = /^\s*(?:with\b[^]*?\))?\s*insert into "?([a-z_]+)"?/i.exec(text)?.[1]
  if (target !== undefined && distributed.includes(target) && /\bselect\b/i.test(text) && !/^select\b/i.test(text))
    return `adds to ${target} what a select answers`
  if (/\bfor (?:no key )?(?:update|share)\b/i.test(text) && !namesKey(text, distributed[0] ?? ''))
    return `locks ${distributed.join(', ')} without a borrower`
  // `offset 0` and `materialized` have Citus plan the tables apart.
  const local = named.filter((table) => table in localTables)
  if (local.length > 0 && !/\boffset 0\b|\bas materialized\b/i.test(text)) return `joins ${local.join(', ')} with ${distributed.join(', ')}`
  return null
}

const namesKey = (text: string, table: string): boolean => new RegExp(`"?${distributionColumnOf(table)}"? = \\$`).test(text)

/** The entries that a batch of the audit's anchor stores are copied on the nodes themselves. */
const allowed = /insert into audit_anchor_heads/

/**
 * Watches the statements of the serving login until the returned function is called.
 *
 * @returns a function that ends it, and throws an Error that names each fault.
 */
export function watchDistributionRules(): () => void {
  const faults = new Set<string>()
  const stopListening = listenToStatements(({ text }, login) => {
    if (login !== 'kist_app' || allowed.test(text)) return
    const fault = findDistributionFault(text)
    if (fault !== null) faults.add(`${fault}: ${text.slice(0, 300)}`)
  })
  return () => {
    stopListening()
    if (faults.size > 0) throw new Error(`Statements that Citus refuses:\n${[...faults].join('\n')}`)
  }
}
