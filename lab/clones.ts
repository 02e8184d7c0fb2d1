import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const root = join(import.meta.dirname, '..')

/**
 * `npm run lab -- clones N [OPTION…]`: `npm test` of the last commit in N fresh clones, one after
 * the other, with PATH, HOME and the machine's certificates as the only environment. Prints a line
 * for each clone, and keeps its output, and the clone itself when it failed.
 *
 * - `--shuffle`: unit and API tests in random order
 * - `--busy N`: with N processes that only compute
 * - `--env NAME=VALUE`: an additional variable; may be repeated
 * - `--read-only-home`: with a read-only HOME
 * - `--folder NAME`: the clone's folder, for names with spaces and other letters
 *
 * @returns whether every test passed in every clone.
 */
export async function clones(args: readonly string[]): Promise<boolean> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      shuffle: { type: 'boolean', default: false },
      busy: { type: 'string', default: '0' },
      env: { type: 'string', multiple: true, default: [] },
      'read-only-home': { type: 'boolean', default: false },
      folder: { type: 'string', default: 'kist' },
    },
  })
  const count = Number(positionals[0] ?? 1)
  let isGood = true
  for (let number = 1; number <= count; number++) {
    const parent = mkdtempSync(join(tmpdir(), 'kist-clone-'))
    const checkout = join(parent, values.folder)
    run('git', ['clone', '--quiet', root, checkout])
    const environment = { ...bare(values['read-only-home']), ...Object.fromEntries(values.env.map(nameAndValue)) }
    const busy = Array.from({ length: Number(values.busy) }, startComputing)
    const startedAt = performance.now()
    const last = await testIn(checkout, environment, values.shuffle ? ['--', '--shuffle'] : [], join(parent, 'output.txt'))
    for (const child of busy) child.kill('SIGKILL')
    const passed = /^\d+ passed, 0 failed$/.test(last)
    console.log(
      `clone ${number} of ${count}: ${Math.round((performance.now() - startedAt) / 1_000)} s, ${last}, ${join(parent, 'output.txt')}`,
    )
    if (passed) rmSync(checkout, { recursive: true, force: true })
    isGood &&= passed
  }
  return isGood
}

/** Runs the tests of a checkout. @returns the last line they printed. */
async function testIn(checkout: string, environment: Record<string, string>, args: readonly string[], output: string): Promise<string> {
  const child = spawn('npm', ['test', ...args], { cwd: checkout, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const log = createWriteStream(output)
  let last = 'nothing was printed'
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false })
  child.stdout.on('data', (chunk: Buffer) => {
    last = chunk.toString().trimEnd().split('\n').at(-1) || last
  })
  await once(child, 'close')
  log.end()
  return last
}

/** A directory that cannot be created, even by root, because its parent is a file. */
const nowhere = '/dev/null/home'

/**
 * What a clone needs to install packages: the user's npm settings, which name the registry, and the
 * machine's certificates.
 */
function bare(readOnlyHome: boolean): Record<string, string> {
  const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS: certificates } = process.env
  return {
    PATH,
    ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }),
    ...(readOnlyHome ? { HOME: nowhere, npm_config_userconfig: join(HOME, '.npmrc') } : { HOME }),
  }
}

function nameAndValue(setting: string): [name: string, value: string] {
  const [name = '', ...value] = setting.split('=')
  return [name, value.join('=')]
}

const startComputing = (): ChildProcess => spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' })

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`)
}
