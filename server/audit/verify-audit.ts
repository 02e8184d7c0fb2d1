import { createHash } from 'node:crypto'
import { encodeContent } from '../access-log.ts'
import type { Database, Sql } from '../database/connect.ts'
import { isSignedBy, type SignedAnchor } from './anchor-audit.ts'
import {
  countEntries,
  findLostAnchoredEntries,
  readAnchors,
  computeDigest,
  findHeadsWithoutEntry,
  readEntriesAfter,
  findEntriesBeyondHead,
  type ChainedEntry,
} from './audit-store.ts'

type AuditReport = {
  lines: number
  chains: number
  anchors: number
  /** The faults, at most 100. Each names its anchor, or its subject and line. */
  broken: string[]
}

const entriesPerBatch = 5_000
const faultsMax = 100

/**
 * Verifies the whole access log: every entry's hash is the hash of its content and the previous
 * entry's hash, no entry is missing within a chain or at its end, and every daily anchor matches
 * its entries and is signed by one of the keys.
 *
 * @param tokenKeys Ed25519 keys in PEM, current and previous. The public key of a previous key pair
 * is enough.
 * @param logged anchors of a log that is kept elsewhere: each must be in the database too. Without
 * them the end of the log can be cut off together with its anchors.
 * @param onProgress called after every batch of entries.
 */
export async function verifyAudit(
  database: Database,
  tokenKeys: readonly string[],
  logged: readonly SignedAnchor[] = [],
  onProgress: (entriesDone: number, entriesAll: number) => void = () => {},
): Promise<AuditReport> {
  return database.asSnapshot(async (sql) => {
    const report: AuditReport = { lines: 0, chains: 0, anchors: 0, broken: [] }
    await checkChains(sql, report, onProgress)
    for (const head of await findHeadsWithoutEntry(sql, faultsMax))
      addFault(report, `${head.subject_id} line ${head.sequence}: the end of the chain is missing`)
    for (const entry of await findEntriesBeyondHead(sql, faultsMax))
      addFault(report, `${entry.subject_id} line ${entry.sequence}: is beyond the end of its chain`)
    await checkAnchors(sql, tokenKeys, logged, report)
    return report
  })
}

/** Formats a report: `audit: 12 lines in 3 chains, 2 anchors, 0 broken`, then the faults. */
export function auditReportText({ lines, chains, anchors, broken }: AuditReport): string {
  return [
    `audit: ${lines} lines in ${chains} chains, ${anchors} anchors, ${broken.length} broken`,
    ...broken.map((fault) => `  ${fault}`),
  ].join('\n')
}

async function checkChains(sql: Sql, report: AuditReport, onProgress: (done: number, all: number) => void): Promise<void> {
  const all = await countEntries(sql)
  let last: ChainedEntry | null = null
  for (;;) {
    const entries: ChainedEntry[] = await readEntriesAfter(sql, last, entriesPerBatch)
    for (const entry of entries) {
      const previous: ChainedEntry | null = last?.subject_id === entry.subject_id ? last : null
      if (!previous) report.chains += 1
      report.lines += 1
      checkEntry(entry, previous, report)
      last = entry
    }
    onProgress(report.lines, all)
    if (entries.length < entriesPerBatch) return
  }
}

function checkEntry(entry: ChainedEntry, previous: ChainedEntry | null, report: AuditReport): void {
  const expected = (previous?.sequence ?? 0n) + 1n
  if (entry.sequence !== expected) addFault(report, `${entry.subject_id} line ${expected}: is missing`)
  const hash = createHash('sha256')
  if (previous) hash.update(previous.hash)
  if (!hash.update(encodeContent(entry)).digest().equals(entry.hash))
    addFault(report, `${entry.subject_id} line ${entry.sequence}: content does not match its hash`)
}

async function checkAnchors(sql: Sql, tokenKeys: readonly string[], logged: readonly SignedAnchor[], report: AuditReport): Promise<void> {
  let previousDigest: Buffer | null = null
  const anchors = await readAnchors(sql)
  for (const anchor of anchors) {
    report.anchors += 1
    const { heads, digest } = await computeDigest(sql, anchor.day, previousDigest)
    if (heads !== anchor.heads || !digest.equals(anchor.digest))
      addFault(report, `anchor of ${anchor.day}: the chain heads of its day do not match its digest`)
    if (!isSignedBy(anchor, tokenKeys)) addFault(report, `anchor of ${anchor.day}: its signature matches none of the given keys`)
    previousDigest = anchor.digest
  }
  const stored = new Map(anchors.map(({ day, digest }) => [day, digest]))
  for (const anchor of logged) {
    if (!isSignedBy(anchor, tokenKeys)) addFault(report, `anchor of ${anchor.day}: its line in the log is signed by none of the given keys`)
    else if (!stored.get(anchor.day)?.equals(anchor.digest))
      addFault(report, `anchor of ${anchor.day}: is missing, or differs from its line in the log`)
  }
  for (const { day, subject_id, sequence } of await findLostAnchoredEntries(sql, faultsMax))
    addFault(report, `${subject_id} line ${sequence}: is missing or differs from the anchor of ${day}`)
}

function addFault(report: AuditReport, fault: string): void {
  if (report.broken.length < faultsMax) report.broken.push(fault)
}
