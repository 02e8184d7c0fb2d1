import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { State } from './screen-context.ts'

export const sizes = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
] as const
export const themes = ['light', 'dark'] as const

type Size = (typeof sizes)[number]
const nameOf = ({ width, height }: Size): string => `${width}x${height}`

/**
 * All pictures with their predecessors: a run of some states keeps the others.
 */
type Album = {
  directory: string
  /** Pictures of this run. */
  files: string[]
  /** States of this run, with language. */
  done: string[]
}

export function openAlbum(directory: string): Album {
  for (const part of ['pictures', 'last-run']) mkdirSync(join(directory, part), { recursive: true })
  return { directory, files: [], done: [] }
}

/** Replaces the picture of the last run. */
function setAside({ directory }: Album, file: string): void {
  const [now, then] = [join(directory, 'pictures', file), join(directory, 'last-run', file)]
  if (existsSync(now)) renameSync(now, then)
  else rmSync(then, { force: true })
}

/** Pictures a state in some sizes and every theme. */
export async function picture(album: Album, page: Page, state: State, language: string, some: readonly Size[]): Promise<void> {
  for (const size of some)
    for (const theme of themes) {
      await page.setViewportSize(size)
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
      await page.evaluate(calm)
      if (state.shows) await page.evaluate(scrollTo(state.shows))
      await take(album, page, `${state.name}.${nameOf(size)}.${language}.${theme}`, false)
      if (state.isLong) await take(album, page, `${state.name}.${nameOf(size)}.${language}.${theme}.whole`, true)
    }
  album.done.push(`${state.name}.${language}`)
}

/** A dialog's content is scrolled in its dialog, which stays where it is. */
const scrollTo = (selector: string): string => `{
  const element = document.querySelector('${selector}')
  const content = element.closest('[role=dialog] > div')
  if (content) content.scrollTo({ top: element.offsetTop - content.offsetTop, behavior: 'instant' })
  else element.scrollIntoView({ behavior: 'instant' })
}`

async function take(album: Album, page: Page, name: string, fullPage: boolean): Promise<void> {
  const file = `${name}.png`
  setAside(album, file)
  // A sticky bar would cover the middle of a full-page picture.
  const scrolled = fullPage ? Number(await page.evaluate('{ const y = scrollY; scrollTo(0, 0); y }')) : 0
  await page.screenshot({ path: join(album.directory, 'pictures', file), animations: 'disabled', caret: 'hide', fullPage })
  if (scrolled > 0) await page.evaluate(`scrollTo(0, ${scrolled})`)
  album.files.push(file)
}

/**
 * Replaces random values (provider ids, bank references, times, seconds left, the portal's port) by
 * fixed ones and waits for the next paint.
 */
const calm = `(async () => {
  const isWaiting = document.querySelector('#waiting-title') !== null
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const node = texts.currentNode
    if (isWaiting && node.parentElement.matches('p > b') && /^\\d{1,2}$/.test(node.data)) node.data = '3'
    const calmed = node.data.replace(/\\b(plink|pay)_[A-Za-z0-9]{14}\\b/g, '$1_KistPicture00').replace(/(?<!–)\\b\\d{1,2}:\\d{2}\\b(?!–)/g, '11:00').replace(/\\b\\d{12}\\b/g, '123456789012').replace(/localhost:\\d+/g, 'loans.example.in').replace(/\\b\\d{1,2}(s| सेकंड में OTP)/g, '28$1').replace(/\\d{1,2}( seconds?\\.$| सेकंड में सुरक्षित)/, '8$1')
    if (calmed !== node.data) node.data = calmed
  }
  document.querySelectorAll('[role=timer]').forEach((timer) => {
    timer.querySelector('b').textContent = '8'
    timer.querySelector('circle + circle').setAttribute('stroke-dasharray', '8 10')
  })
  // The provider's page counts down and shows our random reference.
  document.querySelectorAll('.left[data-left]').forEach((left) => left.replaceChildren())
  document.querySelectorAll('.bill dd').forEach((value) => /^[\\w-]{16,}$/.test(value.textContent.trim()) && (value.textContent = 'KistPicture00'))
  await document.fonts.ready
  await Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getTiming().iterations !== Infinity).map((a) => a.finish()))
})()`

export type Changes = { added: string[]; changed: string[]; gone: string[] }

/**
 * The differences to the last run of the same states.
 *
 * @param known the names of all states; pictures of others are removed.
 */
