import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeSettings } from '#server/config/settings.ts'
import { openApiDocument } from '#server/http/openapi.ts'
import { billOfMaterials, packageCounts, packageTable } from './packages.ts'

/**
 * `npm run documents`: writes the generated documents that are committed, so that a review shows
 * their changes.
 */

const root = join(import.meta.dirname, '..')
const marker = '<!-- what is below is written by npm run documents -->'

export const documents: Record<string, () => string> = {
  'openapi.json': () => `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  'docs/sbom.cdx.json': billOfMaterials,
  'docs/settings.md': settingsPage,
  'docs/dependencies.md': () => {
    const [written = ''] = readFileSync(join(root, 'docs/dependencies.md'), 'utf8').split(marker)
    return `${written}${marker}\n\n${packageCounts()}\n\n${packageTable()}\n`
  },
}

function settingsPage(): string {
  const groups = describeSettings().map(({ title, rows }) =>
    [
      `## ${title}`,
      '',
      '| setting | when absent | meaning |',
      '|---|---|---|',
      ...rows.map(({ name, whenAbsent, meaning }) => `| \`${name}\` | ${whenAbsent} | ${meaning} |`),
    ].join('\n'),
  )
  return `# Settings

Environment variables, read once at start. A start reports every fault at once. In the demo, that is without \`DATABASE_URL\`, all of them are
optional. \`npm run documents\` writes this page from \`server/config/settings.ts\`.

${groups.join('\n\n')}
`
}

if (import.meta.main) for (const [file, content] of Object.entries(documents)) writeFileSync(join(root, file), content())
