import path from 'node:path'
import babel from '@rolldown/plugin-babel'
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressedAssets } from './tools/compressed-assets.ts'
import { shellWorker } from './tools/shell-worker.ts'
import { webPages } from './tools/web-pages.ts'

/** The API server behind `vite dev`. */
const server = process.env.KIST_DEV_SERVER ?? 'http://127.0.0.1:3000'

type Graph = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null }

const entryOf = (file: string): string => path.join(import.meta.dirname, 'web', file)

/** Everything that some files of `web` need at once, and what that needs: one chunk, because each small one costs a phone a round trip. */
function needsOf(...files: string[]): (graph: Graph) => ReadonlySet<string> {
  let needs: Set<string> | undefined
  return (graph) => {
    if (needs) return needs
    const waiting = files.map(entryOf)
    needs = new Set()
    for (const id of waiting) {
      if (needs.has(id)) continue
      needs.add(id)
      waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
    }
    return needs
  }
}
const needsOfLogin = needsOf('entry/login.tsx')
const needsOfCalls = needsOf('session/session.ts', 'features/auth/login-calls.ts')
const needsOfCodeStep = needsOf('features/auth/code-step.tsx')
const needsOfPortal = needsOf('entry/portal.tsx')
const needsOfShell = needsOf('app/shell/signed-in.tsx', 'app/shell/app-shell.tsx')
const needsOfLoans = needsOf('features/loans/loan-page.tsx', 'features/tranches/tranche-card.tsx')

/** What comes together lies together: the login, what it calls and its second step, the portal around every page, its frame, the loan page; and the words of each. */
function chunkOf(id: string, graph: Graph): string | null {
  // An entry stays a chunk of its own: pages name it.
  if (id.endsWith('.css') || id === entryOf('entry/login.tsx') || id.endsWith('.html')) return null
  const [, area = '', language] = /\/locales\/(\w+)\/(en|hi)\.po/.exec(id) ?? []
  if (language) return wordsOf[area] ? `${wordsOf[area]}-${language}` : null
  if (needsOfLogin(graph).has(id)) return 'login'
  if (needsOfCalls(graph).has(id)) return 'calls'
  if (needsOfCodeStep(graph).has(id)) return 'code-step'
  if (needsOfPortal(graph).has(id)) return 'portal'
  if (needsOfShell(graph).has(id)) return 'frame'
  return needsOfLoans(graph).has(id) ? 'loans' : null
}
const wordsOf: Record<string, string> = {
  ui: 'words',
  auth: 'words',
  loans: 'words-loans',
  payments: 'words-loans',
  tranches: 'words-loans',
  documents: 'words-loans',
}

const transforms = () => [
  react(),
  babel({ presets: [linguiTransformerBabelPreset()] }),
  lingui({ failOnMissing: true, failOnCompileError: true }),
]

export default defineConfig({
  root: 'web',
  // Two copies of it do not find each other, and no span is ever made; the server's is newer than what the browser's asks for.
  resolve: { dedupe: ['@opentelemetry/api'] },
  plugins: [transforms(), tailwindcss(), webPages(transforms), shellWorker(), compressedAssets()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // An asset inlined as a data: URL would need a hole in the content security policy.
    assetsInlineLimit: 0,
    // Every page here is behind a login or is the login: preloading all of a route's chunks delays what is on screen.
    modulePreload: { polyfill: false },
    // pdf.js, which is loaded when a document is opened, and by nobody else.
    chunkSizeWarningLimit: 1_800,
    rolldownOptions: {
      input: ['index.html', 'login.html'].map(entryOf),
      output: {
        codeSplitting: {
          groups: [
            { name: chunkOf, debugName: 'login, calls, code-step, portal, frame, loans, words', includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    strictPort: true,
    // Not all of /api: the folder web/api is served below that name too.
    proxy: { '^/api/(v1|docs)': server, '/config.json': server },
  },
})