export async function changesSinceLastRun(album: Album, known: readonly string[], page: Page): Promise<Changes> {
  const { directory, files, done } = album
  const added: string[] = []
  const changed: string[] = []
  for (const file of files) {
    const before = join(directory, 'last-run', file)
    if (!existsSync(before)) {
      added.push(file)
      continue
    }
    const [then, now] = [readFileSync(before), readFileSync(join(directory, 'pictures', file))]
    if (!then.equals(now) && (await looksDifferent(page, then, now))) changed.push(file)
  }
  const taken = new Set(files)
  const gone = pictured(album).filter(
    (file) => !taken.has(file) && (done.includes(`${stateOf(file)}.${file.split('.')[2]}`) || !known.includes(stateOf(file))),
  )
  for (const file of gone) setAside(album, file)
  return { added, changed, gone }
}

const pictured = ({ directory }: Album): string[] => readdirSync(join(directory, 'pictures')).sort()
const stateOf = (file: string): string => file.split('.')[0] ?? ''

/**
 * Whether two pictures differ visibly: rendering varies slightly at edges.
 */
async function looksDifferent(page: Page, then: Buffer, now: Buffer): Promise<boolean> {
  const pictures = [then, now].map((bytes) => `'data:image/png;base64,${bytes.toString('base64')}'`)
  return page.evaluate<boolean>(`(async () => {
    const pixelsOf = async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      return context.getImageData(0, 0, image.width, image.height)
    }
    const [then, now] = await Promise.all([${pictures.join(',')}].map(pixelsOf))
    if (then.width !== now.width || then.height !== now.height) return true
    return now.data.some((value, index) => Math.abs(value - then.data[index]) > 24)
  })()`)
}

const picturesOfSheet = 12

/**
 * Contact sheets for each size, language and theme, as HTML and as a picture, with changed pictures
 * beside the previous ones.
 *
 * @param known the names of all states in the order of the sheets.
 * @returns the files of the sheets.
 */
export async function makeSheets(album: Album, known: readonly string[], changed: readonly string[], page: Page): Promise<string[]> {
  const { directory } = album
  const inOrder = pictured(album)
    .filter((file) => !file.includes('.whole.'))
    .sort((a, b) => known.indexOf(stateOf(a)) - known.indexOf(stateOf(b)))
  const groups = Map.groupBy(inOrder, (file) => file.split('.').slice(1, 4).join('.'))
  const sheets: string[] = []
  const taken = new Set(album.files)
  const stale = new Set<string>()
  for (const [group, files] of groups)
    for (let first = 0; first < files.length; first += picturesOfSheet) {
      const title = `${group}.${String(first / picturesOfSheet + 1).padStart(2, '0')}`
      const shown = files.slice(first, first + picturesOfSheet)
      const [width] = group.split('x')
      const wide = Math.min(Number(width), 1568 / (Number(width) < 700 ? 6 : Number(width) < 1000 ? 4 : 3)) - 16
      const sheet = `sheet.${title}.html`
      sheets.push(sheet)
      if (shown.some((file) => taken.has(file)) || !existsSync(join(directory, sheet.replace('.html', '.png')))) stale.add(sheet)
      writeFileSync(join(directory, sheet), page_(title, wide, shown.map((file) => figure('pictures', file)).join('\n')))
    }
  await page.setViewportSize({ width: 1600, height: 1000 })
  for (const sheet of stale) {
    await page.goto(`file://${join(directory, sheet)}`, { waitUntil: 'load' })
    await page.screenshot({ path: join(directory, sheet.replace('.html', '.png')), fullPage: true })
  }
  const present = new Set(sheets)
  for (const file of readdirSync(directory))
    if (file.startsWith('sheet.') && !present.has(file.replace('.png', '.html'))) rmSync(join(directory, file))
  const pairs = changed.flatMap((file) => [figure('last-run', file), figure('pictures', file)])
  writeFileSync(join(directory, 'changes.html'), page_('Before and now', 640, pairs.join('\n')))
  const links = ['changes.html', ...sheets].map((sheet) => `<li><a href="${sheet}">${sheet}</a></li>`).join('\n')
  writeFileSync(join(directory, 'index.html'), page_('Screens', 380, `<ul>${links}</ul>`))
  return sheets
}

const figure = (folder: string, file: string): string =>
  `<figure><img src="${folder}/${file}" alt=""><figcaption>${folder === 'pictures' ? stateOf(file) : `before: ${file}`}</figcaption></figure>`

const page_ = (title: string, width: number, content: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title>
<style>body{font:14px sans-serif;background:#999;margin:16px;display:flex;flex-wrap:wrap;gap:16px}h1{width:100%;margin:0}figure{margin:0;width:${width}px}img{width:100%;display:block}figcaption{padding:4px 0}</style>
<h1>${title}</h1>
${content}
</html>
`
