import { defineConfig } from '@lingui/cli'
import { formatter } from '@lingui/format-po'

/** One catalogue an area, so that a route loads its own words only. A new area is one line here. */
const areas: Record<string, string[]> = {
  ui: ['web/ui', 'web/app/loading', 'web/session', 'web/loan', 'web/i18n'],
  shell: ['web/app/shell'],
  auth: ['web/features/auth'],
  loans: ['web/features/loans'],
  payments: ['web/features/payments'],
  tranches: ['web/features/tranches'],
  documents: ['web/features/documents'],
  notices: ['web/features/notices'],
  staff: ['web/features/staff'],
  profile: ['web/features/profile'],
  help: ['web/features/help'],
  application: ['web/features/application'],
}

export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'hi'],
  // Line numbers would change a catalogue with every edit of a source file.
  format: formatter({ lineNumbers: false }),
  catalogs: Object.entries(areas).map(([area, include]) => ({
    path: `<rootDir>/web/locales/${area}/{locale}`,
    include: include.map((folder) => `<rootDir>/${folder}`),
    exclude: ['**/*.test.ts', '**/*.test.tsx'],
  })),
})
