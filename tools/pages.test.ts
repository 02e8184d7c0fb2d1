import { existsSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { settings } from '#server/config/settings.ts'
import { createProgram } from '#cli/program.ts'
import { files, read, root } from './repository.testing.ts'

/** All commands, options, settings, files and headings in documents exist. */

/** Decisions are excluded: they describe the past. */
const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/0'))
const code = files.filter((file) => /\.(ts|tsx|mjs|sh|yaml|sql)$|Dockerfile$/.test(file) && file !== 'tools/pages.test.ts')
const allCode = code.map(read).join('\n')

/** The code of a page: inline code, and the lines of blocks. */
const codeOf = (page: string): string[] => {
  const blocks = [...page.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.split('\n'))
  const pieces = [...page.replaceAll(/^```\w*\n[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, piece = '']) => piece)
  return [...blocks, ...pieces]
}
/** The faults of all pages, one line each. */
const faults = (find: (page: string, file: string) => string[]) =>
  pages.flatMap((file) => find(read(file), file).map((fault) => `${file}: ${fault}`))

const program = createProgram(() => {})
const named = (command: Command, name: string) => command.commands.find((one) => one.name() === name)

/** Looks up a command such as `payment record --lan …`. @returns unknown commands and options. */
function strangeOf(text: string): string[] {
  let command = program
  const words = text.split(/\s+/)
  while (words[0] !== undefined && named(command, words[0])) command = named(command, words.shift() ?? '') ?? command
  if (command === program && !/^--(help)?$/.test(words[0] ?? '')) return [`there is no command kist ${text}`]
  const options = words.flatMap((word) => /^\[?(--[a-z][a-z-]+)/.exec(word)?.[1] ?? [])
  return options
    .filter((option) => option !== '--help' && !command.options.some(({ long }) => long === option))
    .map((option) => `kist ${text}: no option ${option}`)
}

/** The commands of the tool in a page. */
const kistCommandsOf = (page: string) =>
  codeOf(page)
    .flatMap((line) =>
      [
        ...line.matchAll(/(?:^|(?<!-[ug] )(?<![\w/.-]))(?:kist|npm run --silent kist --|cli\/kist\.ts) ((?:[a-z]+|--help)\b[^|;&#'"]*)/g),
      ].map(([, text = '']) => text.trim()),
    )
    // Other uses of the word: a database, a unit, an image.
    .filter((text) => !/^(owner|to|from|encoding)\b/.test(text))

/** The commands in the runbook's table of the tool. */
const codesOfTheTool = () => {
  const section = read('docs/runbook.md')
    .split(/^## /m)
    .find((text) => text.startsWith('The operator'))
  return [...(section ?? '').matchAll(/^\| (`.*?) \| /gm)].flatMap(([, cell = '']) => codeOf(cell)).filter((text) => /^[a-z]/.test(text))
}

