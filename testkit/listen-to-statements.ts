import pg from 'pg'

/** A statement as it is sent to PostgreSQL, with the name under which it is prepared. */
export type SentStatement = { name?: string | null | undefined; text: string; values: readonly unknown[] }

/**
 * Reports every statement that this process sends, also those of a pipeline.
 *
 * @returns a function that ends it.
 */
export function listenToStatements(onStatement: (statement: SentStatement) => void): () => void {
  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first, values = []] = args as [string | SentStatement | { statements: readonly SentStatement[] }, unknown[] | undefined]
    if (typeof first === 'string') onStatement({ text: first, values })
    else if ('statements' in first) for (const statement of first.statements) onStatement(statement)
    else onStatement({ name: first.name, text: first.text, values: first.values ?? values })
    return Reflect.apply(query, this, args) as never
  } as typeof query
  return () => {
    pg.Client.prototype.query = query
  }
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
