import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

export const sizes = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
] as const
export const themes = ['light', 'dark'] as const

export type Size = (typeof sizes)[number]
export const nameOf = ({ width, height }: Size): string => `${width}x${height}`

/** A run's pictures. Those of the last whole run lie beside them, to be compared. */
export type Album = { directory: string; files: string[] }

/** @param isWhole whether every state is pictured: only then the pictures from before become those of the last run. */
export function openAlbum(directory: string, isWhole: boolean): Album {
  const pictures = join(directory, 'pictures')
  if (isWhole && existsSync(pictures)) {
    rmSync(join(directory, 'last-run'), { recursive: true, force: true })
    renameSync(pictures, join(directory, 'last-run'))
  }
  mkdirSync(pictures, { recursive: true })
  return { directory, files: [] }
}

/** Pictures a state in every size and theme. @returns how many pictures that made. */
export async function picture(album: Album, page: Page, state: { name: string; isLong?: boolean }, language: string): Promise<number> {
  let made = 0
  for (const size of sizes)
    for (const theme of themes) {
      await page.setViewportSize(size)
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
      await page.evaluate(calm)
      made += await take(album, page, `${state.name}.${nameOf(size)}.${language}.${theme}`, false)
      if (state.isLong) made += await take(album, page, `${state.name}.${nameOf(size)}.${language}.${theme}.whole`, true)
    }
  return made
}

async function take(album: Album, page: Page, name: string, fullPage: boolean): Promise<number> {
  const file = `${name}.png`
  await page.screenshot({ path: join(album.directory, 'pictures', file), animations: 'disabled', caret: 'hide', fullPage })
  album.files.push(file)
  return 1
}

/** What is chance becomes the same in every run: ids of the provider, times, seconds left, the portal's port. Then the page draws what changed. */
const calm = `(async () => {
  const isWaiting = document.querySelector('#waiting-title') !== null
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const node = texts.currentNode
    if (isWaiting && node.parentElement.matches('p > b') && /^\\d{1,2}$/.test(node.data)) node.data = '3'
    const calmed = node.data.replace(/\\b(plink|pay)_[A-Za-z0-9]{14}\\b/g, '$1_KistPicture00').replace(/\\b\\d{1,2}:\\d{2}\\b/g, '11:00').replace(/localhost:\\d+/g, 'loans.example.in').replace(/\\b\\d{1,2}(s| सेकंड में OTP)/g, '28$1')
    if (calmed !== node.data) node.data = calmed
  }
  // The provider's page counts down by itself and shows our random reference.
  document.querySelectorAll('.left[data-left]').forEach((left) => left.replaceChildren())
  document.querySelectorAll('.bill dd').forEach((value) => /^[\\w-]{16,}$/.test(value.textContent.trim()) && (value.textContent = 'KistPicture00'))
  await document.fonts.ready
  await Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getTiming().iterations !== Infinity).map((a) => a.finish()))
})()`

export type Changes = { added: string[]; changed: string[]; gone: string[] }

/** What is otherwise than in the last whole run; null when there was none. */
export async function changesSinceLastRun({ directory, files }: Album, page: Page): Promise<Changes | null> {
  const before = join(directory, 'last-run')
  if (!existsSync(before)) return null
  const last = new Set(readdirSync(before))
  const changed: string[] = []
  for (const file of files) {
    if (!last.has(file)) continue
    const [then, now] = [readFileSync(join(before, file)), readFileSync(join(directory, 'pictures', file))]
    if (!then.equals(now) && (await looksDifferent(page, then, now))) changed.push(file)
  }
  const present = new Set(files)
  return { added: files.filter((file) => !last.has(file)), changed, gone: [...last].filter((file) => !present.has(file)) }
}

/** The same page is never drawn quite the same: an edge is a shade lighter now and then. Only what an eye could see counts. */
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

/** One sheet for each size, language and theme, as a page and as a picture of that page. @returns the files of the sheets. */
export async function makeSheets({ directory, files: all }: Album, page: Page): Promise<string[]> {
  const groups = Map.groupBy(
    all.filter((name) => !name.includes('.whole.')),
    (name) => name.split('.').slice(1, 4).join('.'),
  )
  const sheets: string[] = []
  await page.setViewportSize({ width: 1600, height: 1000 })
  for (const [group, files] of groups) {
    const narrow = group.startsWith('360')
    const figures = files.map(
      (file) => `<figure><img src="pictures/${file}" alt=""><figcaption>${file.split('.')[0] ?? ''}</figcaption></figure>`,
    )
    const sheet = `sheet.${group}.html`
    writeFileSync(join(directory, sheet), page_(group, narrow ? 200 : 380, figures.join('\n')))
    await page.goto(`file://${join(directory, sheet)}`)
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(directory, sheet.replace('.html', '.png')), fullPage: true })
    sheets.push(sheet)
  }
  const links = sheets.map((sheet) => `<li><a href="${sheet}">${sheet}</a></li>`).join('\n')
  writeFileSync(join(directory, 'index.html'), page_('Screens', 380, `<ul>${links}</ul>`))
  return sheets
}

const page_ = (title: string, width: number, content: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title>
<style>body{font:14px sans-serif;background:#999;margin:16px;display:flex;flex-wrap:wrap;gap:16px}h1{width:100%;margin:0}figure{margin:0;width:${width}px}img{width:100%;display:block}figcaption{padding:4px 0}</style>
<h1>${title}</h1>
${content}
</html>
`
