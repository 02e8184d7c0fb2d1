import { parseSync } from 'rolldown/utils'
import { expect, it } from 'vitest'
import { files, read } from './repository.testing.ts'

const code = files.filter((file) => /^(domain|contract|server|web|cli|sandbox|testkit|lab|tools|e2e)\/.*\.(tsx?|mjs)$/.test(file))

/** Metaphors that have a term of the field; CONTRIBUTING.md, Style. */
const banned = new Set(
  'room rooms house houses wall walls floor floors noun nouns desk desks ground grounds journey journeys sight sights gate gates packet packets land lands landed landing stand stands standing said'.split(
    ' ',
  ),
)
/** `Math.floor`, the name of a column, and the floor that a benchmark is compared with. */
const isAllowed = (name: string, file: string) =>
  name === 'floor' || name === 'landed_late' || (file.startsWith('lab/bench/') && /floor/i.test(name))

const wordsOf = (name: string) => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)?.map((word) => word.toLowerCase()) ?? []
const isBanned = (name: string) => wordsOf(name).some((word) => banned.has(word))

/** The identifiers of a file, without strings, comments and texts of JSX. */
function identifiersOf(file: string): Set<string> {
  const names = new Set<string>()
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node !== 'object' || node === null) return
    const { type, name } = node as { type?: string; name?: unknown }
    if ((type === 'Identifier' || type === 'PrivateIdentifier') && typeof name === 'string') names.add(name)
    Object.values(node).forEach(visit)
  }
  visit(parseSync(file, read(file)).program)
  return names
}

it('no identifier or file name contains a banned metaphor', () => {
  const found = code.flatMap((file) => [
    ...(isBanned(file) && !isAllowed(file, file) ? [file] : []),
    ...[...identifiersOf(file)].filter((name) => isBanned(name) && !isAllowed(name, file)).map((name) => `${file}: ${name}`),
  ])
  expect(found).toEqual([])
})
