import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { cloneDatabase } from '#testkit/test-database.ts'

/** The SQL statements of the runbook, run as `kist_owner`, fit the tables. */

const runbook = readFileSync(join(import.meta.dirname, '../docs/runbook.md'), 'utf8')
const blocks = [...runbook.matchAll(/^```sql\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.replaceAll(/^--.*$/gm, '').split(';'))
const inLine = [...runbook.matchAll(/`((?:select|update|delete|insert) [^`]+?);?`/g)].map(([, statement = '']) => statement)
const statements = [...blocks, ...inLine]
  .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
  .filter((statement) => /^(select|update|delete|insert)\b/.test(statement))

let database: Awaited<ReturnType<typeof cloneDatabase>>
let owner: pg.Client
beforeAll(async () => {
  database = await cloneDatabase(inject('cluster'))
  owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.drop()
})

it('are found in the runbook', () => {
  expect(statements.length).toBeGreaterThanOrEqual(6)
})
it.each(statements)('can be run: %s', async (statement) => {
  const { rows } = await owner.query(`explain ${statement.replaceAll("'…'", `'${crypto.randomUUID()}'`)}`)
  expect(rows.length).toBeGreaterThan(0)
})
