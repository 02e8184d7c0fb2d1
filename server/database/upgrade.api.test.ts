import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { mintToken } from '#testkit/mint-token.ts'
import { loadRelease, readRelease, writeSandboxJournal } from '#testkit/release/release-fixture.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { queryOnce } from '#testkit/test-database.ts'
import { migrate } from '../migrate.ts'

/** Runs the current code on the database of an early version, with a payment in progress. */

const release = readRelease()
let app: App
let ran: string[]
let before: { links: number; transactions: number }

beforeAll(async () => {
  app = await startApp(inject('cluster'), {
    now: new Date(new Date(release.made_at).getTime() + 60_000),
    prepare: async ({ ownerUrl, superuserUrl }, directory) => {
      await loadRelease(ownerUrl, superuserUrl, release)
      writeSandboxJournal(join(directory, 'sandbox'), release)
      ran = await migrate(ownerUrl)
    },
  })
  before = { links: release.tables['payment_links']?.length ?? 0, transactions: release.tables['ledger_transactions']?.length ?? 0 }
})
afterAll(() => app.close())

const counted = (table: 'payment_links' | 'ledger_transactions') =>
  app.database.asSystem(async (sql) => {
    const { count } = await sql
      .selectFrom(table)
      .select((select) => select.fn.countAll<bigint>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  })

describe('an upgrade', () => {
  it('runs the migrations since the release, and keeps every row', async () => {
    expect(ran.length).toBeGreaterThan(0)
    expect(ran.some((name) => release.migrations.includes(name))).toBe(false)
    expect(await counted('payment_links')).toBe(before.links)
    expect(await counted('ledger_transactions')).toBe(before.transactions)
    await expectInvariantsHold(app)
  })

  it('completes the payment that was open', async () => {
    const { id, phone, lan, amount } = release.link
    const { user_id: userId } = await app.database.asSystem((sql) =>
      sql.selectFrom('user_phones').select('user_id').where('phone', '=', phone).executeTakeFirstOrThrow(),
    )
    const token = await mintToken(app.database, app.context.config, app.clock.now(), { userId, roles: [] })
    const ongoing = await app.get(`/portal/ongoing-payment?application_id=${lan}`, token)
    expect(ongoing.body['payment_link']).toMatchObject({ payment_link_id: id, status: 'created', amount })
    await app.sandbox(`/links/${id}/pay`, { method: 'upi', outcome: 'success' })
    await until(async () => (await app.get(`/portal/payment-link/status?payment_link_id=${id}`, token)).body['rps_updated'] === true)
    const completed = await app.get(`/portal/completed-payments?application_id=${lan}`, token)
    expect((completed.body['payment_links'] as unknown[])[0]).toMatchObject({ payment_link_id: id, status: 'paid', amount })
    expect(await counted('ledger_transactions')).toBeGreaterThan(before.transactions)
    await expectInvariantsHold(app)
  })
})

describe('the check of a closed loan with credit', () => {
  const migrations = ['0067_credit_by_payment.sql', '0072_credit_after_the_upgrade.sql'].map((name) =>
    readFileSync(join(import.meta.dirname, 'migrations', name), 'utf8'),
  )
  const takenByWorkerBefore = 'delete from loan_follow_ups where next_check_at <= now()'
  const run = (statement: string) => queryOnce(app.databaseUrls.superuserUrl, statement)

  it.each([
    ['after both migrations', [...migrations, takenByWorkerBefore]],
    ['between them', [migrations[0] ?? '', takenByWorkerBefore, migrations[1] ?? '']],
  ])('is left for this version, if a worker of the version before looks %s', async (_when, statements) => {
    await run(
      `insert into payment_reviews (borrower_id, loan_id, review_id, kind, about, found_at)
       select borrower_id, loan_id, gen_random_uuid(), 'credit_on_closed_loan', 'before', now() from loans limit 1`,
    )
    try {
      for (const statement of statements) await run(statement)
      const left = await run(
        `select next_check_at > now() + interval '23 hours' as later
         from loan_follow_ups join payment_reviews using (borrower_id, loan_id) where about = 'before'`,
      )
      expect(left).toEqual([{ later: true }])
    } finally {
      await run(
        `delete from loan_follow_ups where loan_id in (select loan_id from payment_reviews where about = 'before');
         delete from payment_reviews where about = 'before'`,
      )
    }
  })
})

describe('a migration that was released', () => {
  it.each([
    ['0001_foundation.sql', 'f8ce6f0660ade911'],
    ['0002_access.sql', 'f5c7025537a5819d'],
    ['0003_documents_tranches.sql', 'f6673cf326240a5b'],
    ['0003_row_security.sql', 'ea33770824bbd7ee'],
  ])('%s never changes: the next file puts a mistake right', (name, hash) => {
    const text = readFileSync(join(import.meta.dirname, 'migrations', name))
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(hash)
  })
})
