import type { OnStatement } from '../database/statement.ts'
import type { Tracing } from '../observability.ts'

/** Records each statement as a span. Its text has placeholders, never values. */
export function traceStatements(tracing: Tracing): OnStatement {
  return ({ text, milliseconds, failed }) =>
    tracing.recordSpan(nameSpan(text), milliseconds, { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, 1_000) }, failed)
}

/** `insert ledger_entries`: the verb and the first table. */
function nameSpan(text: string): string {
  const [, verb = 'statement'] = /^\s*(\w+)/.exec(text) ?? []
  const [, table] = /\b(?:from|into|update)\s+"?(?:pgboss"?\."?)?(\w+)/i.exec(text) ?? []
  return [verb.toLowerCase(), ...(table ? [table] : [])].join(' ')
}
