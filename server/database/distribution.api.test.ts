import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { recordStatements, type SentStatement } from '#testkit/listen-to-statements.ts'
import { findPersonId } from '#testkit/find-person.ts'
import { mintToken } from '#testkit/mint-token.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { distributionColumnOf, localTables, referenceTables } from './distribute.ts'

/**
 * Proves that the schema can be distributed by borrower, and that each payment stays on one machine
 * (docs/scale.md).
 */

/** Tables that every node has, or the coordinator alone: they are read by another key. */
const lookUps: Readonly<Record<string, string>> = { ...localTables, ...referenceTables }
const keyOf = distributionColumnOf

type Unique = { table: string; name: string; columns: string[] }
let app: App
let uniques: Unique[]
let tables: string[]

beforeAll(async () => {
  // Queues and sweeps over all borrowers run in workers.
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_ROLE: 'web' } })
  const client = new pg.Client({ connectionString: app.databaseUrls.ownerUrl })
  await client.connect()
  const { rows } = await client.query<Unique>(`
    select tables.relname as table, indexes.relname as name,
      (select array_agg(attname::text) from pg_attribute
       where attrelid = tables.oid and attnum = any (pg_index.indkey[0 : indnkeyatts - 1])) as columns
    from pg_index join pg_class as indexes on indexes.oid = indexrelid join pg_class as tables on tables.oid = indrelid
    where tables.relnamespace = 'public'::regnamespace and indisunique order by 1, 2`)
  uniques = rows
  const all = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')",
  )
  tables = all.rows.map(({ name }) => name)
  await client.end()
})
afterAll(() => app.close())

describe('the schema', () => {
  it('has the borrower in every primary key and unique constraint, except in look-up tables', () => {
    const without = uniques.filter(({ table, columns }) => !(table in lookUps) && !columns.includes(keyOf(table)))
    expect(without).toEqual([])
    expect(uniques.filter(({ table }) => !(table in lookUps)).length).toBeGreaterThan(20)
  })
  it('gives every other table its borrower as a UUID, which every row has', async () => {
    const client = new pg.Client({ connectionString: app.databaseUrls.ownerUrl })
    await client.connect()
    const { rows } = await client.query<{ table: string; column: string }>(`
      select relname as table, attname as column from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and atttypid = 'uuid'::regtype and attnotnull`)
    await client.end()
    const has = new Set(rows.map(({ table, column }) => `${table}.${column}`))
    expect(tables.filter((table) => !(table in lookUps) && !has.has(`${table}.${keyOf(table)}`))).toEqual([])
  })
  it('has no trigger, and no sub-select in a policy: Citus refuses them', async () => {
    const client = new pg.Client({ connectionString: app.databaseUrls.ownerUrl })
    await client.connect()
    const triggers = await client.query(
      `select tgrelid::regclass::text from pg_trigger join pg_class on pg_class.oid = tgrelid
       where not tgisinternal and relnamespace = 'public'::regnamespace`,
    )
    const policies = await client.query(
      "select polrelid::regclass::text from pg_policy where coalesce(pg_get_expr(polqual, polrelid), '') || coalesce(pg_get_expr(polwithcheck, polrelid), '') ~* '\\mselect\\M'",
    )
    await client.end()
    expect([triggers.rows, policies.rows]).toEqual([[], []])
  })
  it('gives every table a primary key', () => {
    expect(tables.filter((table) => !uniques.some((unique) => unique.table === table))).toEqual([])
  })
  it('lists each look-up table, and has no foreign key, which would connect rows across machines', async () => {
    expect(Object.keys(lookUps).filter((table) => !tables.includes(table))).toEqual([])
    const client = new pg.Client({ connectionString: app.databaseUrls.ownerUrl })
    await client.connect()
    const foreign = await client.query(
      "select conrelid::regclass::text from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace",
    )
    await client.end()
    expect(foreign.rows).toEqual([])
  })
})

/**
 * The reason why a statement would need several machines, or another one than the borrower's; null
 * if it would not.
 */
