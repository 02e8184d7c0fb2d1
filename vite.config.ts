import path from 'node:path'
import babel from '@rolldown/plugin-babel'
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The API server behind `vite dev`. */
const server = process.env.KIST_DEV_SERVER ?? 'http://127.0.0.1:3000'

let seen: Set<string> | undefined

/**
 * What the start of the app and the login import, besides the features: one chunk, because each small one would cost
 * a phone on a slow network a round trip.
 */
function firstScreen(graph: { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null }): Set<string> {
  if (seen) return seen
  const waiting = ['web/main.tsx', 'web/features/auth/login-page.tsx'].map((file) => path.join(import.meta.dirname, file))
  seen = new Set()
  for (const id of waiting) {
    if (seen.has(id)) continue
    seen.add(id)
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
  }
  for (const id of seen) if (id.includes('/web/features/')) seen.delete(id)
  return seen
}

export default defineConfig({
  root: 'web',
  plugins: [
    react(),
    babel({ presets: [linguiTransformerBabelPreset()] }),
    lingui({ failOnMissing: true, failOnCompileError: true }),
    tailwindcss(),
  ],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // An asset inlined as a data: URL would need a hole in the content security policy.
    assetsInlineLimit: 0,
    // Every page here is behind a login or is the login: preloading all of a route's chunks delays what is on screen.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: (id, context) => (firstScreen(context).has(id) ? 'first' : null), includeDependenciesRecursively: false },
            // Both login screens share all of this but their page: without a name for it, each would be two chunks.
            { name: 'login', test: /\/web\/features\/auth\/(login|phone|use-login)/, includeDependenciesRecursively: false },
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
