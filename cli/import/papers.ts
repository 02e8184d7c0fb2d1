import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { uuidv7 } from 'uuidv7'
import { loanPapers, type LoanPaper } from '#domain/documents.ts'
import { logAccesses } from '#server/access-log.ts'
import type { Context } from '#server/context.ts'
import { Failure } from '#server/http/failure.ts'
import type { StagedFile } from '#server/http/uploads.ts'
import { checkPaper, newPaper, paperContentType } from '#server/loan-papers/new-paper.ts'
import { insertPaper, isPublished, type PaperRow } from '#server/loan-papers/paper-store.ts'
import { findLoanKey } from '#server/loans/loan-store.ts'
import { operatorEntry } from '#server/staff/operator.ts'
import { CommandError } from '#cli/command-error.ts'
import type { OperatorContext } from '#cli/operator-context.ts'
import { createProgress } from '#cli/progress.ts'
import { BookRefused, Faults } from './faults.ts'
import type { Line } from './line.ts'
import { readLines } from './read-lines.ts'

const columns = ['lan', 'paper', 'file'] as const

type ListedPaper = { line: number; lan: string; paper: LoanPaper; path: string }
/** A paper that may be stored, and the file of its bytes. */
type ReadyPaper = { row: PaperRow; path: string; lan: string }

export type PaperContext = Pick<OperatorContext, 'database' | 'clock' | 'operator'> &
  Pick<Context, 'examiner' | 'scanner' | 'storage' | 'log'> & { fileBytesMax: number; stagingDirectory: string }

/** Papers that are stored together: a run that is interrupted has stored whole groups of them. */
const papersPerBatch = 100

/**
 * Publishes the papers of a list, `lan,paper,file`, whose files lie beside it. Every file is
 * checked as an upload is before the first is stored. Skips papers that the loan has, so that an
 * interrupted run continues when it is repeated. Borrowers get no notice: the papers are as old as
 * their loans.
 *
 * @returns a line for the operator.
 * @throws BookRefused with all faults; then no paper of the list is stored.
 */
export async function importPapers(context: PaperContext, list: string): Promise<string> {
  const faults = new Faults()
  const listed = await readList(list, faults)
  const ready = new Map<string, ReadyPaper>()
  const progress = createProgress('Checking papers')
  for (const [index, one] of listed.entries()) {
    progress.update(index, listed.length)
    const paper = await checkListed(context, one, faults)
    if (paper === null) continue
    const { loan_id, paper: kind, sha256 } = paper.row
    const name = [loan_id, kind, sha256.toString('hex')].join(' ')
    if (ready.has(name)) faults.add(one.line, null, 'the loan has the same paper in an earlier line')
    else ready.set(name, paper)
  }
  progress.end()
  if (faults.count > 0) throw new BookRefused(faults)
  await storePapers(context, [...ready.values()], basename(list))
  const before = listed.length - ready.size
  if (ready.size === 0) return `unchanged: all ${before} papers were imported before`
  return `imported: ${ready.size} papers${before > 0 ? `; ${before} papers were imported before` : ''}`
}

async function readList(list: string, faults: Faults): Promise<ListedPaper[]> {
  const papers: ListedPaper[] = []
  const readLine = (line: Line<(typeof columns)[number]>): void => {
    const [lan, paper, file] = [line.text('lan'), line.requiredOneOf('paper', loanPapers), line.text('file')]
    if (line.isGood && paper !== null) papers.push({ line: line.number, lan, paper, path: resolve(dirname(list), file) })
  }
  await readLines(createReadStream(list), { columns, required: columns, of: 'a list of papers' }, faults, readLine)
  return papers
}

/** @returns null for a paper that the loan has, and for one with a fault. */
async function checkListed(context: PaperContext, { line, lan, paper, path }: ListedPaper, faults: Faults): Promise<ReadyPaper | null> {
  const refuse = (column: (typeof columns)[number], reason: string): null => {
    faults.add(line, column, reason)
    return null
  }
  const key = await context.database.asSystem((sql) => findLoanKey(sql, lan))
  if (!key) return refuse('lan', `there is no loan ${lan} in the portal`)
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) return refuse('file', 'there is no such file')
  if (found.size > context.fileBytesMax) return refuse('file', `is larger than ${context.fileBytesMax / 1_048_576} MB`)
  return withStagedCopy(context, path, async (file) => {
    if (await context.database.asSystem((sql) => isPublished(sql, key, paper, file.sha256))) return null
    try {
      const checked = await checkPaper(context, key.borrowerId, file)
      const { actorId } = context.operator
      const row = newPaper(key, { paper, filename: file.filename, checked }, context.clock.now(), actorId)
      return { row: { ...row, published_at: row.uploaded_at, published_by: actorId }, path, lan }
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'ScannerUnavailable') throw error
      return refuse('file', error.message)
    }
  })
}

/** Files are examined where uploads are: an examiner reads nothing else. */
async function withStagedCopy<T>(
  { stagingDirectory }: Pick<PaperContext, 'stagingDirectory'>,
  path: string,
  work: (file: StagedFile) => Promise<T>,
): Promise<T> {
  const staged = join(stagingDirectory, `paper-${uuidv7()}`)
  try {
    await mkdir(stagingDirectory, { recursive: true, mode: 0o700 })
    await copyFile(path, staged)
    const digest = createHash('sha256')
    await pipeline(createReadStream(staged), digest)
    const { size: sizeBytes } = await stat(staged)
    return await work({ path: staged, filename: basename(path), declaredType: paperContentType, sizeBytes, sha256: digest.digest() })
  } finally {
    await rm(staged, { force: true })
  }
}

/** Stores bytes before rows; the sweep removes bytes that a crash leaves without a row. */
async function storePapers(context: PaperContext, papers: readonly ReadyPaper[], list: string): Promise<void> {
  const { database, storage, clock, operator } = context
  const progress = createProgress('Storing papers')
  for (let from = 0; from < papers.length; from += papersPerBatch) {
    const group = papers.slice(from, from + papersPerBatch)
    for (const { row, path } of group)
      await withStagedCopy(context, path, async (file) => {
        if (!file.sha256.equals(row.sha256)) throw new CommandError(`${path} has changed since it was checked; nothing more was imported`)
        await storage.put(row.storage_key, file.path)
      })
    const entries = group.map(({ row, lan }) =>
      operatorEntry(operator, {
        at: clock.now(),
        subjectId: row.borrower_id,
        action: 'paper_published',
        detail: { lan, paper: row.paper, paper_id: row.paper_id, sha256: row.sha256.toString('hex'), file: list },
      }),
    )
    await database.asSystem(async (sql) => {
      for (const { row } of group) await insertPaper(sql, row)
      await logAccesses(sql, entries)
    })
    progress.update(from + group.length, papers.length)
  }
  progress.end()
}