function reasonAgainst({ text, values }: SentStatement, borrowerId: string): string | null {
  const named = [...text.matchAll(/(?:from|join|into|update)\s+"?([a-z_]+)"?/gi)].map(([, table]) => (table ?? '').toLowerCase())
  const spread = [...new Set(named)].filter((table) => tables.includes(table) && !(table in lookUps))
  for (const table of spread) {
    const key = keyOf(table)
    const inserted = new RegExp(`insert into "?${table}"?(?: as [a-z]+)? \\(([^)]*)\\)`).exec(text)?.[1]
    if (inserted !== undefined) {
      const place = inserted.split(',').findIndex((column) => column.replaceAll('"', '').trim() === key)
      if (place < 0 || !values.includes(borrowerId)) return `adds to ${table} without its borrower`
      continue
    }
    const equals = [...text.matchAll(new RegExp(`"${key}" = \\$(\\d+)`, 'g'))].map(([, number]) => values[Number(number) - 1])
    const colocated = new RegExp(`"${key}" = "[a-z_]+"\\."[a-z_]+"`).test(text)
    if (equals.length === 0 && !colocated) return `reaches ${table} without naming a borrower`
    if (equals.some((value) => value !== borrowerId)) return `reaches ${table} of ${equals.map(String).join(', ')}`
  }
  return null
}

describe('the money path', () => {
  it('names a single borrower in every statement: the offer, a link, the webhook, the posting, the status', async () => {
    const borrowerId = await findPersonId(app.database, demoPhone(1))
    const { lan } = await app.database.asBorrower(borrowerId, (sql) =>
      sql.selectFrom('loans').select('lan').where('borrower_id', '=', borrowerId).executeTakeFirstOrThrow(),
    )
    const token = await mintToken(app.database, app.context.config, app.clock.now(), { userId: borrowerId, roles: [] })
    const statements = await recordStatements(async () => {
      const byWebhook = await paidLink(token, lan)
      await until(() => isApplied(borrowerId, byWebhook))
      const byPoll = await paidLink(token, lan)
      await until(async () => (await app.get(`/portal/payment-link/status?payment_link_id=${byPoll}`, token)).body['rps_updated'] === true)
      for (const path of ['ongoing-payment', 'completed-payments'])
        expect((await app.get(`/portal/${path}?application_id=${lan}`, token)).status).toBe(200)
      expect((await app.get('/portal/loans-summary', token)).status).toBe(200)
    })
    const added = (table: string) => statements.filter(({ text }) => text.includes(`insert into "${table}"`)).length
    expect([added('payment_links'), added('ledger_transactions') >= 2, added('webhook_inbox') > 0]).toEqual([2, true, true])
    const against = statements.flatMap((statement) => {
      const reason = reasonAgainst(statement, borrowerId)
      return reason === null ? [] : [`${reason}: ${statement.text.slice(0, 400)}`]
    })
    expect([...new Set(against)]).toEqual([])
  })

  it('detects a statement that does not', () => {
    const mine = '0199'
    const of = (text: string, ...values: unknown[]) => reasonAgainst({ text, values }, mine)
    expect(of('select * from "payment_links" where "payment_link_id" = $1', 'plink_1')).toContain('without naming a borrower')
    expect(of('select * from "payment_links" where "borrower_id" = $1', 'another')).toContain('of another')
    expect(of('insert into "receipts" ("loan_id") values ($1)', mine)).toContain('without its borrower')
    expect(of('select * from "loans" where "borrower_id" = $1', mine)).toBeNull()
    expect(of('select * from "loan_numbers" where "lan" = $1', 'KST-1')).toBeNull()
  })
})

/** Does not fetch the link: only the webhook can have caused the change. */
async function isApplied(borrowerId: string, link: string): Promise<boolean> {
  const row = await app.database.asBorrower(borrowerId, (sql) =>
    sql
      .selectFrom('payment_links')
      .select('rps_updated')
      .where('borrower_id', '=', borrowerId)
      .where('payment_link_id', '=', link)
      .executeTakeFirst(),
  )
  return row?.rps_updated === true
}

/**
 * Creates a link for the next instalment and pays it on the provider's page.
 *
 * @returns the link.
 */
async function paidLink(token: string, lan: string): Promise<string> {
  const id = await openLink(app, token, { lan })
  await payLink(app, id)
  return id
}
