import { describe, expect, it } from 'vitest'
import { paths } from '#web/app/paths.ts'
import { describeSettings, settings, testSettingNames } from '#server/config/settings.ts'
import { files, isTest, read } from './repository.testing.ts'

/** Repository rules that the linter does not have. */

const code = files.filter((file) => /\.(ts|tsx|mjs|css|sql)$/.test(file) && !file.includes('.generated.'))
const matching = (pattern: RegExp, among: readonly string[] = code) => among.filter((file) => pattern.test(read(file)))

/** The features of the server; `ledger/` keeps its invariants as SQL. */
const featureFolders =
  /^server\/(auth|staff|audit|loans|loan-changes|loan-papers|tranches|payments|autopay|rate-resets|documents|operations|notices|privacy|webhooks)\//

describe('the repository', () => {
  it('has no file past 400 lines but tests', () => {
    expect(code.filter((file) => !isTest(file) && read(file).split('\n').length > 401)).toEqual([])
  })
  it('has no folders with names that say nothing', () => {
    expect(files.filter((file) => /(^|\/)(shared|lib|utils|helpers|common|types|services)\//.test(file))).toEqual([])
  })
  it('has no test that is skipped or run alone, and no TODO', () => {
    const own = code.filter((file) => file !== 'tools/check-repo.test.ts')
    expect(matching(/\b(it|test|describe)\.(skip|only|fixme|todo)\(/, own)).toEqual([])
    expect(matching(/\b(TODO|FIXME|XXX|HACK)\b/, own)).toEqual([])
    expect(matching(/@ts-(ignore|expect-error|nocheck)|oxlint-disable|eslint-disable/, own)).toEqual([])
  })
  it('waits for conditions, never for time, in its browser tests', () => {
    expect(
      matching(
        /waitForTimeout/,
        code.filter((file) => file.startsWith('e2e/')),
      ),
    ).toEqual([])
  })
  it('reads the environment in few places', () => {
    const readers = matching(
      /process\.env/,
      code.filter((file) => /^(server|domain|contract|web)\//.test(file) && !isTest(file)),
    )
    expect(readers.toSorted()).toEqual(['server/database/embedded.ts', 'server/main.ts'])
  })
  it('reads the time on the server only from the clock', () => {
    const inUseCases = code.filter((file) => featureFolders.test(file) && !isTest(file))
    expect(matching(/Date\.now\(\)|new Date\(\)/, inUseCases)).toEqual([])
  })
  it('defines lengths of time once; the sandbox, a package of its own, has its own', () => {
    const own = code.filter((file) => !file.startsWith('sandbox/') && file !== 'domain/durations.ts')
    expect(matching(/\b(const|let) (millisecondsPer\w+|(second|minute|hour|day)(Ms|S|Seconds)) =/, own)).toEqual([])
  })
  it('uses no clock and no randomness in the domain', () => {
    const rules = code.filter((file) => file.startsWith('domain/') && !isTest(file))
    expect(matching(/new Date\(|Date\.now|Date\.UTC|Math\.random|performance\./, rules)).toEqual([])
  })
  it('keeps SQL in stores', () => {
    const outside = code.filter((file) => featureFolders.test(file) && !isTest(file) && !/-store\.ts$/.test(file))
    expect(matching(/\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql`/, outside)).toEqual([])
  })
  it('names every screen and every URL once', () => {
    const screens = code.filter((file) => /^web\/(features|app\/shell|app\/loading|loan|session|ui)\//.test(file) && !isTest(file))
    const addresses = Object.values(paths).filter((path) => path !== paths.index)
    const folders = new Set(addresses.map((path) => path.split('/')[1]))
    expect(folders).toContain('operations')
    expect(matching(new RegExp(`['"\`]/(${[...folders].join('|')})\\b`), screens)).toEqual([])
  })
  it('writes colours as tokens', () => {
    const screens = code.filter((file) => /^web\/.*\.(tsx|css)$/.test(file) && !/tokens\.css$/.test(file))
    expect(matching(/#[0-9a-fA-F]{6}\b/, screens)).toEqual([])
  })
  it('describes every setting that an operator may set', () => {
    const rows = describeSettings().flatMap((group) => group.rows)
    expect(rows.filter(({ meaning }) => meaning.length < 4)).toEqual([])
    expect([...rows.map(({ name }) => name), ...testSettingNames].toSorted()).toEqual(Object.keys(settings.shape).toSorted())
  })
  it('has a README of one and a half screens', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(75)
  })
  it('pins every dependency exactly', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, string>
    >
    expect(
      Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
        ([, version]) => !/^(npm:@?[a-z0-9/-]+@)?\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version),
      ),
    ).toEqual([])
  })
  it('names no registry, no path of a machine', () => {
    expect(matching(/"resolved":\s*"http/, ['package-lock.json'])).toEqual([])
    expect(
      matching(
        /\/(root|home)\/[a-z]+\/|\/work\//,
        code.filter((file) => file !== 'tools/check-repo.test.ts'),
      ),
    ).toEqual([])
  })
})