describe('a page', () => {
  it('names commands and options that the operator’s tool has', () => {
    expect(faults((page) => kistCommandsOf(page).flatMap(strangeOf))).toEqual([])
    expect(codesOfTheTool().flatMap(strangeOf)).toEqual([])
  })
  it('names scripts that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = (page: string) => [...page.matchAll(/\bnpm run (?:--silent )?([a-z][\w-]*)/g)].map(([, name = '']) => name)
    expect(faults((page) => named(page).filter((name) => !(name in scripts)))).toEqual([])
    expect(pages.flatMap((file) => named(read(file))).length).toBeGreaterThan(20)
  })
  it('names settings that are read somewhere', () => {
    const isRead = (name: string) => name in settings.shape || new RegExp(`\\b${name}\\b`).test(allCode)
    const named = (page: string) =>
      [...page.matchAll(/\b(?:KIST|RAZORPAY|MSG91|DATABASE|OTEL|SANDBOX)_[A-Z0-9_]*[A-Z0-9]\b(?!\*|_|…)/g)].map(([name]) => name)
    expect(faults((page) => named(page).filter((name) => !isRead(name)))).toEqual([])
  })
  it('names files that are there', () => {
    const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0] ?? ''))
    const names = new Set(files.map((file) => basename(file)))
    const isThere = (path: string) => files.some((file) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`))
    const strange = (page: string, file: string) =>
      codeOf(page)
        .flatMap((piece) => piece.split(/[\s=:'",;()]+/))
        .filter((word) => /^(\.\/)?[\w.-]+(\/[\w.$-]+)*\/?$/.test(word))
        .map((word) => word.replace(/^\.\//, ''))
        // Files of the data directory, created at run time.
        .filter((word) => !word.endsWith('.ndjson'))
        .filter((word) =>
          word.includes('/')
            ? folders.has(word.split('/')[0] ?? '') && !isThere(word) && !isThere(join(dirname(file), word))
            : /\.(ts|tsx|mjs|css|sql|sh)$/.test(word) && !names.has(word),
        )
    expect(faults(strange)).toEqual([])
  })
  it.each(['ARCHITECTURE.md', 'README.md', 'CONTRIBUTING.md', 'docs/runbook.md'])('%s names functions that the code has', (file) => {
    const diagrams = [...read(file).matchAll(/^```mermaid[\s\S]*?^```/gm)].join('\n')
    const names = [...codeOf(read(file)), diagrams].flatMap((piece) => piece.match(/\b[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+\b/g) ?? [])
    const words = new Set(allCode.match(/[\w$]+/g))
    expect(names.filter((name) => !words.has(name) && !['sequenceDiagram', 'camelCase'].includes(name))).toEqual([])
  })
  it('names only words of the code in the glossary', () => {
    const words = codeOf(read('docs/glossary.md')).flatMap((piece) => piece.match(/[A-Za-z][A-Za-z0-9_]{3,}/g) ?? [])
    const asWritten = words.filter((word) => /_|[a-z][A-Z]/.test(word) && !['camelCase', 'snake_case'].includes(word))
    expect(asWritten.length).toBeGreaterThan(80)
    expect(asWritten.filter((word) => !allCode.includes(word))).toEqual([])
  })
  it('links to existing pages and headings', () => {
    const anchorsOf = (page: string) =>
      new Set(
        [...page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
          title
            .toLowerCase()
            .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
            .replaceAll(' ', '-'),
        ),
      )
    const broken = (page: string, file: string) =>
      [...page.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
        if (/^[a-z]+:/.test(target)) return []
        const [path = '', anchor] = target.split('#')
        const found = path === '' ? file : normalize(join(dirname(file), path))
        if (!existsSync(join(root, found))) return [target]
        return anchor === undefined || anchorsOf(read(found)).has(anchor) ? [] : [target]
      })
    expect(faults(broken)).toEqual([])
  })
})

describe('docs/runbook.md', () => {
  const runbook = read('docs/runbook.md')
  it('names every command of the operator’s tool', () => {
    const paths = (command: Command, path: string): string[] =>
      command.commands.length === 0 ? [path] : command.commands.flatMap((one) => paths(one, `${path} ${one.name()}`.trim()))
    const told = [...kistCommandsOf(runbook), ...codesOfTheTool()]
    expect(paths(program, '').filter((path) => !told.some((text) => text === path || text.startsWith(`${path} `)))).toEqual([])
  })
  it('has every heading that alerts refer to', () => {
    const wanted = [...read('docs/alerts.md').matchAll(/Runbook, ([A-Z][^'"]*?)(?='|"|$)/gm)].map(([, title = '']) => title)
    expect(wanted.length).toBeGreaterThan(2)
    expect(wanted.filter((title) => !runbook.includes(`## ${title}\n`) && !runbook.includes(`**${title}**`))).toEqual([])
  })
  it('names every alert, and no other', () => {
    const alerts = new Set([...read('docs/alerts.md').matchAll(/- alert: (\w+)/g)].map(([, name]) => name))
    const named = new Set([...runbook.matchAll(/`(Kist[A-Z]\w+)`/g)].map(([, name]) => name))
    expect([...named].filter((name) => !alerts.has(name))).toEqual([])
    expect([...alerts].filter((name) => !named.has(name))).toEqual([])
  })
  it('has every warning and every error of the log', () => {
    const messages = code
      .filter((file) => /^server\//.test(file) && !/\.test\.ts$/.test(file))
      .flatMap((file) => [...read(file).matchAll(/\blog\.(?:warn|error)\(\s*(?:\{[^}]*\},\s*)?'([^']+)'/g)].map(([, text = '']) => text))
    expect(messages.length).toBeGreaterThan(8)
    expect(messages.filter((text) => !runbook.includes(`| ${text} |`))).toEqual([])
  })
})
