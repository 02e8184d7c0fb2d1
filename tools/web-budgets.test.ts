import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { getButtonClass } from '#web/ui/button-class.ts'
import { buildWebWhenStale } from './web-build.ts'

/** Maximum script size of each page without a cache, kB of gzip. */
const budgets: readonly { route: string; page: string; chunks: readonly string[]; scriptKbMax: number }[] = [
  { route: '/login, until its form answers', page: 'login.html', chunks: ['words-en'], scriptKbMax: 94 },
  { route: '/login, the code', page: 'login.html', chunks: ['words-en', 'calls', 'code-step'], scriptKbMax: 125 },
  { route: '/verify-document', page: 'verify.html', chunks: ['words-en', 'words-verification-en', 'calls'], scriptKbMax: 109 },
  { route: '/admin/login', page: 'index.html', chunks: ['words-en', 'admin-login-page', 'code-step'], scriptKbMax: 190 },
  {
    route: '/active-loans',
    page: 'index.html',
    chunks: ['words-en', 'words-loans-en', 'loans'],
    scriptKbMax: 180,
  },
  {
    route: '/active-loans/payments',
    page: 'index.html',
    chunks: ['words-en', 'words-loans-en', 'loans', 'payments-tab'],
    scriptKbMax: 198,
  },
  {
    route: '/active-loans/documents',
    page: 'index.html',
    chunks: ['words-en', 'words-loans-en', 'loans', 'words-documents-en', 'documents-tab'],
    scriptKbMax: 190,
  },
  {
    route: '/payments/waiting-for-payment',
    page: 'index.html',
    chunks: ['words-en', 'words-loans-en', 'waiting-page'],
    scriptKbMax: 193,
  },
  { route: '/user-profile', page: 'index.html', chunks: ['words-en', 'profile-page'], scriptKbMax: 171 },
  { route: '/users', page: 'index.html', chunks: ['words-en', 'users-page'], scriptKbMax: 197 },
  { route: '/operations', page: 'index.html', chunks: ['words-en', 'queue-page'], scriptKbMax: 177 },
  { route: '/operations/proposals', page: 'index.html', chunks: ['words-en', 'proposal-page'], scriptKbMax: 218 },
  { route: '/faqs', page: 'index.html', chunks: ['words-en', 'faqs-page'], scriptKbMax: 167 },
]
const stylesKbMax = 14
const renderedPageKbMax = 13.5

const web = join(import.meta.dirname, '../dist/web')
const assets = join(web, 'assets')
let files: string[] = []
beforeAll(() => {
  buildWebWhenStale()
  files = readdirSync(assets)
})

const kbOf = (bytes: Buffer): number => gzipSync(bytes, { level: 9 }).length / 1000
const fileOf = (chunk: string): string => {
  const found = files.find((file) => file.startsWith(`${chunk}-`) && /^[\w-]{8}\.js$/.test(file.slice(chunk.length + 1)))
  if (found === undefined) throw new Error(`No chunk is called ${chunk}`)
  return found
}

/** A chunk and its static imports. */
function withImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const code = readFileSync(join(assets, file), 'utf8')
  for (const [, imported = ''] of code.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) withImports(imported, seen)
  return seen
}

const scriptsOf = (page: string): string[] =>
  [...readFileSync(join(web, page), 'utf8').matchAll(/(?:src|href)="\/assets\/([\w.-]+\.js)"/g)].map(([, file = '']) => file)

test.each(budgets)('$route keeps to $scriptKbMax kB of script', ({ page, chunks, scriptKbMax }) => {
  const needed = new Set([...scriptsOf(page), ...chunks.map(fileOf)].flatMap((file) => [...withImports(file)]))
  const kb = [...needed].reduce((sum, file) => sum + kbOf(readFileSync(join(assets, file))), 0)
  expect(kb).toBeLessThan(scriptKbMax)
  // A budget far above the use protects nothing.
  expect(kb).toBeGreaterThan(scriptKbMax * 0.7)
})

test.each(budgets)('$route: Chromium compiles the code while it arrives', ({ page, chunks }) => {
  const files = [...scriptsOf(page), ...chunks.filter((chunk) => !chunk.startsWith('words-')).map(fileOf)]
  const code = files.map((file) => readFileSync(join(assets, file), 'utf8')).filter(({ length }) => length > 5_000)
  expect(code.length).toBeGreaterThan(1)
  for (const text of code) expect(text).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/)
})

/** The file of each chunk that a page's scripts preload by its name. */
const preloadedBy = (page: string): [string, string][] =>
  [...readFileSync(join(web, page), 'utf8').matchAll(/<meta name="([\w-]+)" content="\/assets\/([\w.-]+\.js)"/g)].map(
    ([, name = '', file = '']) => [name, file],
  )

test('a page preloads the chunk that it names, not another whose name begins with it', () => {
  const preloaded = renderedPages.flatMap(preloadedBy)
  expect(preloaded.length).toBeGreaterThan(renderedPages.length)
  for (const [name, file] of preloaded) expect(file).toBe(fileOf(name))
})

/** Pages with their styles inside. */
const renderedPages = ['index.html', 'login.html', 'verify.html']

test.each(['login.html', 'verify.html'])('%s asks for no code before its first paint', (page) => {
  const [first = '', later = ''] = readFileSync(join(web, page), 'utf8').split('<template id="scripts">')
  expect(first).not.toMatch(/<(?:script|link)[^>]* (?:src|href)="\/assets\//)
  expect(later).toMatch(/<script type="module"[^>]* src="\/assets\//)
})

test('the stylesheet and the rendered pages keep to theirs', () => {
  const styles = files.filter((file) => /^portal-.*\.css$/.test(file)).map((file) => kbOf(readFileSync(join(assets, file))))
  expect(styles.length).toBe(1)
  expect(styles[0]).toBeLessThan(stylesKbMax)
  for (const page of renderedPages) expect(kbOf(readFileSync(join(web, page)))).toBeLessThan(renderedPageKbMax)
})

test.each(renderedPages)('%s has the styles of its buttons, and of what it says without its code', (page) => {
  const [, styles = ''] = /<style>([^]*?)<\/style>/.exec(readFileSync(join(web, page), 'utf8')) ?? []
  const states = ['normal', 'loading', 'disabled'] as const
  const buttons = states.flatMap((state) => getButtonClass('primary', page === 'index.html' ? 'md' : 'lg', state, true).split(' '))
  const needed = [...buttons, ...getButtonClass('primary', 'md', 'normal', false).split(' '), 'max-w-content', 'md:p-8', 'mt-4']
  expect(needed.filter((name) => !styles.includes(`.${name.replaceAll(/[^\w-]/g, String.raw`\$&`)}`))).toEqual([])
})

test('no stylesheet has light-dark(), which Chrome 111 and Safari 16.4 lack', () => {
  const styles = files.filter((file) => file.endsWith('.css')).map((file) => join(assets, file))
  for (const file of [...styles, ...renderedPages.map((page) => join(web, page))])
    expect(readFileSync(file, 'utf8')).not.toContain('light-dark(')
})

test('what is large comes on demand alone: no page names it, and nothing imports it at once', () => {
  const large = files.filter((file) => file.endsWith('.js') && readFileSync(join(assets, file)).length > 500_000)
  expect(large.map((file) => file.replace(/-[\w-]{8}\.js$/, ''))).toEqual(['pdf-pages'])
  const atOnce = new Set(files.filter((file) => file.endsWith('.js') && !large.includes(file)).flatMap((file) => [...withImports(file)]))
  expect(large.filter((file) => atOnce.has(file))).toEqual([])
})
