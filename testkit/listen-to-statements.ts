import pg from 'pg'

/** A statement as it is sent to PostgreSQL, with the name under which it is prepared. */
export type SentStatement = { name?: string | null | undefined; text: string; values: readonly unknown[] }

type Listener = (statement: SentStatement, login: string | undefined) => void
const listeners = new Set<Listener>()
const query = pg.Client.prototype.query
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [first, values = []] = args as [string | SentStatement | { statements: readonly SentStatement[] }, unknown[] | undefined]
  const sent =
    typeof first === 'string'
      ? [{ text: first, values }]
      : 'statements' in first
        ? first.statements
        : [{ name: first.name, text: first.text, values: first.values ?? values }]
  // COPY has no text of a statement.
  const statements = sent.filter(({ text }) => typeof text === 'string')
  for (const listener of listeners) for (const statement of statements) listener(statement, this.user)
  return Reflect.apply(query, this, args) as never
} as typeof query

/**
 * Reports every statement that this process sends, also those of a pipeline, with the login that
 * sends it.
 *
 * @returns a function that ends it.
 */
export function listenToStatements(onStatement: Listener): () => void {
  listeners.add(onStatement)
  return () => void listeners.delete(onStatement)
}

/** The statements that this process sends while `work` runs. */
export async function recordStatements(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const statements: SentStatement[] = []
  const stopListening = listenToStatements((statement) => statements.push(statement))
  try {
    await work()
  } finally {
    stopListening()
  }
  return statements
}
