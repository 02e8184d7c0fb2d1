import pg from 'pg'
import { assumeRole } from '#contract/permissions.ts'
import { findUsersByIds } from '#server/auth/user-store.ts'
import { searchBorrowers } from '#server/staff/list-users.ts'
import { recordStatements, type SentStatement } from '#testkit/listen-to-statements.ts'
import { parseSearch } from '#server/staff/search.ts'
import { addPerson } from '#testkit/builders.ts'
import { queryOnce } from '#testkit/query-once.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { startTestCluster } from '#testkit/test-database.ts'
import { addBorrowers } from './borrowers.ts'
import { ratio, type Benchmark } from './measure.ts'

/**
 * Two hundred searches over a million borrowers: over HTTP with session, audit and JSON, compared
 * with the same statements by the driver.
 */
export const usersSearchBenchmark: Benchmark = {
  name: 'users-search',
  run: async ({ quick }) => {
    const cluster = await startTestCluster()
    const app = await startApp(cluster, { settings: { KIST_SWEEP_INTERVAL_MS: '600000' } })
    try {
      const borrowers = quick ? 100_000 : 1_000_000
      await addBorrowers(app.databaseUrls.ownerUrl, borrowers, true)
      await addPerson(app.database, app.clock.now(), {
        phone: '+919999999999',
        firstName: 'Bench',
        lastName: 'Mark',
        kind: 'staff',
        roles: [assumeRole],
        permissions: [],
      })
      const token = await app.signIn('+919999999999')
      const searches = await searchesOf(app.databaseUrls.ownerUrl)
      const overHttp = (search: string) => app.get(`/auth/users/all?${new URLSearchParams({ page: '1', page_size: '10', search })}`, token)
      const client = new pg.Client({ connectionString: app.databaseUrls.appUrl })
      await client.connect()
      const statements = new Map<string, SentStatement[]>()
      for (const search of searches) statements.set(search, await searchStatements(app, search))
      const alone = async (search: string) => {
        for (const { text, values } of statements.get(search) ?? []) await client.query(text, [...values])
      }
      const ours = await p95Of(searches, overHttp)
      const floor = await p95Of(searches, alone)
      await client.end()
      return `users-search: ratio ${ratio(ours, floor)} (ours ${ours.toFixed(1)} ms p95 over HTTP, floor ${floor.toFixed(1)} ms p95 of the same SQL through pg, ${borrowers.toLocaleString('en-IN')} borrowers)`
    } finally {
      await app.close()
      await cluster.stop()
    }
  },
}

/**
 * Each search in turn, in four rounds of which the first only warms up; the best time of each
 * search counts, to exclude other load.
 */
async function p95Of(searches: readonly string[], work: (search: string) => Promise<unknown>): Promise<number> {
  const best = new Map<string, number>()
  for (let round = 0; round < 4; round++)
    for (const search of searches) {
      const started = performance.now()
      await work(search)
      if (round > 0) best.set(search, Math.min(best.get(search) ?? Infinity, performance.now() - started))
    }
  const times = [...best.values()].sort((one, other) => one - other)
  return times[Math.floor(times.length * 0.95)] ?? 0
}

/**
 * The statements of a search: its transaction, its scope, the search itself and the people found.
 */
const searchStatements = (app: App, search: string): Promise<SentStatement[]> =>
  recordStatements(() =>
    app.database.asSystem(async (sql) => {
      const { userIds } = await searchBorrowers(sql, parseSearch(search), { limit: 10, offset: 0 }, app.context.config.staff)
      await findUsersByIds(sql, userIds)
    }),
  )

/**
 * Forty each of names, fragments, typos; thirty phones, thirty PANs; twenty without a match. The
 * same every time.
 */
async function searchesOf(ownerUrl: string): Promise<string[]> {
  const rows = await queryOnce<{ first_name: string; last_name: string; phone: string; pan: string }>(
    ownerUrl,
    "select first_name, last_name, phone, pan from users where kind = 'borrower' order by phone limit 400",
  )
  const pick = (from: number, count: number) => rows.slice(from, from + count)
  return [
    ...pick(0, 20).map(({ first_name, last_name }) => `${first_name} ${last_name}`),
    ...pick(20, 20).map(({ last_name }) => last_name),
    ...pick(40, 20).map(({ last_name }) => last_name.slice(1, 4)),
    ...pick(60, 10).map(({ first_name }) => first_name.slice(0, 3)),
    ...pick(70, 10).map(({ first_name }) => first_name.slice(0, 2)),
    ...pick(80, 20).map(({ phone }) => phone.slice(3)),
    ...pick(100, 10).map(({ phone }) => `+91 ${phone.slice(3, 8)} ${phone.slice(8)}`),
    ...pick(110, 20).map(({ pan }) => pan.toLowerCase()),
    ...pick(130, 10).map(({ pan }) => pan.slice(0, 6)),
    // A letter omitted, doubled or changed.
    ...pick(140, 20).map(({ first_name, last_name }) => `${first_name} ${last_name.slice(0, 3)}q${last_name.slice(3)}`),
    ...pick(160, 20).map(({ last_name }) => `${last_name.slice(0, 2)}${last_name.slice(1)}`),
    ...Array.from({ length: 5 }, (_, index) => [`zzzqqq${index}`, `111111111${index}`, `XXXPX000${index}X`, `wxyzwxyz${index}`]).flat(),
  ]
}
