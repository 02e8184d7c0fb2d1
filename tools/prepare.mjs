// Runs before the commands of package.json, on whatever Node the machine has:
// installs what is missing or stale, and checks that the Node which then runs is new enough. Plain
// JavaScript, because nothing is installed yet.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const packages = join(root, 'node_modules')
const stamp = join(packages, '.kist-lock-hash')
const lockHash = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

// In production another account installs the packages (docs/runbook.md) and leaves no stamp; the
// one that runs Kist cannot write them.
const isProduction = process.env['NODE_ENV'] === 'production'
if (!isProduction && (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockHash)) install()
requireNode24()

function install() {
  // Production without its settings: `npm ci` would first delete what the portal runs on.
  if (existsSync(packages) && !existsSync(stamp) && process.getuid && statSync(packages).uid !== process.getuid()) {
    console.error(
      `Another account installed the packages in ${packages}. In production load the settings first (/etc/kist/kist.env; docs/runbook.md, step 4); elsewhere run npm ci --ignore-scripts as that account.`,
    )
    process.exit(1)
  }
  console.log('Installing packages …')
  // npm hangs for minutes on a read-only cache, such as in a read-only HOME.
  const ownCache = canWrite(process.env['npm_config_cache']) ? null : mkdtempSync(join(tmpdir(), 'kist-npm-'))
  // With --prefer-offline, cached copies need no request to the registry: the lock file has the
  // digest of every package. After a complete installation, which leaves a stamp, `npm install`
  // adds what changed in seconds; else `npm ci` installs everything, also over an interrupted one.
  const command = existsSync(stamp) ? ['install', '--no-save'] : ['ci']
  const { status } = spawnSync('npm', [...command, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...(ownCache && { npm_config_cache: ownCache }) },
  })
  if (ownCache) rmSync(ownCache, { recursive: true, force: true })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, lockHash)
}

function canWrite(directory) {
  if (directory === undefined) return true
  try {
    mkdirSync(directory, { recursive: true })
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** On Linux the packages bring Node 24; elsewhere the machine's own must be new enough. */
function requireNode24() {
  const brought = join(root, 'node_modules', '.bin', 'node')
  if (existsSync(brought) || Number(process.versions.node.split('.')[0]) >= 24) return
  console.error(`Kist needs Node 24 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}
