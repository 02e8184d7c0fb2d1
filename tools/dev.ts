import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildWebWhenStale } from './web-build.ts'

/**
 * `npm run dev`: as `npm start`, but restarts the server and rebuilds the web app at every change.
 */

const root = join(import.meta.dirname, '..')
const watched = ['server', 'contract', 'domain', 'cli', 'testkit'].map((directory) => `--watch-path=${join(root, directory)}`)

buildWebWhenStale()
const children = [
  spawn(process.execPath, [...watched, '--watch-preserve-output', join(root, 'tools/start.ts')], { cwd: root, stdio: 'inherit' }),
  spawn(
    process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--watch', '--mode', 'development', '--logLevel', 'warn'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  ),
]
const stop = () => {
  for (const child of children) child.kill('SIGTERM')
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
