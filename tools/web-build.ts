import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist/web/login.html')
const sources = [
  'web',
  'contract',
  'domain',
  'tools/web-pages.ts',
  'tools/shell-worker.ts',
  'tools/compile-hints.ts',
  'tools/compressed-assets.ts',
  'vite.config.ts',
  'lingui.config.ts',
  'package-lock.json',
]

/** Builds the web app when its sources are newer than what is built. @returns whether it did. */
export function buildWebWhenStale(): boolean {
  if (existsSync(built) && !isForDevelopment() && newest(sources) <= statSync(built).mtimeMs) return false
  build('production')
  return true
}

/** Builds the web app with the design page, for development only. The next start rebuilds it. */
export const buildWebForDevelopment = (): void => build('development')

function build(mode: 'production' | 'development'): void {
  execFileSync(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--mode', mode, '--logLevel', 'warn'], {
    cwd: root,
    // A test's own NODE_ENV would build React's development version.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

/** Only `npm run dev` builds the design page. */
const isForDevelopment = (): boolean => readdirSync(join(root, 'dist/web/assets')).some((name) => name.startsWith('design-page'))

/** The latest change below some paths, milliseconds since 1970. */
function newest(paths: readonly string[]): number {
  return Math.max(...paths.map((path) => newestIn(join(root, path))))
}

function newestIn(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  const inside = readdirSync(path).filter((name) => name !== 'node_modules' && !name.includes('.test.'))
  return Math.max(0, ...inside.map((name) => newestIn(join(path, name))))
}
