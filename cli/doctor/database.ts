import pg from 'pg'
import { readMoneyFigures } from '#server/telemetry/figures-store.ts'
import { createStorage } from '#server/adapters/object-storage/create-storage.ts'
import type { Config } from '#server/config/config.ts'
import { readDatabaseIdentity, identityText, checkOwnership, readOwnerMarker } from '#server/documents/bucket-owner.ts'
import { findMissingSchema } from '#server/http/missing-schema.ts'
import type { DatabaseContext } from '#cli/database-context.ts'
import { citusFindings } from './citus.ts'
import { clockFinding, connectionFinding, logArchiveFinding, type Finding } from './finding.ts'

const versionMin = 150_000
/** Older work is a finding: a worker takes it within seconds. */
const waitingSecondsMax = 300

export async function databaseFindings({ database, databaseUrl, clock }: DatabaseContext, config: Config): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ empty: boolean }>("select to_regclass('schema_migrations') is null as empty")
    if (rows[0]?.empty) return [{ state: 'wrong', about: 'migrations', message: 'none ran, the database is empty: run kist migrate' }]
    const { facts, millisecondsAhead } = await readFacts(client)
    const missing = await database.asSystem(findMissingSchema)
    if (missing.length > 0)
      return [
        {
          state: 'wrong',
          about: 'migrations',
          message: `${missing.join(', ')} did not run: run kist migrate; until then no process is ready`,
        },
      ]
    const figures = await database.asSystem((sql) => readMoneyFigures(sql, clock.now()))
    const reviews = figures.reviewsOpen.reduce((sum, { count }) => sum + count, 0)
    const dead = figures.jobs.filter(({ state }) => state === 'dead').reduce((sum, { count }) => sum + count, 0)
    return [
      Number(facts.version) < versionMin
        ? { state: 'wrong', about: 'database', message: `PostgreSQL ${facts.version_text} is too old: 15 or newer` }
        : { state: 'ok', about: 'database', message: `PostgreSQL ${facts.version_text}` },
      connectionFinding(client.host, facts.is_encrypted),
      ...(await citusFindings(client, config)),
      clockFinding('the database', millisecondsAhead),
      facts.is_superuser || facts.owned > 0
        ? {
            state: 'wrong',
            about: 'database logins',
            message: `${facts.login} ${facts.is_superuser ? 'is a superuser' : `owns ${facts.owned} tables`}: DATABASE_URL must be a login that owns nothing`,
          }
        : { state: 'ok', about: 'database logins', message: `${facts.login} serves and owns nothing` },
      { state: 'ok', about: 'migrations', message: `${facts.migrations.length} ran, none is pending` },
      logArchiveFinding(figures.logArchive, config.production),
      await bucketFinding(database, config.documents),
      figures.captureOldestSeconds > waitingSecondsMax || figures.inboxOldestSeconds > waitingSecondsMax
        ? {
            state: 'wrong',
            about: 'money',
            message: `${figures.capturesUnposted} payments and ${figures.inboxOpen} events wait for longer than five minutes: is a worker running?`,
          }
        : {
            state: 'ok',
            about: 'money',
            message: `${figures.capturesUnposted} payments wait for the ledger, ${figures.inboxOpen} events for a worker`,
          },
      reviews > 0
        ? { state: 'warning', about: 'reviews', message: `${reviews} differences wait for a person: kist review list` }
        : { state: 'ok', about: 'reviews', message: 'none is open' },
      dead > 0
        ? { state: 'warning', about: 'jobs', message: `${dead} failed after all retries: kist jobs list` }
        : { state: 'ok', about: 'jobs', message: 'none has failed' },
    ]
  } finally {
    await client.end()
  }
}

/** Both sides: the owner that the bucket names, and this database. */
async function bucketFinding(database: DatabaseContext['database'], { storage }: Config['documents']): Promise<Finding> {
  const identity = await database.asSystem(readDatabaseIdentity)
  const mark = await readOwnerMarker(await createStorage(storage))
  const sides = `the bucket belongs to ${mark ? `${identityText(mark.identity)}, claimed by ${mark.claimedBy} at ${mark.claimedAt}` : 'nobody'}; this is ${identityText(identity)}`
  return checkOwnership(mark, identity) === 'own'
    ? { state: 'ok', about: 'bucket owner', message: sides }
    : {
        state: 'wrong',
        about: 'bucket owner',
        message: `${sides}: the storage sweep is stopped. If no other database uses the bucket: kist bucket claim`,
      }
}

type Facts = {
  is_encrypted: boolean
  version: string
  version_text: string
  login: string
  is_superuser: boolean
  owned: number
  migrations: string[]
}

async function readFacts(client: pg.Client): Promise<{ facts: Facts; millisecondsAhead: number }> {
  const askedAt = Date.now()
  const clocks = await client.query<{ now: string }>('select extract(epoch from clock_timestamp())::text as now')
  const millisecondsAhead = Number(clocks.rows[0]?.now) * 1_000 - (askedAt + Date.now()) / 2
  const { rows } = await client.query<Facts>(`
    select coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as is_encrypted,
      current_setting('server_version_num') as version, current_setting('server_version') as version_text, current_user as login,
      (select rolsuper from pg_roles where rolname = current_user) as is_superuser,
      (select count(*)::int from pg_tables where tableowner = current_user and schemaname in ('public', 'pgboss')) as owned,
      (select coalesce(array_agg(name), '{}') from schema_migrations) as migrations`)
  const [facts] = rows
  if (!facts) throw new Error('the database did not answer')
  return { facts, millisecondsAhead }
}
