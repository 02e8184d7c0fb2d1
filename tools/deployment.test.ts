import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '#server/config/read-config.ts'
import { healthPaths } from '#server/http/health.ts'
import { settings } from '#server/config/settings.ts'
import { files, isTest, read, root } from './repository.testing.ts'

/** Without a container engine, this checks only that the named files exist. */

const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>

const lines = read('Dockerfile')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
const stages = lines.join('\n').split(/^(?=FROM )/m)
const last = stages.at(-1) ?? ''
const argumentsOf = (stage: string, word: string) =>
  [...stage.matchAll(new RegExp(`^${word} (.+)$`, 'gm'))].map(([, text = '']) => text.trim().split(/\s+/))
const copiesOf = (stage: string) => argumentsOf(stage, 'COPY').filter(([first = '']) => !first.startsWith('--from='))
const sourcesOf = (stage: string) => copiesOf(stage).flatMap((words) => words.slice(0, -1))

/** Directories and files of the image, from the last stage's COPY lines. */
const copied = sourcesOf(last)
const isAmong = (sources: readonly string[], file: string) => sources.some((source) => file === source || file.startsWith(`${source}/`))

/** The value imports of a file. */
const namesIn = (file: string): string[] =>
  [...read(file).matchAll(/^(?:import|export) (?!type )[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, ...found]) => found.find((name) => name !== undefined) ?? '',
  )
const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

