import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { recordStatements, type SentStatement } from '#testkit/listen-to-statements.ts'
import { mintToken } from '#testkit/mint-token.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'

/**
 * Proves that the schema can be distributed by borrower, and that each payment stays on one machine
 * (docs/scale.md).
 */

/**
 * Tables that are replicated, or on one machine: they are read by another key than the borrower.
 */
const lookUps: Record<string, string> = {
  schema_migrations: 'one row a migration',
  loan_products: 'a few rows, the same everywhere',
  user_phones: 'the way from a phone to its person, at sign-in',
  loan_numbers: 'the way from a loan number to its borrower, for the operator and for new loans',
  payment_references: 'the way from our reference to its borrower; webhooks come with nothing else',
  autopay_references: 'the way from our reference of a mandate or a debit to its borrower; webhooks come with nothing else',
  document_codes: 'the way from the code printed in a document to the document',
  sign_in_codes: 'before anybody is known, by the hash of a token',
  sign_in_phones: 'before anybody is known, by phone',
  sign_in_addresses: 'before anybody is known, by address',
  sign_in_networks: 'before anybody is known, by network',
  sign_in_breaker: 'one row for all of the portal',
  sign_in_budgets: 'a counter for all of the portal',
  user_search_words: 'the words of the staff’s search',
  webhook_inbox: 'a queue by the provider’s event id; the borrower is known after it was read',
  settlements: 'by the provider’s settlement id; nobody’s in particular',
  settlement_lines: 'by the provider’s settlement id; the borrower is known after it was matched',
  reconciliation_runs: 'one row a day',
  audit_anchors: 'one row a day',
  audit_anchor_heads: 'by the day of its anchor',
  due_soon_runs: 'one row a day',
  daily_runs: 'one row a day and kind of work',
  benchmarks: 'a few rows, for all borrowers',
  rate_reset_runs: 'one row a run',
  bank_references: 'by the bank’s reference, which is unique over all borrowers',
  leases: 'one row for each kind of background work',
  installation: 'one row',
}
/** The borrower column where it is not `borrower_id`. */
const shardKeys: Record<string, string> = {
  users: 'user_id',
  staff_searches: 'user_id',
  sessions: 'user_id',
  sign_in_devices: 'user_id',
  access_log: 'subject_id',
  access_log_heads: 'subject_id',
}
const keyOf = (table: string) => shardKeys[table] ?? 'borrower_id'

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
  it(
    'names a single borrower in every statement: the offer, a link, the webhook, the posting, the status',
    { timeout: 60_000 },
    async () => {
      const { borrower_id: borrowerId, lan } = await app.database.asSystem((sql) =>
        sql
          .selectFrom('user_phones')
          .innerJoin('loans', 'loans.borrower_id', 'user_phones.user_id')
          .select(['borrower_id', 'lan'])
          .where('phone', '=', demoPhone(1))
          .executeTakeFirstOrThrow(),
      )
      const token = await mintToken(app.database, app.context.config, app.clock.now(), { userId: borrowerId, roles: [] })
      const statements = await recordStatements(async () => {
        const byWebhook = await paidLink(token, lan)
        await until(() => isApplied(borrowerId, byWebhook), 20_000)
        const byPoll = await paidLink(token, lan)
        await until(
          async () => (await app.get(`/portal/payment-link/status?payment_link_id=${byPoll}`, token)).body['rps_updated'] === true,
        )
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
    },
  )

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
  const schedule = await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
  const { next_emi_payment } = schedule.body['allowed_payments'] as { next_emi_payment: { amount: number } }
  const callback_url = 'http://localhost:3000/payments/waiting-for-payment'
  const request = { amount: next_emi_payment.amount, purpose: 'PAY_EMI', lead_id: lan, application_id: lan, callback_url }
  const { status, body } = await app.post('/portal/payment-link', request, token)
  expect(status).toBe(200)
  const id = String(body['payment_link_id'])
  await app.sandbox(`/links/${id}/pay`, { method: 'upi', outcome: 'success' })
  return id
}
