/** A comment, a quoted text or name, a text in dollar quotes, or any other character. */
const token = /--[^\n]*|\/\*[\s\S]*?\*\/|[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|[\s\S]/g

/** Splits a migration file at the semicolons between its statements. Comments stay. */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let statement = ''
  let isEmpty = true
  for (const [part] of text.matchAll(token)) {
    if (part === ';') {
      if (!isEmpty) statements.push(statement.trim())
      statement = ''
      isEmpty = true
      continue
    }
    statement += part
    isEmpty &&= part.startsWith('--') || part.startsWith('/*') || part.trim() === ''
  }
  if (!isEmpty) statements.push(statement.trim())
  return statements
}
