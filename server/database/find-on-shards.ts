import { sql as raw, type CompiledQuery } from 'kysely'
import pg from 'pg'
import type { Sql } from './connect.ts'
import { encodeParameter } from './statement.ts'

/** A select of one table. Texts and UUIDs are the columns that JSON does not change. */
export type Findable<Row extends Record<string, string>> = { execute(): Promise<Row[]>; compile(): CompiledQuery }

/**
 * Asks each shard of a distributed table by itself, through connections of Citus's own, and leaves
 * out those on nodes that do not answer.
 *
 * @throws Error if no node answers, or if a shard fails for another reason.
 */
export async function findOnShards<Row extends Record<string, string>>(sql: Sql, query: Findable<Row>): Promise<Row[]> {
  const { table, command } = writeShardCommand(query.compile())
  const { rows } = await raw<{ success: boolean; result: string }>`
    select success, result from run_command_on_shards(${table}::regclass, ${command})`.execute(sql)
  const failures = rows.filter(({ success }) => !success).map(({ result }) => result)
  const failure = failures.length === rows.length ? failures[0] : failures.find((result) => !result.startsWith('failed to connect'))
  if (failure !== undefined) throw new Error(`The shards of ${table} could not be asked: ${failure}`)
  return rows.flatMap(({ success, result }) => (success ? (JSON.parse(result) as Row[]) : []))
}

/**
 * Writes a select as a command for `run_command_on_shards`, which replaces `%s` by the name of the
 * shard: with its values, as one JSON array. The shard keeps to row-level security, so
 * the outer select sets the access, for this statement only, before the inner one, which needs its
 * row.
 */
export function writeShardCommand({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): { table: string; command: string } {
  const [from, table] = /\bfrom "(\w+)"/.exec(sql) ?? []
  if (from === undefined || table === undefined) throw new Error(`A select of one table was expected: ${sql}`)
  const [before = '', after = '', ...others] = sql.split(from)
  if (others.length > 0 || / join /.test(sql)) throw new Error(`A select of one table was expected: ${sql}`)
  const complete = (part: string) =>
    part.replaceAll(/\$(\d+)/g, (_, number: string) => literalOf(parameters[Number(number) - 1])).replaceAll('%', '%%')
  return {
    table,
    command: `select coalesce(json_agg(found.*), '[]') from (select set_config('app.system', 'on', true) as system offset 0) as access
      cross join lateral (select * from (${complete(before)}from %s as "${table}"${complete(after)}) as rows where access.system = 'on') as found`,
  }
}

function literalOf(value: unknown): string {
  const text = encodeParameter(value)
  return text === null ? 'null' : pg.escapeLiteral(text)
}
