import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from '@lingui/cli'
import { formatter } from '@lingui/format-po'

const features = readdirSync(join(import.meta.dirname, 'web/features'))
/** Menu entries are shown by the shell, before their feature's texts are loaded. */
const menuFile = 'feature.tsx'

/** One catalogue per area, so that a route loads only its own texts. Each feature is an area. */
const areas: Record<string, string[]> = {
  ui: ['web/ui', 'web/app/loading', 'web/app/brand.tsx', 'web/session', 'web/loan', 'web/i18n'],
  shell: ['web/app/shell', `web/features/*/${menuFile}`],
  ...Object.fromEntries(features.map((feature) => [feature, [`web/features/${feature}`]])),
}

export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'hi'],
  // Line numbers would change a catalogue with every edit of a source file.
  format: formatter({ lineNumbers: false }),
  catalogs: Object.entries(areas).map(([area, include]) => ({
    path: `<rootDir>/web/locales/${area}/{locale}`,
    include: include.map((folder) => `<rootDir>/${folder}`),
    exclude: ['**/*.test.ts', '**/*.test.tsx', ...(area === 'shell' ? [] : [`**/${menuFile}`])],
  })),
})
