import { logAccess, type AccessAction } from '../access-log.ts'
import type { Clock } from '../config/clock.ts'
import type { Database, Sql } from '../database/connect.ts'
import { openLinkOf, requestLinkCancel, type LinkRow } from '../ledger/open-links-store.ts'
import { lockOwnLoan, type OwnLoan } from '../loans/own-loan.ts'
import { operatorDetail, type Operator } from '../staff/operator.ts'
import { LinkOpenFailure, linkPaidFailure, providerUnavailable } from './change-refusals.ts'

/**
 * What became of an open link that the provider was asked to cancel. `closed`: confirmed, nobody can pay it any more. `paid`: it was
 * paid before, and its money is on the loan. `open`: the provider does not cancel it, because part of its money has arrived.
 * `unknown`: the provider did not tell.
 */
export type LinkCancelOutcome = { kind: 'closed' | 'paid' | 'open' | 'unknown'; link: LinkRow }

export type LoanChangeContext = {
  database: Database
  clock: Clock
  /** Cancels a link at the provider and stores what it answers. Holds no lock while it waits for the provider. */
  cancelLink(link: LinkRow, actorId: string): Promise<LinkCancelOutcome>
}

/**
 * What an open payment link means for a fact (decision 53). `refuse`: the lender decides when, so the fact waits for the link's end, or
 * the link is cancelled first. `cancel_after`: it has happened already, so it is recorded and the link is cancelled right after.
 * `keep`: the link's amount contains it, or it changes nothing that is owed.
 */
export type WhileLinkOpen = 'refuse' | 'cancel_after' | 'keep'

/** The loan as it is under its row lock. */
export type LoanTransaction = { sql: Sql; own: OwnLoan; now: Date; actorId: string }

/** What was written. `log` is null when nothing changed, because the same was written before. */
export type Written<T> = {
  answer: T
  log: { action: AccessAction; detail: Readonly<Record<string, string | number | boolean | null>> } | null
}

export type LoanChange<T> = {
  borrowerId: string
  loanId: string
  /** The person, or the process by its name, and the reason. */
  actor: Operator
  whileLinkOpen: WhileLinkOpen
  /** With `refuse`: an open link is cancelled at the provider first, and only a confirmed cancel lets the fact in. */
  cancelLink?: boolean
  /** Writes nothing: tells what would be answered or refused. No link is cancelled. */
  dryRun?: boolean
  /**
   * Writes the fact, its ledger lines, the notice and the jobs that belong to it. It calls nobody outside. It can run twice, each time
   * in a transaction of its own of which one is kept.
   */
  write(transaction: LoanTransaction): Promise<Written<T>>
}

/** `link`: what became of an open link; null where none was open or it was not touched. */
export type ChangedLoan<T> = { answer: T; link: LinkCancelOutcome | null }

/**
 * The one way to change what a loan owes, but for the payments and refunds that the provider reports: in one transaction, under the
 * loan's row lock, with an entry in the access log. Nobody outside is called while the lock is held.
 *
 * With `cancelLink` the change is tried first, so that a change which is refused for another reason cancels no link.
 *
 * @throws Failure LinkOpen while a payment link is open and the change waits for its end.
 * @throws Failure LinkPaid, with the loan's new figures, when the link to cancel turns out to be paid; its money is applied.
 * @throws Failure PaymentGatewayUnavailable when the provider does not confirm the cancel; nothing is changed.
 */
export async function changeLoan<T>(context: LoanChangeContext, change: LoanChange<T>): Promise<ChangedLoan<T>> {
  try {
    return await write(context, change, null)
  } catch (error) {
    if (!(error instanceof LinkOpenFailure) || !change.cancelLink) throw error
    return write(context, change, await cancelFirst(context, change, error.link))
  }
}

async function cancelFirst<T>(context: LoanChangeContext, change: LoanChange<T>, link: LinkRow): Promise<LinkCancelOutcome> {
  const outcome = await context.cancelLink(link, change.actor.actorId)
  switch (outcome.kind) {
    case 'closed':
      return outcome
    case 'paid':
      throw await linkPaidFailure(context, outcome.link)
    case 'open':
      throw new LinkOpenFailure(outcome.link)
    case 'unknown':
      throw providerUnavailable()
  }
}

/** What a change has written in an open transaction. `link`: one that is open, and to be cancelled once the transaction is committed. */
export type ChangeWritten<T> = { answer: T; link: LinkRow | null }

/**
 * The same within a transaction of the caller's, for a file that goes in whole or not at all. It cancels no link itself: of a link that is
 * in the way of money received (`cancel_after`), the cancel is asked for, and the sweeper sees to it after the commit.
 *
 * @throws LinkOpenFailure as `changeLoan`; nothing is undone by that, which is the caller's to do.
 */
export async function changeLoanWithin<T>(
  sql: Sql,
  change: Pick<LoanChange<T>, 'borrowerId' | 'loanId' | 'actor' | 'whileLinkOpen' | 'write'>,
  now: Date,
): Promise<ChangeWritten<T>> {
  return writeWithin(sql, change, now, null, now)
}

/** The sweeper gives whoever recorded the fact this long to cancel the link. */
const cancelHandoverMs = 10_000

/** Undoes the transaction of a dry run; it never leaves this file. */
class DryRun<T> extends Error {
  readonly answer: T
  constructor(answer: T) {
    super('dry run')
    this.answer = answer
  }
}

async function write<T>(context: LoanChangeContext, change: LoanChange<T>, cancelled: LinkCancelOutcome | null): Promise<ChangedLoan<T>> {
  try {
    const { answer, link } = await context.database.asBorrower(change.borrowerId, (sql) => {
      const now = context.clock.now()
      return writeWithin(sql, change, now, cancelled, new Date(now.getTime() + cancelHandoverMs))
    })
    return { answer, link: link ? await context.cancelLink(link, change.actor.actorId) : cancelled }
  } catch (error) {
    if (error instanceof DryRun) return { answer: error.answer as T, link: null }
    throw error
  }
}

async function writeWithin<T>(
  sql: Sql,
  change: LoanChange<T>,
  now: Date,
  cancelled: LinkCancelOutcome | null,
  cancelAt: Date,
): Promise<ChangeWritten<T>> {
  const { borrowerId, loanId, whileLinkOpen, actor } = change
  const { actorId } = actor
  const own = await lockOwnLoan(sql, borrowerId, loanId)
  const { answer, log } = await change.write({ sql, own, now, actorId })
  if (log === null) return { answer, link: null }
  const link = whileLinkOpen === 'keep' ? undefined : await openLinkOf(sql, borrowerId, loanId)
  if (link && whileLinkOpen === 'refuse' && !(change.dryRun && change.cancelLink)) throw new LinkOpenFailure(link)
  if (change.dryRun) throw new DryRun(answer)
  if (link) await requestLinkCancel(sql, link, { at: now, by: actorId, nextCheckAt: cancelAt })
  await logAccess(sql, {
    at: now,
    subjectId: borrowerId,
    actorId,
    action: log.action,
    outcome: 'done',
    origin: null,
    detail: {
      lan: own.loan.lan,
      ...(link && { cancelled_link: link.reference }),
      ...(cancelled && { cancelled_link: cancelled.link.reference }),
      ...log.detail,
      ...operatorDetail(actor),
    },
  })
  return { answer, link: link ?? null }
}
