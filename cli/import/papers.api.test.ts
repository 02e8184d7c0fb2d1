import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { createExaminerPool, examinerLimits } from '#server/adapters/file-examiner/examiner-pool.ts'
import { createStorage } from '#server/adapters/object-storage/create-storage.ts'
import { localScanner, testVirus } from '#server/adapters/virus-scan/local.ts'
import { createLog } from '#server/log.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { pdf, png } from '#server/documents/files.testing.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { BookRefused } from './faults.ts'
import { importPapers, type PaperContext } from './papers.ts'

let town: TestContext
let context: PaperContext
let folder: string
let lan: string

beforeAll(async () => {
  town = await openTestContext(inject('cluster'), { town: true })
  folder = mkdtempSync(join(tmpdir(), 'kist-papers-'))
  const stagingDirectory = join(folder, 'staging')
  const log = createLog({ logLevel: 'silent', production: true })
  context = {
    ...town,
    log,
    scanner: localScanner(),
    examiner: createExaminerPool({ ...examinerLimits, timeoutMs: 150_000, stagingDirectory, log, onEnd: () => {} }),
    storage: await createStorage({ kind: 'disk', directory: join(folder, 'objects'), partialAgeMs: 60_000 }),
    fileBytesMax: 1_048_576,
    stagingDirectory,
  }
  lan = await town.database.asSystem(async (sql) => {
    const query = sql.selectFrom('loans').innerJoin('users', 'users.user_id', 'loans.borrower_id').select('loans.lan')
    return (await query.where('users.phone', '=', demoPhone(1)).executeTakeFirstOrThrow()).lan
  })
})
afterAll(async () => {
  await context.examiner.close()
  await town.close()
  rmSync(folder, { recursive: true })
})

const put = (name: string, content: string | Buffer): void => writeFileSync(join(folder, name), content)
function list(...lines: readonly string[]): string {
  put('papers.csv', ['lan,paper,file', ...lines].join('\n'))
  return join(folder, 'papers.csv')
}
async function refusal(...lines: readonly string[]): Promise<string[]> {
  const error = await importPapers(context, list(...lines)).catch((thrown: unknown) => thrown)
  if (!(error instanceof BookRefused)) throw new Error(`The list was not refused: ${String(error)}`)
  return error.faults.report()
}
const papers = () =>
  town.database.asSystem((sql) =>
    sql.selectFrom('loan_papers').select(['paper', 'filename', 'sha256', 'storage_key', 'published_at']).orderBy('paper').execute(),
  )

it('publishes every paper of a list once', async () => {
  const [kfs, agreement] = [pdf({ objects: '% kfs' }), pdf({ objects: '% agreement' })]
  put('Key facts.pdf', kfs)
  put('agreement.pdf', agreement)
  const lines = [`${lan},kfs,Key facts.pdf`, `${lan},agreement,agreement.pdf`]
  expect(await importPapers(context, list(...lines))).toBe('imported: 2 papers')
  const stored = await papers()
  expect(stored).toMatchObject([
    { paper: 'agreement', filename: 'agreement.pdf', published_at: town.clock.now() },
    { paper: 'kfs', filename: 'Key facts.pdf', sha256: createHash('sha256').update(kfs).digest() },
  ])
  const bytes = await context.storage.read(stored[1]?.storage_key ?? '', { first: 0, last: kfs.length - 1 })
  expect(Buffer.concat(await bytes.toArray())).toEqual(kfs)
  const entries = await town.database.asSystem((sql) =>
    sql.selectFrom('access_log').select('detail').where('action', '=', 'paper_published').execute(),
  )
  expect(entries.map(({ detail }) => (detail as Record<string, unknown>)['paper']).toSorted()).toEqual(['agreement', 'kfs'])

  expect(await importPapers(context, list(...lines))).toBe('unchanged: all 2 papers were imported before')
  put('sanction.pdf', pdf({ objects: '% sanction' }))
  expect(await importPapers(context, list(...lines, `${lan},sanction_letter,sanction.pdf`))).toBe(
    'imported: 1 papers; 2 papers were imported before',
  )
})

it('names every bad line, and stores nothing', async () => {
  const before = await papers()
  put('new.pdf', pdf({ objects: '% new' }))
  put('picture.pdf', png())
  put('picture.png', png())
  put('empty.pdf', '')
  put('script.pdf', pdf({ objects: '4 0 obj\n<< /S /JavaScript /JS (app.alert(1)) >>\nendobj' }))
  put('virus.pdf', `%PDF-1.4\n${testVirus}`)
  put('large.pdf', Buffer.alloc(1_048_577))
  expect(
    await refusal(
      `${lan},kfs,new.pdf`,
      `${lan},kfs,new.pdf`,
      'KST-NONE,kfs,new.pdf',
      `${lan},passport,new.pdf`,
      `${lan},,new.pdf`,
      `${lan},kfs,absent.pdf`,
      `${lan},kfs,picture.pdf`,
      `${lan},kfs,picture.png`,
      `${lan},kfs,empty.pdf`,
      `${lan},kfs,script.pdf`,
      `${lan},kfs,virus.pdf`,
      `${lan},kfs,large.pdf`,
      `${lan},kfs`,
    ),
  ).toEqual([
    'line 3: the loan has the same paper in an earlier line',
    'line 4: lan: there is no loan KST-NONE in the portal',
    'line 5: paper: "passport" is not one of kfs, sanction_letter, agreement, schedule_of_charges',
    'line 6: paper: is missing',
    'line 7: file: there is no such file',
    expect.stringMatching(/^line 8: file: /),
    'line 9: file: A paper of a loan is a PDF.',
    expect.stringMatching(/^line 10: file: /),
    expect.stringMatching(/^line 11: file: The PDF contains JavaScript\./),
    'line 12: file: The file contains malware and was not stored.',
    'line 13: file: is larger than 1 MB',
    'line 14: has 2 columns; the header has 3',
  ])
  expect(await papers()).toEqual(before)
  expect(readdirSync(context.stagingDirectory)).toEqual([])
})

it('needs its three columns', async () => {
  put('papers.csv', 'lan,file\n')
  expect(
    ((await importPapers(context, join(folder, 'papers.csv')).catch((error: unknown) => error)) as BookRefused).faults.report(),
  ).toEqual(['line 1: the header has no column paper'])
})
