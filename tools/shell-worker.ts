import { createHash } from 'node:crypto'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { Plugin } from 'vite'

const root = join(import.meta.dirname, '..')
const assets = join(root, 'dist/web/assets')
/** Large and rarely used: pdf.js. */
const bytesMax = 500_000

/** Writes the service worker of a build with the list of the shell's files. */
export function shellWorker(): Plugin {
  return {
    name: 'kist-shell-worker',
    apply: (config, { command }) => command === 'build' && !config.build?.ssr,
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const files = readdirSync(assets)
          .filter((name) => /\.(js|css)$/.test(name) && !name.startsWith('telemetry-') && statSync(join(assets, name)).size <= bytesMax)
          .sort()
          .map((name) => `/assets/${name}`)
        const build = createHash('sha256').update(files.join()).digest('hex').slice(0, 12)
        const bundle = await rolldown({
          input: join(root, 'web/entry/service-worker.ts'),
          cwd: root,
          transform: { define: { shellFiles: JSON.stringify(files), shellBuild: JSON.stringify(build) } },
        })
        const { output } = await bundle.generate({ format: 'iife', minify: true })
        writeFileSync(join(root, 'dist/web/service-worker.js'), output[0].code)
      },
    },
  }
}
