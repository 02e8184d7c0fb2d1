import type pg from 'pg'

/**
 * Look-ups of borrowers by another key. They stay on the coordinator, and Citus knows of them: it
 * commits their rows together with those of the borrower's node, so that none can be lost.
 */
const lookUpTables: Readonly<Record<string, string>> = {
  user_phones: 'the way from a phone to its person, at sign-in',
  loan_numbers: 'the way from a loan number to its borrower, for the operator and for new loans',
  payment_references: 'the way from our reference to its borrower; webhooks come with nothing else',
  autopay_references: 'the way from our reference of a mandate or a debit to its borrower; webhooks come with nothing else',
  document_codes: 'the way from the code printed in a document to the document',
  bank_references: 'by the bank’s reference, which is unique over all borrowers',
}

/** Other tables without rows of one borrower: they are the coordinator's own. */
const ownTables: Readonly<Record<string, string>> = {
  schema_migrations: 'one row a migration',
  sign_in_codes: 'before anybody is known, by the hash of a token',
  sign_in_phones: 'before anybody is known, by phone',
  sign_in_addresses: 'unused; the next release drops it',
  sign_in_networks: 'before anybody is known, by network',
  sign_in_breaker: 'one row for all of the portal',
  sign_in_budgets: 'a counter for all of the portal',
  user_search_words: 'the words of the staff’s search',
  webhook_inbox: 'a queue by the provider’s event id; the borrower is known after it was read',
  settlements: 'by the provider’s settlement id; nobody’s in particular',
  settlement_lines: 'by the provider’s settlement id; the borrower is known after it was matched',
  reconciliation_runs: 'one row a day',
  audit_anchors: 'one row a day',
  due_soon_runs: 'unused; the next release drops it',
  daily_runs: 'one row a day and kind of work',
  benchmarks: 'a few rows, for all borrowers',
  rate_reset_runs: 'one row a run',
  rate_reset_previews: 'one row a run that is previewed, and day',
  leases: 'one row for each kind of background work',
  installation: 'one row',
}

/** The tables of the coordinator, each with its reason. */
export const localTables: Readonly<Record<string, string>> = { ...lookUpTables, ...ownTables }

/** A few rows that every node has. */
export const referenceTables: Readonly<Record<string, string>> = { loan_products: 'a few rows, joined with loans' }

/** The column that names the borrower, where it is not `borrower_id`. */
const otherKeys: Readonly<Record<string, string>> = {
  users: 'user_id',
  sessions: 'user_id',
  staff_searches: 'user_id',
  sign_in_devices: 'user_id',
  access_log: 'subject_id',
  access_log_heads: 'subject_id',
  audit_anchor_heads: 'subject_id',
}

/** The column by which a table is distributed: it names whose rows they are. */
export const distributionColumnOf = (table: string): string => otherKeys[table] ?? 'borrower_id'

/** Whether this database is the coordinator of distributed tables. */
export async function hasDistributedTables(client: pg.Client): Promise<boolean> {
  const { rows: installed } = await client.query("select from pg_extension where extname = 'citus'")
  if (installed.length === 0) return false
  const { rows } = await client.query("select from pg_dist_partition where logicalrelid = to_regclass('users')")
  return rows.length > 0
}

/** The tables that Citus should know, and does not. */
export async function findUndistributedTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and oid not in (select logicalrelid from pg_dist_partition)
    order by relname <> 'users', relname`)
  return rows.map(({ name }) => name).filter((name) => !(name in ownTables))
}

/**
 * Distributes the tables of a migrated database over the nodes of its Citus cluster, with their
 * rows, each borrower's on one node. Repeatable: it takes the tables that are not distributed yet.
 *
 * @param client the owning login, on the coordinator, with every process stopped.
 * @param options `shards` is the number of parts of each table; it does not change later.
 * `onProgress` is called before every table.
 * @returns the names of the tables that it distributed.
 * @throws Error if Citus is missing or has no nodes; each table is distributed whole or not at all.
 */
export async function distributeTables(
  client: pg.Client,
  { shards, onProgress = () => {} }: { shards: number; onProgress?: (tablesDone: number, tablesAll: number) => void },
): Promise<string[]> {
  const { rows: nodes } = await client
    .query<{ count: number }>('select count(*)::int as count from citus_get_active_worker_nodes()')
    .catch((error: unknown) => {
      throw new Error('The database has no Citus: a superuser creates the extension and adds the nodes (docs/scale.md)', { cause: error })
    })
  if ((nodes[0]?.count ?? 0) === 0) throw new Error('The cluster has no nodes: a superuser adds them by citus_add_node (docs/scale.md)')
  await client.query("select set_config('citus.shard_count', $1, false)", [String(shards)])
  const undistributed = await findUndistributedTables(client)
  for (const [done, table] of undistributed.entries()) {
    onProgress(done, undistributed.length)
    if (table in lookUpTables) await client.query('select citus_add_local_table_to_metadata($1::regclass)', [table])
    else if (table in referenceTables) await client.query('select create_reference_table($1::regclass)', [table])
    else
      await client.query('select create_distributed_table($1::regclass, $2, colocate_with => $3)', [
        table,
        distributionColumnOf(table),
        table === 'users' ? 'none' : 'users',
      ])
  }
  return undistributed
}
