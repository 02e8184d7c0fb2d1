import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { build, type Plugin, type PluginOption, type Rolldown } from 'vite'

const root = join(import.meta.dirname, '..')
const outDir = join(root, 'dist/web')
const drawingDir = join(root, 'dist/drawing')

/**
 * Finishes the two pages after a build: what must run before the first paint is written into them, and into the login's page its
 * styles too. Beside them comes `dist/drawing`, which draws the login as its components do in the browser: what the server
 * (`server/http/pages.ts`) puts into the page, once for each language, depends on the lender's settings.
 */
export function webPages(plugins: () => PluginOption[]): Plugin {
  return {
    name: 'kist-web-pages',
    apply: (config, { command }) => command === 'build' && !config.build?.ssr,
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler(_options, bundle) {
        await buildDrawing(plugins())
        changePage('index.html', await inlineScript('page'), (page, script) => page.replace('</title>', () => `</title>\n    ${script}`))
        changePage('login.html', await inlineScript('login'), (page, script) =>
          withInlineStyles(page)
            .replace('</title>', `</title>\n    ${chunksOfLogin(bundle)}`)
            .replace('</body>', () => `  ${script}\n  </body>`),
        )
      },
    },
  }
}

function changePage(name: string, script: string, change: (page: string, script: string) => string): void {
  const path = join(outDir, name)
  writeFileSync(path, change(readFileSync(path, 'utf8'), script))
}

/** Names the chunks that the login needs as the case may be: its words in each language, and its calls. */
function chunksOfLogin(bundle: Rolldown.OutputBundle): string {
  return ['words-en', 'words-hi', 'calls']
    .map((name) => {
      const chunk = Object.values(bundle).find(({ fileName }) => fileName.startsWith(`assets/${name}-`))
      if (chunk === undefined) throw new Error(`No chunk is called ${name}`)
      return `<meta name="${name}" content="/${chunk.fileName}" />`
    })
    .join('\n    ')
}

/** The page's own stylesheet, written into it: one round trip less before the first paint. */
function withInlineStyles(page: string): string {
  const link = /<link rel="stylesheet"[^>]* href="\/(assets\/[^"]+\.css)">/
  const file = link.exec(page)?.[1]
  if (file === undefined) throw new Error('The login has no stylesheet')
  const styles = readFileSync(join(outDir, file), 'utf8').trim()
  rmSync(join(outDir, file))
  return page.replace(link, () => `<style>${styles}</style>`)
}

async function inlineScript(name: string): Promise<string> {
  const bundle = await rolldown({ input: join(root, `web/entry/inline/${name}.ts`), cwd: root })
  const { output } = await bundle.generate({ format: 'iife', minify: true })
  return `<script>${output[0].code.trim()}</script>`
}

/** One program that needs no package: where the server runs there is no React. */
async function buildDrawing(plugins: PluginOption[]): Promise<void> {
  await build({
    configFile: false,
    root: join(root, 'web'),
    logLevel: 'error',
    plugins,
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { noExternal: true },
    build: { ssr: 'entry/prerender.tsx', outDir: drawingDir, emptyOutDir: true, copyPublicDir: false },
  })
}
