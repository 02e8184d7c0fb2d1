import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '#server/database/embedded.ts'
import { migrate } from '#server/migrate.ts'

/**
 * Writes `server/database/schema.generated.ts` from a freshly migrated database. Run it after
 * adding a migration.
 */

const target = join(import.meta.dirname, '../server/database/schema.generated.ts')
const dayColumns = 'value_date|first_due_date|quoted_for|quoted_ahead_for|moratorium_until|[a-z_]+_on'

const directory = mkdtempSync(join(tmpdir(), 'kist-schema-'))
const postgres = await startEmbedded({ directory, durable: false })
try {
  await migrate(postgres.ownerUrl)
  execFileSync(
    join(import.meta.dirname, '../node_modules/.bin/kysely-codegen'),
    ['--dialect', 'postgres', '--url', postgres.ownerUrl, '--out-file', target, '--date-parser', 'string', '--log-level', 'error'],
    { stdio: 'inherit' },
  )
  writeFileSync(target, withOurTypes(readFileSync(target, 'utf8')))
} finally {
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}

/**
 * Money columns are `Paise`, calendar dates `Day`, other int8 columns bigint, as the connection
 * returns them.
 */
function withOurTypes(generated: string): string {
  return generated
    .replace(/^export type Int8 = .*$/m, 'export type Int8 = ColumnType<bigint, bigint, bigint>;')
    .replace(/^( {2}[a-z_]*_paise: (?:Generated<)?)Int8/gm, '$1Paise')
    .replace(new RegExp(`^( {2}(?:${dayColumns}): )string`, 'gm'), '$1Day')
    .replace(
      'import type { ColumnType } from "kysely";',
      'import type { ColumnType } from "kysely";\nimport type { Day } from "#domain/calendar.ts";\nimport type { Paise } from "#domain/money.ts";',
    )
}
