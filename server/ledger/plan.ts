import type { Day } from '#domain/calendar.ts'
import { isMoneyAccount, type TransactionKind } from './accounts.ts'
import { isSame, netOf, type Line } from './lines.ts'
import { paymentKey, type Posting } from './postings.ts'

/** A ledger transaction as it was read, with its entries as signed lines. */
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

/** A transaction together with everything that was reallocated or reversed of it: `lines` is what all of it comes to. */
export type Group = {
  rootId: string
  key: string
  kind: TransactionKind
  valueDate: Day
  isReversed: boolean
  lines: readonly Line[]
  /** How many transactions of this key there have been; a posting that went away may come again. */
  times: number
}

/** What has to be posted so that the ledger says what the facts say. */
export type Plan = { add: { posting: Posting; times: number }[]; change: { group: Group; posting: Posting }[]; undo: Group[] }

/** The postings' source id is `<loan>:<key>`, with `#2` and so on where the key comes again. */
export const sourceIdOf = (loanId: string, key: string, times: number): string => `${loanId}:${key}${times === 0 ? '' : `#${times + 1}`}`

/** Money that moved: posted when it did, and no computation takes it back. */
const isByItself: ReadonlySet<TransactionKind> = new Set<TransactionKind>(['disbursal', 'refund', 'settlement'])

function keyOfRoot({ kind, transactionId, sourceId }: PostedTransaction): string {
  if (kind === 'repayment') return paymentKey(transactionId)
  if (isByItself.has(kind)) return `${kind}:${sourceId}`
  return sourceId.slice(sourceId.indexOf(':') + 1).replace(/#\d+$/, '')
}

/** The loan's transactions, in the order of their sequence, by what they are of. Of a key that came again, the last. */
export function groupsOf(transactions: readonly PostedTransaction[]): Map<string, Group> {
  const byRoot = new Map<string, { root: PostedTransaction; lines: Line[]; isReversed: boolean }>()
  for (const transaction of transactions) {
    const rootId = transaction.reverses ?? transaction.reallocates
    if (rootId === null) {
      byRoot.set(transaction.transactionId, { root: transaction, lines: [...transaction.lines], isReversed: false })
      continue
    }
    const of = byRoot.get(rootId)
    if (of === undefined) throw new Error(`Ledger transaction ${transaction.transactionId} follows ${rootId}, which the loan does not have`)
    of.lines.push(...transaction.lines)
    if (transaction.reverses !== null) of.isReversed = true
  }
  const groups = new Map<string, Group>()
  for (const { root, lines, isReversed } of byRoot.values()) {
    const key = keyOfRoot(root)
    groups.set(key, {
      rootId: root.transactionId,
      key,
      kind: root.kind,
      valueDate: root.valueDate,
      isReversed,
      lines: netOf(lines),
      times: (groups.get(key)?.times ?? 0) + 1,
    })
  }
  return groups
}

/** The lines that are allocated, without the account on which the money came. */
export const allocatedLines = ({ kind, lines }: Group): readonly Line[] =>
  kind === 'repayment' ? lines.filter(({ account }) => !isMoneyAccount(account)) : lines

/** Compares what the ledger has to say with what it says. */
export function planPostings(expected: readonly Posting[], groups: ReadonlyMap<string, Group>): Plan {
  const plan: Plan = { add: [], change: [], undo: [] }
  const keys = new Set<string>()
  for (const posting of expected) {
    keys.add(posting.key)
    const group = groups.get(posting.key)
    if (group === undefined || group.isReversed) plan.add.push({ posting, times: group?.times ?? 0 })
    else if (!isSame(allocatedLines(group), posting.lines)) plan.change.push({ group, posting })
  }
  for (const group of groups.values()) if (!group.isReversed && !isByItself.has(group.kind) && !keys.has(group.key)) plan.undo.push(group)
  return plan
}
