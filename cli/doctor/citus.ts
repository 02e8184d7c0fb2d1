import type pg from 'pg'
import type { Config } from '#server/config/config.ts'
import { findUndistributedTables, hasDistributedTables } from '#server/database/distribute.ts'
import type { Finding } from './finding.ts'

/** The versions with which the tests have run. */
const testedVersions = /^13\.2/

/** What distributed tables need: the setting, the nodes, the tables, the access on each node. */
export async function citusFindings(client: pg.Client, { database }: Pick<Config, 'database'>): Promise<Finding[]> {
  const isDistributed = await hasDistributedTables(client)
  if (!isDistributed && !database.isDistributed) return []
  const finding = (state: Finding['state'], message: string): Finding => ({ state, about: 'citus', message })
  if (!isDistributed) return [finding('wrong', 'KIST_CITUS is on, and the tables are not distributed: run kist distribute')]
  if (!database.isDistributed)
    return [finding('wrong', 'the tables are distributed, and KIST_CITUS is off: borrowers would see nothing. Set KIST_CITUS=on')]
  return [
    await versionFinding(client, finding),
    await nodesFinding(client, finding),
    await tablesFinding(client, finding),
    await accessFinding(client, finding),
  ]
}

type MakeFinding = (state: Finding['state'], message: string) => Finding

async function versionFinding(client: pg.Client, finding: MakeFinding): Promise<Finding> {
  const { rows } = await client.query<{ version: string }>("select extversion as version from pg_extension where extname = 'citus'")
  const version = rows[0]?.version ?? ''
  // Asking the server whether it has the fix would cause the crash.
  const crash =
    'without the fix in docs/scale.md, a statement of your own as kist_app that joins a local with a distributed table ends the coordinator'
  return testedVersions.test(version)
    ? finding('warning', `Citus ${version}; ${crash}`)
    : finding('warning', `Citus ${version} is not tested with Kist, 13.2 is; ${crash}`)
}

async function nodesFinding(client: pg.Client, finding: MakeFinding): Promise<Finding> {
  const { rows } = await client.query<{ node: string; success: boolean }>(
    "select nodename || ':' || nodeport as node, success from run_command_on_workers('select 1')",
  )
  const away = rows.filter(({ success }) => !success).map(({ node }) => node)
  return away.length > 0
    ? finding('wrong', `${away.join(', ')} of ${rows.length} nodes do not answer: their borrowers get 503`)
    : finding('ok', `${rows.length} nodes answer`)
}

async function tablesFinding(client: pg.Client, finding: MakeFinding): Promise<Finding> {
  const undistributed = await findUndistributedTables(client)
  return undistributed.length > 0
    ? finding('wrong', `not distributed: ${undistributed.join(', ')}: run kist distribute`)
    : finding('ok', 'every table of borrowers is distributed')
}

/** A transaction that is set to a person must reach that person's row, and no other. */
async function accessFinding(client: pg.Client, finding: MakeFinding): Promise<Finding> {
  await client.query('begin')
  try {
    await client.query("set local citus.propagate_set_commands = 'local'")
    await client.query("select set_access('', 'on')")
    const { rows } = await client.query<{ user_id: string }>('select user_id from users limit 1')
    const userId = rows[0]?.user_id
    if (userId === undefined) return finding('ok', 'nobody is registered yet, so the access on the nodes was not tried')
    await client.query("select set_access($1, 'off')", [userId])
    const { rows: reached } = await client.query<{ count: string; own: string }>(
      'select count(*), count(*) filter (where user_id = $1) as own from users',
      [userId],
    )
    return reached[0]?.count === '1' && reached[0].own === '1'
      ? finding('ok', 'each node keeps to row-level security')
      : finding('wrong', `the nodes answer ${reached[0]?.count} people to one: row-level security does not hold there. Stop the portal`)
  } finally {
    await client.query('rollback')
  }
}
