import { sql as raw } from 'kysely'
import { deadLetterOf, jobSchemaVersion, queues } from '../jobs/queues.ts'
import type { Sql } from '../database/connect.ts'
import { migrationNames } from '../migrate.ts'

const namesOfThisVersion = migrationNames()

/**
 * What the database lacks of the schema that this version needs: migrations, the version of the job tables, and queues. Empty when it
 * can be served. Asked as the serving login.
 */
export async function missingSchema(sql: Sql): Promise<string[]> {
  const tables = await raw<{ migrations: boolean; jobs: boolean }>`
    select coalesce(has_table_privilege(to_regclass('public.schema_migrations'), 'select'), false) as migrations,
      coalesce(has_table_privilege(relations.oid, 'select'), false) as jobs
    from (values (1)) as one left join (
      select pg_class.oid from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = 'pgboss' and relname = 'version'
    ) as relations on true`.execute(sql)
  const { migrations: hasMigrations = false, jobs: hasJobs = false } = tables.rows[0] ?? {}
  const ran = hasMigrations ? (await sql.selectFrom('schema_migrations').select('name').execute()).map(({ name }) => name) : []
  const done = new Set(ran)
  const pending = namesOfThisVersion.filter((name) => !done.has(name))
  return [...pending, ...(hasJobs ? await missingJobSchema(sql) : ['job tables'])]
}

async function missingJobSchema(sql: Sql): Promise<string[]> {
  const { version } = await sql.selectFrom('pgboss.version').select('version').executeTakeFirstOrThrow()
  if (version !== jobSchemaVersion) return [`job tables of version ${jobSchemaVersion} (they have ${version})`]
  const made = new Set((await sql.selectFrom('pgboss.queue').select('name').execute()).map(({ name }) => name))
  return queues
    .flatMap(({ name }) => [name, deadLetterOf(name)])
    .filter((name) => !made.has(name))
    .map((name) => `queue ${name}`)
}
