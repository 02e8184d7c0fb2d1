import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** `npm run check`: types, lint, format, repo rules, messages; seconds. */

const root = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)

type CheckResult = { name: string; passed: boolean; output: string }

const checks: readonly { name: string; command: string; args: readonly string[] }[] = [
  { name: 'types', command: bin('tsc'), args: ['-b'] },
  { name: 'lint', command: bin('oxlint'), args: ['--type-aware'] },
  { name: 'format', command: bin('oxfmt'), args: ['--check'] },
  { name: 'messages in sync', command: bin('lingui'), args: ['check', 'sync', '--workers', '1'] },
  { name: 'messages in Hindi', command: bin('lingui'), args: ['check', 'missing', '--mode', 'catalog', '--workers', '1'] },
  { name: 'repo rules', command: bin('vitest'), args: ['run', '--project', 'repo', '--reporter', 'default'] },
]

/** Runs all checks in turn and prints the result of each. */
export async function runChecks(): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const { name, command, args } of checks) {
    const result = await run(name, command, args)
    console.log(`${result.passed ? 'passed' : 'FAILED'}  ${name}`)
    if (!result.passed) console.log(result.output)
    results.push(result)
  }
  return results
}

function run(name: string, command: string, args: readonly string[]): Promise<CheckResult> {
  return new Promise((resolve) => {
    execFile(command, [...args], { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ name, passed: error === null, output: `${stdout}${stderr}` })
    })
  })
}

if (import.meta.main) {
  const results = await runChecks()
  process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
}
