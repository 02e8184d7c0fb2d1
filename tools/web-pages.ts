import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { build, type Plugin, type PluginOption, type Rolldown } from 'vite'

const root = join(import.meta.dirname, '..')
const outDir = join(root, 'dist/web')
const drawingDir = join(root, 'dist/drawing')

/**
 * Completes the pages after a build: inlines the scripts that run before the first paint, and the
 * styles of what is drawn. Also builds `dist/drawing`, which renders the pages on the server: their
 * HTML, which the server (`server/http/pages.ts`) puts into the page, once for each language,
 * depends on the lender's settings.
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
        for (const [name, chunks] of Object.entries(preloadedChunks)) {
          const [first, last] = name === 'index' ? ['page', 'drawn'] : [null, name]
          const [firstScript, lastScript] = [first === null ? '' : await inlineScript(first), await inlineScript(last)]
          changePage(`${name}.html`, (page) =>
            withInlineStyles(first === null ? withLateCode(page) : withLateStyles(page))
              .replace('</title>', `</title>\n    ${chunkTags(bundle, chunks)}`)
              .replace('<style>', () => `${firstScript}<style>`)
              .replace('<!-- last script -->', () => lastScript),
          )
        }
      },
    },
  }
}

function changePage(name: string, change: (page: string) => string): void {
  const path = join(outDir, name)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

/** The chunks that a page may preload: its messages in each language, and its screens' code. */
const preloadedChunks: Readonly<Record<string, readonly string[]>> = {
  index: ['words', 'words-loans', 'words-documents']
    .flatMap((name) => [`${name}-en`, `${name}-hi`])
    .concat('loans', 'loan-parts', 'payment-parts', 'payments-tab', 'documents-tab'),
  login: ['words-en', 'words-hi', 'calls'],
  verify: ['words-en', 'words-hi', 'words-verification-en', 'words-verification-hi', 'calls'],
}

function chunkTags(bundle: Rolldown.OutputBundle, names: readonly string[]): string {
  return names
    .map((name) => {
      // Not by the file's name: `loans-page-…` begins with `loans-` too.
      const chunk = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === name)
      if (chunk === undefined) throw new Error(`No chunk is called ${name}`)
      return `<meta name="${name}" content="/${chunk.fileName}" />`
    })
    .join('\n    ')
}

/**
 * Moves the portal's stylesheet behind what is drawn, which has its own: nothing waits for it but
 * the scripts.
 */
function withLateStyles(page: string): string {
  const link = /<link rel="stylesheet"[^>]* href="\/assets\/portal-[^"]+\.css">/.exec(page)?.[0]
  return link === undefined ? page : page.replace(link, '').replace('</body>', `  ${link}\n  </body>`)
}

/**
 * Moves the page's code into a template, from which its last script takes it once the page is
 * painted.
 */
function withLateCode(page: string): string {
  const tags = [...page.matchAll(/ *<(?:script type="module"|link rel="modulepreload")[^>]*>(?:<\/script>)?\n/g)].map(([tag]) => tag)
  if (!tags.some((tag) => tag.includes('type="module"'))) throw new Error('The page has no code')
  const rest = tags.reduce((html, tag) => html.replace(tag, ''), page)
  return rest.replace('<!-- last script -->', `<template id="scripts">\n${tags.join('')}    </template>\n    <!-- last script -->`)
}

/** Inlines the page's stylesheet: one round trip less before the first paint. */
function withInlineStyles(page: string): string {
  const link = /<link rel="stylesheet"[^>]* href="\/(assets\/[^"]+\.css)">/
  const file = link.exec(page)?.[1]
  if (file === undefined) throw new Error('The page has no stylesheet')
  const styles = readFileSync(join(outDir, file), 'utf8').trim()
  rmSync(join(outDir, file))
  return page.replace(link, () => `<style>${styles}</style>`)
}

async function inlineScript(name: string): Promise<string> {
  const bundle = await rolldown({ input: join(root, `web/entry/inline/${name}.ts`), cwd: root })
  const { output } = await bundle.generate({ format: 'iife', minify: true })
  return `<script>${output[0].code.trim()}</script>`
}

/** Bundles all packages: React is not installed where the server runs. */
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