/** Returns files and their direct and indirect imports. */
function importedBy(entries: readonly string[]): string[] {
  const needed = new Set(entries)
  // Iterating a Set includes values that are added meanwhile.
  for (const file of needed)
    for (const name of namesIn(file))
      if (/^[.#].*\.tsx?$/.test(name)) needed.add(name.startsWith('#') ? name.slice(1) : normalize(join(dirname(file), name)))
  return [...needed]
}

describe('the Dockerfile', () => {
  it('copies existing files, and .dockerignore includes them', () => {
    const let_through = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    for (const source of stages.flatMap(sourcesOf)) {
      expect([source, files.some((file) => file === source || file.startsWith(`${source}/`))]).toEqual([source, true])
      expect([source, let_through.includes(source)]).toEqual([source, true])
    }
    expect(let_through.filter((name) => !stages.flatMap(sourcesOf).includes(name))).toEqual([])
  })
  it('copies the outputs of earlier stages', () => {
    const made = argumentsOf(last, 'COPY').filter(([first = '']) => first.startsWith('--from='))
    expect(made).toEqual([
      ['--from=packages', '/app/node_modules', 'node_modules'],
      ['--from=web', '/app/dist', 'dist'],
    ])
    for (const [from = ''] of made)
      expect(stages.some((stage) => stage.startsWith('FROM node:24-') && stage.includes(` AS ${from.slice(7)}\n`))).toBe(true)
    expect(read('vite.config.ts')).toContain("outDir: '../dist/web'")
    expect(stages[0]).toMatch(/^RUN npx vite build$/m)
    expect(devDependencies?.['vite']).toBeDefined()
  })
  it('builds the web app from all that it and its configuration import', () => {
    const web = files.filter((file) => /^web\/.*\.(ts|tsx)$/.test(file) && !isTest(file))
    const needed = importedBy([...web, 'vite.config.ts', 'lingui.config.ts'])
    expect(needed).toContain('tools/web-pages.ts')
    expect(needed.filter((file) => !isAmong(sourcesOf(stages[0] ?? ''), file))).toEqual([])
  })
  it('has every import of the server and the CLI, and needs no development dependency', () => {
    const needed = importedBy(['server/main.ts', 'cli/kist.ts'])
    expect(needed.length).toBeGreaterThan(200)
    expect(needed.filter((file) => !isAmong(copied, file))).toEqual([])
    const packages = needed.flatMap((file) =>
      namesIn(file)
        .filter((name) => !/^[.#]/.test(name) && !isBuiltin(name))
        .map(packageOf),
    )
    // The image may lack this optional package; the code that imports it handles that.
    const foreign = packages.filter((name) => dependencies?.[name] === undefined && !name.startsWith('@myriaddreamin/'))
    expect([...new Set(foreign)]).toEqual([])
  })
  it('runs the server as user node, and its health check calls the readiness path', () => {
    expect(last).toMatch(/^USER node$/m)
    expect(last.indexOf('USER node')).toBeLessThan(last.indexOf('CMD ['))
    const command = JSON.parse(/^CMD (\[.*\])$/m.exec(last)?.[1] ?? '[]') as string[]
    expect(command).toEqual(['node', '--max-semi-space-size=16', 'server/main.ts'])
    expect(statSync(join(root, command.at(-1) ?? '')).isFile()).toBe(true)
    expect(/^HEALTHCHECK .*$/m.exec(last)?.[0]).toContain(healthPaths.ready)
    expect(last).toMatch(/^EXPOSE 3000$/m)
  })
})

describe('ops/compose.yaml', () => {
  const compose = read('ops/compose.yaml')
  it('allows 15 s to stop, a read-only file system and no capabilities', () => {
    expect(compose).toMatch(/stop_grace_period: 15s/)
    expect(compose).toMatch(/read_only: true/)
    expect(compose).toMatch(/cap_drop: \[ALL\]/)
    expect(compose).toMatch(/no-new-privileges:true/)
  })
  it('sets only known settings, and mounts existing files', () => {
    const set = [...compose.matchAll(/^\s+(KIST_[A-Z_]+|DATABASE_[A-Z_]+): /gm)].map(([, name = '']) => name)
    const ofTheDatabase = ['KIST_APP_PASSWORD', 'KIST_OWNER_PASSWORD']
    expect(set.filter((name) => !(name in settings.shape) && !ofTheDatabase.includes(name))).toEqual([])
    for (const [, path = ''] of compose.matchAll(/- \.\/(postgres[^:]*):/g))
      expect([path, existsSync(join(root, 'ops', path))]).toEqual([path, true])
    const roles = read('ops/postgres/roles.sh')
    for (const name of ofTheDatabase) expect(roles).toMatch(new RegExp(`^\\\\getenv \\w+ ${name}$`, 'm'))
    // Everybody on the machine can see the arguments of a process.
    expect(roles).not.toMatch(/^psql.*PASSWORD/m)
    expect(compose).toContain(`/kist/wal-archive.sh "%p" "%f" /wal`)
  })
  it('migrates before anything serves, and gives the owner’s login to that step alone', () => {
    const services = new Map(
      [...compose.matchAll(/^ {2}([a-z0-9-]+):\n((?: {4}.*\n| *#.*\n|\n)*)/gm)].map(([, name = '', body = '']) => [name, body]),
    )
    expect([...services.keys()]).toEqual(expect.arrayContaining(['migrate', 'web-1', 'web-2', 'worker', 'postgres']))
    expect([...services].filter(([, body]) => body.includes('DATABASE_OWNER_URL')).map(([name]) => name)).toEqual(['migrate'])
    expect(compose.slice(0, compose.indexOf('\nservices:'))).not.toContain('DATABASE_OWNER_URL')
    expect(compose.slice(0, compose.indexOf('\nservices:'))).toMatch(/migrate:\n\s+condition: service_completed_successfully/)
    expect(services.get('migrate')).toContain("command: ['node', 'cli/kist.ts', 'migrate']")
    expect(services.get('migrate')).not.toContain('service_completed_successfully')
  })
  it('contains no secret value', () => {
    expect([...compose.matchAll(/PASSWORD: (.*)$/gm)].filter(([, value = '']) => !/^\$\{[A-Z_]+:\?in \.env\}$/.test(value))).toEqual([])
  })
})

describe('ops/kist.env.example', () => {
  const namesIn = (text: string) => [...text.matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name)
  const example = namesIn(read('ops/kist.env.example'))
  it('has only settings', () => {
    expect(example.filter((name) => !(name in settings.shape))).toEqual([])
  })
  it('has each required setting that the runbook and the compose file do not set', () => {
    const missing = () => {
      try {
        readConfig({ NODE_ENV: 'production' })
      } catch (error) {
        if (error instanceof ConfigError) return error.faults.map((fault) => fault.split(' ')[0] ?? '')
        throw error
      }
      return []
    }
    const made = [...read('docs/runbook.md').matchAll(/^cat >> (\S+) << END\n([\s\S]*?)^END$/gm)]
    expect(made.map(([, file]) => file)).toEqual(['/etc/kist/kist.env', 'kist.env'])
    for (const [, , text = ''] of made) {
      const given = new Set([...example, ...namesIn(text)])
      expect(missing().length).toBeGreaterThan(10)
      expect(missing().filter((name) => !given.has(name))).toEqual([])
    }
  })
})

describe('ops/postgres', () => {
  it('has executable scripts that sh can parse', () => {
    for (const file of files.filter((name) => /^ops\/.*\.sh$/.test(name))) {
      expect([file, (statSync(join(root, file)).mode & 0o111) !== 0]).toEqual([file, true])
      execFileSync('sh', ['-n', join(root, file)])
    }
  })
})
