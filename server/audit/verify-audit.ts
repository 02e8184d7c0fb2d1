import { createHash } from 'node:crypto'
import { contentOf } from '../access-log.ts'
import type { Database, Sql } from '../database/connect.ts'
import { isSignedBy } from './anchor-audit.ts'
import { anchoredAndLost, anchorsOf, digestOf, headsWithoutLine, linesAfter, linesBeyondHead, type ChainedLine } from './audit-store.ts'

export type AuditReport = {
  lines: number
  chains: number
  anchors: number
  /** What does not hold, a hundred at most, each naming its subject and line. */
  broken: string[]
}

const linesAtOnce = 5_000
const toldMax = 100

/**
 * Reads the whole access log and tells whether it still is what was written: every line's hash follows from its content and
 * the line before, no line is missing within a chain or at its end, and every daily anchor is signed by one of the keys
 * and still true.
 *
 * @param tokenKeys Ed25519 PEMs, the current and the previous ones; of those that sign no more the public half will do.
 */
export async function verifyAudit(database: Database, tokenKeys: readonly string[]): Promise<AuditReport> {
  return database.asSnapshot(async (sql) => {
    const report: AuditReport = { lines: 0, chains: 0, anchors: 0, broken: [] }
    await checkChains(sql, report)
    for (const head of await headsWithoutLine(sql, toldMax))
      tell(report, `${head.subject_id} line ${head.sequence}: the end of the chain is missing`)
    for (const line of await linesBeyondHead(sql, toldMax))
      tell(report, `${line.subject_id} line ${line.sequence}: is beyond the end of its chain`)
    await checkAnchors(sql, tokenKeys, report)
    return report
  })
}

/** One line for people: `audit: 12 lines in 3 chains, 2 anchors, 0 broken`. */
export function auditReportText({ lines, chains, anchors, broken }: AuditReport): string {
  return [
    `audit: ${lines} lines in ${chains} chains, ${anchors} anchors, ${broken.length} broken`,
    ...broken.map((fault) => `  ${fault}`),
  ].join('\n')
}

async function checkChains(sql: Sql, report: AuditReport): Promise<void> {
  let last: ChainedLine | null = null
  for (;;) {
    const lines: ChainedLine[] = await linesAfter(sql, last, linesAtOnce)
    for (const line of lines) {
      const before: ChainedLine | null = last?.subject_id === line.subject_id ? last : null
      if (!before) report.chains += 1
      report.lines += 1
      checkLine(line, before, report)
      last = line
    }
    if (lines.length < linesAtOnce) return
  }
}

function checkLine(line: ChainedLine, before: ChainedLine | null, report: AuditReport): void {
  const expected = (before?.sequence ?? 0n) + 1n
  if (line.sequence !== expected) tell(report, `${line.subject_id} line ${expected}: is missing`)
  const hash = createHash('sha256')
  if (before) hash.update(before.hash)
  if (!hash.update(contentOf(line)).digest().equals(line.hash))
    tell(report, `${line.subject_id} line ${line.sequence}: is not what was written`)
}

async function checkAnchors(sql: Sql, tokenKeys: readonly string[], report: AuditReport): Promise<void> {
  let before: Buffer | null = null
  for (const anchor of await anchorsOf(sql)) {
    report.anchors += 1
    const { heads, digest } = await digestOf(sql, anchor.day, before)
    if (heads !== anchor.heads || !digest.equals(anchor.digest))
      tell(report, `anchor of ${anchor.day}: its heads are not those it was made of`)
    if (!isSignedBy(anchor, tokenKeys)) tell(report, `anchor of ${anchor.day}: is not signed by a key that is known here`)
    before = anchor.digest
  }
  for (const { day, subject_id, sequence } of await anchoredAndLost(sql, toldMax))
    tell(report, `${subject_id} line ${sequence}: is not as the anchor of ${day} has it`)
}

function tell(report: AuditReport, fault: string): void {
  if (report.broken.length < toldMax) report.broken.push(fault)
}
