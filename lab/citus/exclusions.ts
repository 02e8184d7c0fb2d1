const dropsSchema = 'drops the schema, and with it what Citus knows of its tables'
const underRowSecurity = 'Citus cannot copy rows for a login under row-level security; imports run as the owner, which is not'

/**
 * Server tests that apply to one PostgreSQL only: `npm run lab -- citus test` does not count their
 * failures. `title` is how the titles of these tests begin.
 */
export const exclusions: readonly { file: string; title: string; reason: string }[] = [
  {
    file: 'server/database/pipeline.api.test.ts',
    title: 'a pipeline that starts with a session',
    reason: 'one PostgreSQL limits the statements by the first of them; on a cluster read-caller.ts reads the session first',
  },
  { file: 'server/database/upgrade.api.test.ts', title: 'could not be run', reason: dropsSchema },
  { file: 'server/migrate.api.test.ts', title: 'migrating an empty database', reason: dropsSchema },
  { file: 'server/schema-behind.api.test.ts', title: 'a server on a database that is empty', reason: dropsSchema },
  {
    file: 'server/schema-behind.api.test.ts',
    title: 'a serving process in production refuses the login',
    reason: 'the logins of the lab have no password that could be printed',
  },
  { file: 'server/database/bulk.api.test.ts', title: 'adds the same rows to a table with row-level', reason: underRowSecurity },
  { file: 'server/database/bulk.api.test.ts', title: 'adds lists, bytes, amounts and nulls', reason: underRowSecurity },
  {
    file: 'server/privacy/privacy.api.test.ts',
    title: 'reads the rows of a person by an index',
    reason: 'the planner of a node is not told to do without reading whole tables, which are small here',
  },
]
