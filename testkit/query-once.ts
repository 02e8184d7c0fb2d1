import pg from 'pg'

/** The URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** Runs work on a connection of its own. @returns its result. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Runs one statement on a connection of its own. @returns its rows. */
export const queryOnce = <Row extends pg.QueryResultRow = Record<string, unknown>>(
  url: string,
  statement: string,
  values?: unknown[],
): Promise<Row[]> => withClient(url, async (client) => (await client.query<Row>(statement, values)).rows)
