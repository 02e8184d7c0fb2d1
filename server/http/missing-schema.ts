import { sql as raw } from 'kysely'
import { nameDeadLetter, jobSchemaVersion, queues } from '../jobs/queues.ts'
import type { Sql } from '../database/connect.ts'
import { migrationNames } from '../migrate.ts'

const namesOfThisVersion = migrationNames()

/**
 * Lists what the database lacks of this version's schema: migrations, the version of the job
 * tables, queues. Empty if this version can serve. Runs as the serving login.
 */
export async function findMissingSchema(sql: Sql): Promise<string[]> {
  const tables = await raw<{ migrations: boolean; jobs: boolean }>`
    select coalesce(has_table_privilege(to_regclass('public.schema_migrations'), 'select'), false) as migrations,
      coalesce(has_table_privilege(relations.oid, 'select'), false) as jobs
    from (values (1)) as one left join (
      select pg_class.oid from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = 'pgboss' and relname = 'version'
    ) as relations on true`.execute(sql)
  const { migrations: hasMigrations = false, jobs: hasJobs = false } = tables.rows[0] ?? {}
  const names = hasMigrations ? (await sql.selectFrom('schema_migrations').select('name').execute()).map(({ name }) => name) : []
  const applied = new Set(names)
  const pending = namesOfThisVersion.filter((name) => !applied.has(name))
  return [...pending, ...(hasJobs ? await findMissingJobSchema(sql) : ['job tables'])]
}

async function findMissingJobSchema(sql: Sql): Promise<string[]> {
  const { version } = await sql.selectFrom('pgboss.version').select('version').executeTakeFirstOrThrow()
  if (version !== jobSchemaVersion) return [`job tables of version ${jobSchemaVersion} (they have ${version})`]
  const existing = new Set((await sql.selectFrom('pgboss.queue').select('name').execute()).map(({ name }) => name))
  return queues
    .flatMap(({ name }) => [name, nameDeadLetter(name)])
    .filter((name) => !existing.has(name))
    .map((name) => `queue ${name}`)
}
