import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './repository.testing.ts'

/** The boundaries between layers: the compiler refuses code that crosses them. */

const scratch = join(root, '.boundaries')
const tsc = join(root, 'node_modules/.bin/tsc')

beforeAll(() => {
  execFileSync(tsc, ['-b'], { cwd: root })
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Compiles a file with the settings of a layer. @returns the compiler's error codes. */
function compile(name: string, layer: 'domain' | 'contract' | 'server' | 'web', source: string): string[] {
  const directory = join(scratch, name)
  mkdirSync(directory, { recursive: true })
  const seen = { domain: [], contract: ['domain'], server: ['domain', 'contract', 'server'], web: ['domain', 'contract'] }[layer]
  writeFileSync(join(directory, 'attempt.ts'), source)
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({
      extends: `../../${layer}/tsconfig.json`,
      compilerOptions: { rootDir: '../..', noEmit: true },
      include: ['attempt.ts'],
      references: seen.map((other) => ({ path: `../../${other}` })),
    }),
  )
  try {
    execFileSync(tsc, ['-p', directory], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
    return []
  } catch (error) {
    const { stdout } = error as { stdout: string }
    return [...stdout.matchAll(/error (TS\d+)/g)].map(([, code]) => code ?? '')
  }
}

describe('the boundaries', () => {
  it('allow the imports of each layer', () => {
    expect(compile('seen-by-web', 'web', "import { login } from '#contract/index.ts'\nexport const path = login.path\n")).toEqual([])
    expect(compile('seen-by-contract', 'contract', "import { paise } from '#domain/money.ts'\nexport const rupee = paise(100n)\n")).toEqual(
      [],
    )
    expect(compile('seen-by-server', 'server', "import { login } from '#contract/index.ts'\nexport const path = login.path\n")).toEqual([])
  })
  it.each([
    ['domain', "import type { Problem } from '#contract/problem.ts'\nexport type P = Problem\n"],
    ['contract', "import type { Config } from '#server/config/config.ts'\nexport type C = Config\n"],
    ['web', "import type { Config } from '#server/config/config.ts'\nexport type C = Config\n"],
    ['server', "import type { AppPath } from '#web/app/paths.ts'\nexport type A = AppPath\n"],
  ] as const)('keep a forbidden import out of %s, a type-only one too', (layer, source) => {
    expect(compile(`import-in-${layer}`, layer, source)).toContain('TS6307')
  })
  it.each(["fetch('/')", 'process.env', 'window.location', 'setTimeout(() => {}, 1)'])(
    'keep the outside world out of domain: %s',
    (use) => {
      expect(compile('world-in-domain', 'domain', `export const outside = () => ${use}\n`)).not.toEqual([])
    },
  )
  it('keep node out of domain and contract', () => {
    expect(compile('node-in-domain', 'domain', "import { readFileSync } from 'node:fs'\nexport const read = readFileSync\n")).not.toEqual(
      [],
    )
    expect(
      compile('node-in-contract', 'contract', "import { readFileSync } from 'node:fs'\nexport const read = readFileSync\n"),
    ).not.toEqual([])
  })
  it('miss a call without its use case', () => {
    const source = `import * as contract from '#contract/index.ts'
import type { UseCases } from '#server/http/route.ts'
import { login } from '#server/auth/login.ts'
export const useCases: Pick<UseCases<typeof contract>, 'login'> = { login }
export const incomplete: UseCases<typeof contract> = { login }
`
    expect(compile('missing-use-case', 'server', source)).toEqual([expect.stringMatching(/^TS27(39|40)$/)])
  })
  it('take no raw number, and no raw bigint, for money', () => {
    const source = (money: string) => `import { paise, type Paise } from '#domain/money.ts'
export const charge: Paise = ${money}
export const made = paise
`
    expect(compile('money', 'contract', source('paise(12_500n)'))).toEqual([])
    expect(compile('money-number', 'contract', source('125.00'))).toEqual(['TS2322'])
    expect(compile('money-bigint', 'contract', source('12_500n'))).toEqual(['TS2322'])
  })
})
