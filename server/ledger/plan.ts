import type { Day } from '#domain/calendar.ts'
import { isReceivedMoneyAccount, type TransactionKind } from './accounts.ts'
import { areSameLines, netLines, type Line } from './lines.ts'
import { paymentKey, type Posting } from './postings.ts'

/** A stored ledger transaction, with its entries as signed lines. */
export type PostedTransaction = {
  transactionId: string
  sequence: bigint
  kind: TransactionKind
  sourceId: string
  valueDate: Day
  postedAt: Date
  reverses: string | null
  reallocates: string | null
  lines: readonly Line[]
}

/** A transaction with its reallocations and its reversal. `lines` are the sums of all of them. */
export type TransactionGroup = {
  rootId: string
  key: string
  kind: TransactionKind
  valueDate: Day
  isReversed: boolean
  lines: readonly Line[]
  /** The number of transactions with this key: a reversed posting can be posted again. */
  times: number
}

/** The transactions that make the ledger agree with the facts. */
export type PostingPlan = {
  /** `times`: how often the key was posted before. */
  add: { posting: Posting; times: number }[]
  /** Groups to reallocate. */
  change: { group: TransactionGroup; posting: Posting }[]
  /** Groups to reverse. */
  undo: TransactionGroup[]
}

/** The source id of a posting: `<loan>:<key>`, with the suffix `#2` if the key is posted again. */
export const formatSourceId = (loanId: string, key: string, times: number): string =>
  `${loanId}:${key}${times === 0 ? '' : `#${times + 1}`}`

/** Money movements outside the plan: they are posted when they happen and never recomputed. */
const unplannedKinds: ReadonlySet<TransactionKind> = new Set<TransactionKind>(['disbursal', 'refund', 'settlement'])

function keyOfRoot({ kind, transactionId, sourceId }: PostedTransaction): string {
  if (kind === 'repayment') return paymentKey(transactionId)
  if (unplannedKinds.has(kind)) return `${kind}:${sourceId}`
  return keyOfSourceId(sourceId)
}

/** The key of a planned posting, see {@link formatSourceId}. */
export const keyOfSourceId = (sourceId: string): string => sourceId.slice(sourceId.indexOf(':') + 1).replace(/#\d+$/, '')

/** Groups the loan's transactions, given by sequence, by key. Of repeated keys the last is kept. */
export function groupTransactions(transactions: readonly PostedTransaction[]): Map<string, TransactionGroup> {
  const byRoot = new Map<string, { root: PostedTransaction; lines: Line[]; isReversed: boolean }>()
  for (const transaction of transactions) {
    const rootId = transaction.reverses ?? transaction.reallocates
    if (rootId === null) {
      byRoot.set(transaction.transactionId, { root: transaction, lines: [...transaction.lines], isReversed: false })
      continue
    }
    const root = byRoot.get(rootId)
    if (root === undefined)
      throw new Error(`Ledger transaction ${transaction.transactionId} follows ${rootId}, which the loan does not have`)
    root.lines.push(...transaction.lines)
    if (transaction.reverses !== null) root.isReversed = true
  }
  const groups = new Map<string, TransactionGroup>()
  for (const { root, lines, isReversed } of byRoot.values()) {
    const key = keyOfRoot(root)
    groups.set(key, {
      rootId: root.transactionId,
      key,
      kind: root.kind,
      valueDate: root.valueDate,
      isReversed,
      lines: netLines(lines),
      times: (groups.get(key)?.times ?? 0) + 1,
    })
  }
  return groups
}

/** The allocated lines of a group, without the line of the received-money account. */
export const allocatedLines = ({ kind, lines }: TransactionGroup): readonly Line[] =>
  kind === 'repayment' ? lines.filter(({ account }) => !isReceivedMoneyAccount(account)) : lines

/** The net lines of transactions, without those on received-money accounts. */
export const netAllocatedLines = (transactions: readonly { lines: readonly Line[] }[]): Line[] =>
  netLines(transactions.flatMap(({ lines }) => lines)).filter(({ account }) => !isReceivedMoneyAccount(account))

/** Compares the expected postings with the ledger's groups. */
export function planPostings(expected: readonly Posting[], groups: ReadonlyMap<string, TransactionGroup>): PostingPlan {
  const plan: PostingPlan = { add: [], change: [], undo: [] }
  const keys = new Set<string>()
  for (const posting of expected) {
    keys.add(posting.key)
    const group = groups.get(posting.key)
    if (group === undefined || group.isReversed) plan.add.push({ posting, times: group?.times ?? 0 })
    else if (!areSameLines(allocatedLines(group), posting.lines)) plan.change.push({ group, posting })
  }
  for (const group of groups.values())
    if (!group.isReversed && !unplannedKinds.has(group.kind) && !keys.has(group.key)) plan.undo.push(group)
  return plan
}
