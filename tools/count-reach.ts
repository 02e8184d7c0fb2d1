import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = join(import.meta.dirname, '..')
const importStatement = /^(?:import|export)\s+(?<type>type\b)?(?:(?<names>[^'"]*?)\s+from\s+)?['"](?<from>[^'"]+)['"]/gms

/**
 * The files that a file loads through value imports, itself not counted. Paths are relative to the
 * repository.
 */
export function reachOf(file: string): string[] {
  const reached = new Set<string>()
  const queue = [file]
  for (const next of queue)
    for (const imported of importsOf(next))
      if (imported !== file && !reached.has(imported)) {
        reached.add(imported)
        queue.push(imported)
      }
  return [...reached].sort()
}

/** The repository's files that a file imports: by value, or types too. */
export function importsOf(file: string, which: 'values' | 'types too' = 'values'): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(importStatement)].flatMap(({ groups = {} }) => {
    const { type, names = '', from = '' } = groups as { type?: string; names?: string; from?: string }
    const onlyTypes = type !== undefined || /^\{(\s*type\s+[^,}]+,?)+\s*\}$/.test(names.trim())
    const path = from.startsWith('#') ? from.slice(1) : from.startsWith('.') ? normalize(join(dirname(file), from)) : null
    return path === null || (onlyTypes && which === 'values') || !existsSync(join(root, path)) ? [] : [path]
  })
}

if (process.argv[1] === import.meta.filename)
  for (const file of process.argv.slice(2)) {
    const reached = reachOf(file)
    console.log(`${file}: ${reached.length}`)
    for (const path of reached) console.log(`  ${path}`)
  }
