import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildWebWhenStale } from './web-build.ts'

/** `npm run dev`: the portal as `npm start` runs it; the server restarts and the web app is built anew at every change. */

const root = join(import.meta.dirname, '..')
const watched = ['server', 'contract', 'domain', 'testkit'].map((room) => `--watch-path=${join(root, room)}`)

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
