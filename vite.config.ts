import path from 'node:path'
import babel from '@rolldown/plugin-babel'
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compileHints } from './tools/compile-hints.ts'
import { compressedAssets } from './tools/compressed-assets.ts'
import { shellWorker } from './tools/shell-worker.ts'
import { webPages } from './tools/web-pages.ts'

/** The API server behind `vite dev`. */
const server = process.env.KIST_DEV_SERVER ?? 'http://127.0.0.1:3000'

type Graph = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null }

const entryOf = (file: string): string => path.join(import.meta.dirname, 'web', file)

/**
 * The static imports of some files of `web`, all of them: each small chunk would cost a phone a
 * round trip.
 */
function collectImports(...files: string[]): (graph: Graph) => ReadonlySet<string> {
  let imports: Set<string> | undefined
  return (graph) => {
    if (imports) return imports
    const waiting = files.map(entryOf)
    imports = new Set()
    for (const id of waiting) {
      if (imports.has(id)) continue
      imports.add(id)
      waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
    }
    return imports
  }
}
const importsOfLogin = collectImports('entry/login.tsx')
const importsOfCalls = collectImports('session/session.ts', 'features/auth/login-calls.ts', 'features/verification/check-document.ts')
const importsOfVerification = collectImports('entry/verify.tsx')
const importsOfCodeStep = collectImports('features/auth/code-step.tsx')
const importsOfPortal = collectImports('entry/portal.tsx')
const importsOfLoans = collectImports(
  'features/loans/loan-page.tsx',
  'features/payments/next/next-payment.tsx',
  // Of a closed loan at first, and of two tabs: not worth a chunk of its own.
  'loan/generate-document.tsx',
)
const importsOfPaymentsTab = collectImports('features/payments/payments-tab.tsx', 'contract/autopay.ts')
const importsOfPaymentParts = collectImports(
  'features/payments/history/payment-trail.tsx',
  'features/payments/history/receipt-button.tsx',
  'features/payments/payment-parts.tsx',
  'features/payments/paid-day.ts',
)
const importsOfAutopayCard = collectImports('features/autopay/autopay-card.tsx')
const importsOfDocumentsTab = collectImports('features/documents/documents-tab.tsx', 'features/payments/next/pending-notice.tsx')
const importsOfPopups = collectImports(
  'ui/dialog-box.tsx',
  'ui/tooltip.tsx',
  'ui/select-box.tsx',
  'app/shell/menu-popup.tsx',
  'features/notices/bell-popover.tsx',
)
const importsOfForms = collectImports('ui/field.tsx')

/**
 * Groups modules that are needed together: what all pages share, the login, its calls and its
 * second step, the portal with its frame, the loan page and its tabs, and what other pages share
 * with them; what opens on a press, and forms; and the texts of each.
 */
function chunkOf(id: string, graph: Graph): string | null {
  // An entry keeps its own chunk, because the pages refer to it.
  if (id.endsWith('.css') || id === entryOf('entry/login.tsx') || id === entryOf('entry/verify.tsx') || id.endsWith('.html')) return null
  const [, area = '', language] = /\/locales\/(\w+)\/(en|hi)\.po/.exec(id) ?? []
  if (language) return textChunks[area] ? `${textChunks[area]}-${language}` : null
  const isOfLoanPage = [importsOfPortal, importsOfLoans].some((imports) => imports(graph).has(id))
  if (importsOfLogin(graph).has(id)) return isOfLoanPage || importsOfVerification(graph).has(id) ? 'common' : 'login-form'
  if (importsOfCalls(graph).has(id)) return 'calls'
  // The verification has its own chunk; what it shares with the portal comes with the calls.
  if (id.startsWith(entryOf('features/verification/'))) return null
  if (importsOfVerification(graph).has(id)) return 'calls'
  if (importsOfCodeStep(graph).has(id)) return isOfLoanPage ? 'calls' : 'code-step'
  // With the portal's frame, and with what the loan page and other pages share: those need not
  // load the loan page.
  if (importsOfPortal(graph).has(id)) return 'portal'
  if (importsOfLoans(graph).has(id)) return /\/web\/features\//.test(id) ? 'loans' : 'portal'
  if (importsOfForms(graph).has(id)) return 'forms'
  if (importsOfPopups(graph).has(id)) return /\/node_modules\/|\/web\/(ui|app)\//.test(id) ? 'popups' : null
  // What the payments tab and other pages share: those need not load the tab.
  if (importsOfPaymentsTab(graph).has(id)) {
    if (!/\/web\/features\//.test(id)) return 'loan-parts'
    return importsOfPaymentParts(graph).has(id) ? 'payment-parts' : 'payments-tab'
  }
  if (importsOfAutopayCard(graph).has(id)) return 'autopay-card'
  if (importsOfDocumentsTab(graph).has(id)) return 'documents-tab'
  return null
}
const textChunks: Record<string, string> = {
  ui: 'words',
  auth: 'words',
  verification: 'words-verification',
  shell: 'words',
  loans: 'words-loans',
  payments: 'words-loans',
  documents: 'words-documents',
}

const transforms = () => [
  react(),
  babel({ presets: [linguiTransformerBabelPreset()] }),
  lingui({ failOnMissing: true, failOnCompileError: true }),
]

export default defineConfig({
  root: 'web',
  // With two copies no span is created: the server's version is newer than the browser SDK asks
  // for.
  resolve: { dedupe: ['@opentelemetry/api'] },
  plugins: [transforms(), tailwindcss(), webPages(transforms), shellWorker(), compileHints(), compressedAssets()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // An asset inlined as a data: URL would need an exception in the content security policy.
    assetsInlineLimit: 0,
    // Preloading all chunks of a route delays what is on screen: behind a login nothing is shown
    // before its answers, and the rendered pages name their own chunks.
    modulePreload: { polyfill: false },
    // pdf.js, which is loaded only when a document is opened.
    chunkSizeWarningLimit: 1_800,
    rolldownOptions: {
      // How long each plugin took, as a warning: it depends on what else the machine does.
      checks: { bundlerTimings: false },
      input: ['index.html', 'login.html', 'verify.html'].map(entryOf),
      output: {
        codeSplitting: {
          groups: [
            {
              name: chunkOf,
              debugName: 'common, login-form, calls, code-step, portal, loans, popups, forms, the tabs, words',
              includeDependenciesRecursively: false,
            },
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
