import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

type LockEntry = {
  version: string
  license?: string
  integrity?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  inBundle?: boolean
  hasInstallScript?: boolean
  os?: string | string[]
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** One package of the lockfile. */
type Package = LockEntry & {
  /** Its path below node_modules. */
  path: string
  name: string
  /**
   * Whether it is installed in production; the others are for build and tests, or bundled into the
   * web app.
   */
  isProduction: boolean
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

export function readPackages(): {
  lockfileVersion: number
  packages: Package[]
  own: LockEntry & { dependencies: Record<string, string> }
} {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    lockfileVersion: number
    packages: Record<string, LockEntry>
  }
  const { '': own, ...rest } = lock.packages
  const packages = Object.entries(rest)
    // Workspaces are folders of this repository, and links to them.
    .filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
    .map(([path, entry]) => ({ ...entry, path, name: nameOf(path), isProduction: !entry.dev && !entry.devOptional }))
  return {
    lockfileVersion: lock.lockfileVersion,
    packages,
    own: { dependencies: {}, ...own } as LockEntry & { dependencies: Record<string, string> },
  }
}

/** The direct dependencies that require each production package, by its path. */
function broughtBy(): Map<string, Set<string>> {
  const { packages, own } = readPackages()
  const byPath = new Map(packages.map((one) => [one.path, one]))
  const brought = new Map<string, Set<string>>()
  const follow = (path: string, direct: string) => {
    const by = brought.get(path) ?? new Set()
    if (by.has(direct)) return
    brought.set(path, by.add(direct))
    const { dependencies, optionalDependencies } = byPath.get(path) ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = resolve(path, name)
      if (found !== null) follow(found, direct)
    }
  }
  /** Resolves as Node does: from the requiring package outwards. */
  const resolve = (from: string, name: string): string | null => {
    for (let at = from; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/'))))
      if (byPath.has(`${at}/node_modules/${name}`)) return `${at}/node_modules/${name}`
    return byPath.has(`node_modules/${name}`) ? `node_modules/${name}` : null
  }
  for (const name of Object.keys({ ...own.dependencies, ...own.optionalDependencies })) follow(`node_modules/${name}`, name)
  return brought
}

/**
 * CycloneDX 1.6: all packages of the lockfile by name, version, licence and checksum. Depends on
 * the lockfile only.
 */
export function billOfMaterials(): string {
  const { packages } = readPackages()
  const components = packages
    .map((one) => ({
      type: 'library',
      'bom-ref': one.path,
      name: one.name,
      version: one.version,
      scope: one.isProduction ? (one.optional ? 'optional' : 'required') : 'excluded',
      purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
      ...(one.license && { licenses: [/[() ]/.test(one.license) ? { expression: one.license } : { license: { id: one.license } }] }),
      ...(one.integrity && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(one.integrity.replace('sha512-', ''), 'base64').toString('hex') }],
      }),
    }))
    .sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1))
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'kist' } },
    components,
  }
  return `${JSON.stringify(bom, null, 1)}\n`
}

/** Number of production packages, and how many each direct dependency adds, largest first. */
export function packageCounts(): string {
  const by = broughtBy()
  const production = readPackages().packages.filter(({ isProduction }) => isProduction)
  const asked = production.filter(({ path, name }) => by.get(path)?.has(name))
  const platforms = production.filter(({ os }) => os !== undefined)
  const brought = Map.groupBy(
    production.filter((one) => !asked.includes(one)).flatMap(({ path }) => [...(by.get(path) ?? [])]),
    (direct) => direct,
  )
  const alone = (direct: string) =>
    production.filter(({ path, name }) => name !== direct && [...(by.get(path) ?? [])].join() === direct).length
  const rows = [...brought]
    .map(([direct, { length }]) => ({ direct, length, alone: alone(direct) }))
    .sort((one, other) => other.length - one.length || (one.direct < other.direct ? -1 : 1))
  return [
    `${production.length} packages: ${asked.length} asked for by us, of which ${platforms.length} are programs of which a machine installs its own alone; ${production.length - asked.length} that these bring.`,
    '',
    '| brought by | packages | by it alone |',
    '|---|---|---|',
    ...rows.map(({ direct, length, alone: own }) => `| ${direct} | ${length} | ${own} |`),
  ].join('\n')
}

/**
 * The table of docs/dependencies.md: every production package with version, licence and the
 * dependency that requires it.
 */
export function packageTable(): string {
  const by = broughtBy()
  const rows = readPackages()
    .packages.filter(({ isProduction }) => isProduction)
    .map(({ path, name, version, license, os }) => {
      const direct = [...(by.get(path) ?? [])].sort()
      return `| ${name} | ${version} | ${license ?? '?'} | ${direct.includes(name) ? 'asked for by us' : direct.join(', ')}${os ? ` (${[os].flat().join(', ')})` : ''} |`
    })
    .sort()
  return ['| package | version | licence | brought by |', '|---|---|---|---|', ...rows].join('\n')
}
