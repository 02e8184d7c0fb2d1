/**
 * Statements that must not run on a database in use, because processes of the previous version are
 * still running (they use dropped or renamed objects and do not fill new ones), or because they
 * hold a lock for as long as a scan of a big table takes. A comment above a statement with `safe:`
 * and a reason allows it.
 */
const dangers: readonly [name: string, pattern: RegExp][] = [
  ['drops what the version before still uses', /\bdrop\s+(table|column|view|function|schema)\b/],
  ['renames what the version before still uses', /\brename\s+(to|column|constraint)\b/],
  ['rewrites a table', /\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/],
  ['reads a whole table under a lock; add a check as not valid, then validate it', /\bset\s+not\s+null\b/],
  [
    'is not filled by the version before; give it a default',
    /\badd\s+column\s+(if\s+not\s+exists\s+)?\S+\s(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/,
  ],
  [
    'reads a whole table under a lock; say not valid, and validate it in the next file',
    /\badd\s+(constraint\s+\S+\s+)?(check|foreign\s+key)\b(?![^;]*\bnot\s+valid\b)/,
  ],
  [
    'reads a whole table under a lock; add the check by a clause of its own as not valid, and validate it in the next file',
    /\badd\s+column\b(?:(?!,\s*add\b)[^;])*\bcheck\s*\(/,
  ],
  [
    'builds an index under a lock; make it concurrently first',
    /\badd\s+(constraint\s+\S+\s+)?(unique|primary\s+key)\b(?!\s+using\s+index)/,
  ],
  ['builds an index under a lock; say concurrently, in a file without a transaction', /\bcreate\s+(unique\s+)?index\s+(?!concurrently)/],
  ['drops an index under a lock; say concurrently', /\bdrop\s+index\s+(?!concurrently)/],
  ['changes all rows in one transaction; do it in pieces, by a command', /^(update|delete\s+from|insert\s+into\s[\s\S]*\bselect\b)/],
  ['empties a table', /\btruncate\b/],
  ['locks a table', /\block\s+table\b|\bvacuum\s+full\b|\bcluster\b/],
]

/** @returns a line for each dangerous statement without `safe:` on a table of another file. */
export function dangersIn(sql: string): string[] {
  const made = new Set([...sql.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?"?(\w+)/gi)].map(([, table]) => table?.toLowerCase()))
  return statementsOf(sql).flatMap(({ text, comment }) => {
    if (/\bsafe: \S/.test(comment)) return []
    const table = /\b(?:on|alter\s+table(?:\s+only)?|update|into|from)\s+"?(\w+)/.exec(text)?.[1]
    if (table !== undefined && made.has(table)) return []
    return dangers.filter(([, pattern]) => pattern.test(text)).map(([name]) => `${text.slice(0, 80)}: ${name}`)
  })
}

/** Statements in lower case with single spaces and their comments; without function bodies. */
function statementsOf(sql: string): { text: string; comment: string }[] {
  return sql
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/--[^\n]*/g, (comment) => comment.replaceAll(';', ','))
    .split(';')
    .map((statement) => ({
      comment: (statement.match(/--[^\n]*/g) ?? []).join(' '),
      text: statement
        .replaceAll(/--[^\n]*/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()
        .toLowerCase(),
    }))
    .filter(({ text }) => text !== '')
}
