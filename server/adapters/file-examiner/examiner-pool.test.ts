import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { DocumentContentType } from '#domain/documents.ts'
import { until } from '#testkit/until.ts'
import { jpeg, pdf, png } from '../../documents/files.testing.ts'
import { readAnswer } from './examination-message.ts'
import { createExaminerPool, examinerLimits, type ExaminerPoolOptions } from './examiner-pool.ts'
import { ExaminerUnavailable, type FileExaminer } from './file-examiner.ts'
import { readFromPs, readResidentBytes } from './resident-memory.ts'

const directory = mkdtempSync(join(tmpdir(), 'kist-examine-'))
let files = 0
const fileOf = (content: Buffer) => {
  files += 1
  const path = join(directory, String(files))
  writeFileSync(path, content)
  return path
}
const lines: Record<string, unknown>[] = []
const outcomes: string[] = []
const pools: FileExaminer[] = []
const poolWith = (options: Partial<ExaminerPoolOptions> = {}) => {
  const pool = createExaminerPool({
    ...examinerLimits,
    // Long enough for a busy machine.
    timeoutMs: 150_000,
    stagingDirectory: directory,
    log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }),
    onEnd: (outcome) => outcomes.push(outcome),
    ...options,
  })
  pools.push(pool)
  return pool
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()))
  lines.length = 0
  outcomes.length = 0
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const asPdf = (path: string) => ({ path, contentType: 'application/pdf' as DocumentContentType })
const good = () => asPdf(fileOf(pdf()))
/** The parser needs minutes: it looks for an object at each of ten million positions. */
const slow = asPdf('')
const refused = (reason: string) => ({ kind: 'refused', reason })
/** The running examiners of this test process, by pid. */
const examiners = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const parent = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]
        return parent === String(process.pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('examine-process.ts')
      } catch {
        return false
      }
    })

beforeAll(() => {
  slow.path = fileOf(
    Buffer.concat([Buffer.from('%PDF-1.7\n1 0 obj 1 endobj\n'), Buffer.alloc(10_000_000, 'x 1'), Buffer.from('\nstartxref %%EOF')]),
  )
})

describe('a file is refused, by itself, and the next one is examined:', () => {
  it('one that exceeds the time limit', async () => {
    const pool = poolWith({ timeoutMs: 300 })
    expect(await pool.examine(slow, 'a')).toEqual(refused('examination_timeout'))
    expect(lines).toEqual([expect.objectContaining({ level: 40, kind: 'timeout', msg: 'file examination failed, file refused' })])
    expect(outcomes).toEqual(['timeout'])
    expect(await poolWith().examine(good(), 'a')).toEqual({ kind: 'accepted', pieces: null })
  })

  it('F19: one that exceeds the memory limit', async () => {
    const large = fileOf(jpeg({ width: 7_000, height: 7_000 }))
    const pool = poolWith({ residentBytesMax: 150 * 1_048_576 })
    // On a busy machine the picture may be decoded between two looks at the memory.
    const refusal = await until(async () => {
      const examination = await pool.examine({ path: large, contentType: 'image/jpeg' }, 'a')
      return examination.kind === 'refused' && examination
    })
    expect(refusal).toEqual(refused('examination_memory'))
    expect(await pool.examine(good(), 'a')).toEqual({ kind: 'accepted', pieces: null })
    expect(outcomes.slice(-2)).toEqual(['memory', 'accepted'])
  })

  it('one that crashes the process', async () => {
    const pool = poolWith()
    expect(await pool.examine(asPdf(join(directory, 'absent')), 'a')).toEqual(refused('examination_failed'))
    expect(lines).toEqual([expect.objectContaining({ level: 40, kind: 'failed', exitCode: 1 })])
    expect(await pool.examine(good(), 'a')).toEqual({ kind: 'accepted', pieces: null })
  })
})

it('the largest allowed picture stays below the memory limit', async () => {
  const path = fileOf(jpeg({ width: 8_160, height: 6_120 }))
  expect(await poolWith().examine({ path, contentType: 'image/jpeg' }, 'a')).toMatchObject({ kind: 'accepted' })
})

describe('the process', () => {
  it('F20: has no environment of the server, and reads only its code and the files to examine', async () => {
    process.env['KIST_EXAMINER_TEST'] = 'a-secret-of-the-server'
    const pool = poolWith()
    await pool.examine(good(), 'a')
    const [pid = ''] = examiners()
    delete process.env['KIST_EXAMINER_TEST']
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/KIST|secret|PATH=/)
    for (const path of [
      '/etc/hostname',
      join(import.meta.dirname, '../../../README.md'),
      join(import.meta.dirname, '../../config/config.ts'),
    ])
      expect([path, await pool.examine(asPdf(path), 'a')]).toEqual([path, refused('examination_failed')])
  })

  it('is reused, at most two run at once, and none remains after the end', async () => {
    const pool = poolWith()
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) => pool.examine({ path: fileOf(png()), contentType: 'image/png' }, `owner ${n % 3}`)),
    )
    expect(all.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(examiners().length).toBeLessThanOrEqual(2)
    await pool.close()
    expect(examiners()).toEqual([])
  })
})

it('files of one owner do not delay the files of another', async () => {
  const pool = poolWith()
  const done: string[] = []
  const examine = (request: typeof slow, owner: string) => pool.examine(request, owner).then(() => done.push(owner))
  const running = [examine(slow, 'many'), examine(good(), 'first')]
  const waiting = [examine(slow, 'many'), examine(slow, 'many'), examine(good(), 'one')]
  void Promise.allSettled([...running, ...waiting])
  await Promise.all([running[1], waiting[2]])
  // The pool is closed before a slow file ends.
  expect(done).toEqual(['first', 'one'])
})

it('waiting and running examinations fail as unavailable when the server stops, and none starts later', async () => {
  const pool = poolWith({ processesMax: 1 })
  const results = Promise.allSettled([pool.examine(slow, 'a'), pool.examine(slow, 'b')])
  await pool.close()
  for (const result of [...(await results), ...(await Promise.allSettled([pool.examine(good(), 'a')]))])
    expect(result).toEqual({ status: 'rejected', reason: expect.any(ExaminerUnavailable) })
  expect(examiners()).toEqual([])
})

it('only a valid answer is accepted', () => {
  expect(readAnswer('{"kind":"accepted","pieces":[{"from":0,"to":5},{"hex":"00ff"}]}')).toEqual({
    kind: 'accepted',
    pieces: [{ from: 0, to: 5 }, { hex: '00ff' }],
  })
  for (const line of [
    '',
    'ready',
    'null',
    '{"kind":"accepted"}',
    '{"kind":"accepted","pieces":[]}',
    '{"kind":"accepted","pieces":[{"from":5,"to":5}]}',
    '{"kind":"accepted","pieces":[{"from":-1,"to":5}]}',
    '{"kind":"accepted","pieces":[{"hex":"0"}]}',
    '{"kind":"accepted","pieces":null,"path":"/etc/passwd"}',
    '{"kind":"refused","reason":"boredom"}',
  ])
    expect([line, readAnswer(line)]).toEqual([line, null])
})

it('resident memory is read from the system, and is null for an ended process', async () => {
  const own = process.memoryUsage.rss()
  for (const read of [readResidentBytes, readFromPs]) {
    const bytes = (await read(process.pid)) ?? 0
    expect(bytes / own).toBeGreaterThan(0.3)
    expect(bytes / own).toBeLessThan(3)
    expect(await read(4_194_305)).toBeNull()
  }
})
