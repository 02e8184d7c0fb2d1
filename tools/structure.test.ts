import { describe, expect, it } from 'vitest'
import { importsOf, reachOf } from './count-reach.ts'
import { files, isTest, read } from './repository.testing.ts'

const code = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.includes('.generated.') && !file.includes('/locales/'))

/**
 * The server's folders and its files without a folder, from bottom to top. An import points
 * downwards; types count too.
 */
const serverLayers = [
  ['config'],
  ['adapters', 'database', 'caller', 'log'],
  ['access-log', 'add-notice', 'jobs', 'observability'],
  ['context', 'migrate'],
  ['http'],
  ['auth'],
  ['loans'],
  ['staff', 'audit'],
  ['notices'],
  ['ledger'],
  ['loan-changes'],
  ['tranches', 'payments', 'rate-resets'],
  ['autopay'],
  ['documents'],
  ['loan-papers'],
  ['operations', 'privacy', 'telemetry'],
  ['webhooks', 'job-handlers'],
  ['app', 'loops'],
  ['serve'],
  ['main'],
]
const layerOf = (unit: string) => serverLayers.findIndex((layer) => layer.includes(unit))
const unitOf = (file: string) => file.split('/')[1]?.replace(/\.ts$/, '') ?? ''

describe('the structure', () => {
  it('of the server: folders depend downwards only', () => {
    const upwards = code
      .filter((file) => file.startsWith('server/') && !isTest(file))
      .flatMap((file) => importsOf(file, 'types too').map((imported) => [file, imported] as const))
      .filter(([file, imported]) => imported.startsWith('server/') && unitOf(file) !== unitOf(imported))
      .filter(([file, imported]) => layerOf(unitOf(imported)) < 0 || layerOf(unitOf(file)) <= layerOf(unitOf(imported)))
    expect(upwards).toEqual([])
  })
  it.each([
    ['server/payments/links/create-payment-link.ts', 48],
    ['server/loans/read-loans-summary.ts', 31],
  ])('%s loads at most %d other files', (file, filesMax) => {
    expect(reachOf(file).length, reachOf(file).join('\n')).toBeLessThanOrEqual(filesMax)
  })
  it('of the web: the median file has at least 60 lines', () => {
    const lengths = code
      .filter((file) => file.startsWith('web/') && !isTest(file))
      .map((file) => read(file).trimEnd().split('\n').length)
      .toSorted((one, other) => one - other)
    expect(lengths[Math.floor(lengths.length / 2)]).toBeGreaterThanOrEqual(60)
  })
  it('has no export that no other file uses', () => {
    // The types of the tables use types of the domain.
    const users = [...code, 'server/database/schema.generated.ts']
    const wordsOf = new Map(users.map((file) => [file, new Set(read(file).match(/[\w$]+/g))]))
    const importsByFile = new Map(users.map((file) => [file, new Set(importsOf(file, 'types too'))]))
    // A value may also be reached by `import()`; a type is always imported.
    const isUsedBy = (other: string, { file, kind, name }: { file: string; kind: string; name: string }) =>
      other !== file && wordsOf.get(other)!.has(name) && (!/type|interface/.test(kind) || importsByFile.get(other)!.has(file))
    const unused = code
      .flatMap((file) =>
        [...read(file).matchAll(/^export (?:async )?(const|let|function|class|type|interface) ([\w$]+)/gm)].map(
          ([, kind = '', name = '']) => ({ file, kind, name }),
        ),
      )
      .filter((exported) => !users.some((other) => isUsedBy(other, exported)))
    expect(unused.map(({ file, name }) => `${file}: ${name}`)).toEqual([])
  })
  it('has comments of at most 100 columns', () => {
    const long = code.flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, index) => (/^\s*(\/\/|\/\*\*|\*)/.test(line) && line.length > 100 ? [`${file}:${index + 1}`] : [])),
    )
    expect(long).toEqual([])
  })
})
