// Runs before `npm start` and `npm test` on whatever Node the machine has: installs what is missing or stale, and
// checks that the Node which then runs is new enough. Plain JavaScript, because nothing is installed yet.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'node_modules', '.kist-lock-hash')
const lockHash = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockHash) install()
requireNode24()

function install() {
  console.log('Installing packages …')
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, lockHash)
}

/** On Linux the packages bring Node 24; elsewhere the machine's own must be new enough. */
function requireNode24() {
  const brought = join(root, 'node_modules', '.bin', 'node')
  if (existsSync(brought) || Number(process.versions.node.split('.')[0]) >= 24) return
  console.error(`Kist needs Node 24 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}
