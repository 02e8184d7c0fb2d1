import { logAccess, type AccessAction } from '../access-log.ts'
import type { Origin } from '../caller.ts'
import type { Clock } from '../config/clock.ts'
import type { Database, Sql } from '../database/connect.ts'
import { logLinkCancel } from '../ledger/link-cancel-store.ts'
import { findOpenLink, findPresentedDebit, requestLinkCancel, type LinkRow } from '../ledger/open-links-store.ts'
import { Failure } from '../http/failure.ts'
import { lockOwnLoan, type OwnLoan } from '../loans/own-loan.ts'
import { operatorDetail, type Operator } from '../staff/operator.ts'
import { debitInProgress, LinkOpenFailure, linkPaidFailure, providerUnavailable } from './change-refusals.ts'

/**
 * The result of cancelling an open link at the provider. `closed`: confirmed, the link can no
 * longer be paid. `paid`: the link was paid before, and its money is posted. `open`: the provider
 * does not cancel it, because part of its money has arrived. `unknown`: the provider did not
 * answer.
 */
export type LinkCancelOutcome = { kind: 'closed' | 'paid' | 'open' | 'unknown'; link: LinkRow }

export type LoanChangeContext = {
  database: Database
  clock: Clock
  /** Cancels a link at the provider and stores the answer. Holds no lock while it waits. */
  cancelLink(link: LinkRow, actorId: string): Promise<LinkCancelOutcome>
}

/**
 * How a change treats an open payment link (decision 53). `refuse`: the lender can choose the time,
 * so the change waits until the link ends or is cancelled, and for the outcome of a presented
 * debit. `cancel_after`: the fact has already happened, so it is written first and the link is
 * cancelled right after. `keep`: the link's amount includes the fact, or the fact does not change
 * what is owed.
 */
type WhileLinkOpen = 'refuse' | 'cancel_after' | 'keep'

/** The loan under its row lock. */
export type LoanTransaction = { sql: Sql; own: OwnLoan; now: Date; actorId: string }

/** The result of writing a change. `log` is null if the same change was written before. */
export type ChangeResult<T> = {
  answer: T
  log: { action: AccessAction; detail: Readonly<Record<string, string | number | boolean | null>> } | null
}

export type LoanChange<T> = {
  borrowerId: string
  loanId: string
  /** A person or a named process, with the reason. */
  actor: Operator
  whileLinkOpen: WhileLinkOpen
  /** The approved proposal that causes the change, and its request. */
  proposal?: { proposalId: string; origin: Origin }
  /** The borrower's request that causes the change. */
  origin?: Origin
  /** With `refuse`: cancels an open link at the provider first. The cancel must be confirmed. */
  cancelLink?: boolean
  /** Rolls back after `write` and returns its answer. No link is cancelled. */
  dryRun?: boolean
  /**
   * Writes the fact, its ledger lines, its notice and its jobs. It calls no external system. It can
   * run twice, in separate transactions of which one is committed.
   */
  write(transaction: LoanTransaction): Promise<ChangeResult<T>>
}

/** `link`: the result of cancelling an open link; null if no link was cancelled. */
type ChangedLoan<T> = { answer: T; link: LinkCancelOutcome | null }

/** The time that the caller of `changeLoan` has to cancel the link before the sweeper does. */
const cancelHandoverMs = 10_000

/**
 * Changes what a loan owes. Every change goes through here, except the payments and refunds that
 * the provider reports. One transaction takes the loan's row lock and writes the change with its
 * entry in the access log. No external system is called while the lock is held.
 *
 * With `cancelLink` the change is tried first, so a change that is refused for another reason
 * cancels no link. If it is refused after the cancel all the same, because something has changed
 * meanwhile, the Failure has the extra `link_cancelled`; the access log has the cancel in any case.
 *
 * @throws Failure LinkOpen while a payment link is open and the change must wait for its end.
 * @throws Failure AutopayInProgress while a debit is presented and the change must wait.
 * @throws Failure LinkPaid, with the loan's new figures, if the link to cancel was paid; its money
 * is posted.
 * @throws Failure PaymentGatewayUnavailable if the provider does not confirm the cancel; nothing is
 * changed.
 */
export async function changeLoan<T>(context: LoanChangeContext, change: LoanChange<T>): Promise<ChangedLoan<T>> {
  try {
    return await commitChange(context, change, null)
  } catch (error) {
    if (!(error instanceof LinkOpenFailure) || !change.cancelLink) throw error
    const cancelled = await cancelFirst(context, change, error.link)
    return commitChange(context, change, cancelled).catch((refusal: unknown) => {
      if (refusal instanceof Failure && cancelled.link.status === 'cancelled') refusal.extras.link_cancelled = true
      throw refusal
    })
  }
}

async function cancelFirst<T>(context: LoanChangeContext, change: LoanChange<T>, link: LinkRow): Promise<LinkCancelOutcome> {
  const outcome = await context.cancelLink(link, change.actor.actorId)
  switch (outcome.kind) {
    case 'closed':
      await logCancelFirst(context, change, outcome.link)
      return outcome
    case 'paid':
      throw await linkPaidFailure(context, outcome.link)
    case 'open':
      throw new LinkOpenFailure(outcome.link)
    case 'unknown':
      throw providerUnavailable()
  }
}

const originOf = <T>({ proposal, origin }: LoanChange<T>) => proposal?.origin ?? origin ?? null

/** In a transaction of its own: the link is cancelled, whatever becomes of the change. */
const logCancelFirst = <T>({ database, clock }: LoanChangeContext, change: LoanChange<T>, link: LinkRow): Promise<void> =>
  database.asBorrower(change.borrowerId, (sql) => {
    const { actor, proposal } = change
    const detail = { ...(proposal && { proposal: proposal.proposalId }), ...operatorDetail(actor) }
    const act = { actorId: actor.actorId, origin: originOf(change), now: clock.now(), detail }
    return logLinkCancel(sql, link, act, { wasOpen: true })
  })

/** Rolls back the transaction of a dry run. Only this file throws and catches it. */
class DryRun<T> extends Error {
  readonly answer: T
  constructor(answer: T) {
    super('dry run')
    this.answer = answer
  }
}

async function commitChange<T>(
  context: LoanChangeContext,
  change: LoanChange<T>,
  cancelled: LinkCancelOutcome | null,
): Promise<ChangedLoan<T>> {
  try {
    const { answer, openLink } = await context.database.asBorrower(change.borrowerId, (sql) => {
      const now = context.clock.now()
      return changeLoanInTransaction(sql, change, now, { cancelled, cancelBySweeperAt: new Date(now.getTime() + cancelHandoverMs) })
    })
    return { answer, link: openLink ? await context.cancelLink(openLink, change.actor.actorId) : cancelled }
  } catch (error) {
    if (error instanceof DryRun) return { answer: error.answer as T, link: null }
    throw error
  }
}

/**
 * Writes a change within the caller's transaction, such as one row of an imported file. It calls no
 * external system: with `cancel_after` it marks the open link, and the sweeper cancels the link
 * after the commit, at `cancelBySweeperAt`.
 *
 * @returns `openLink`: the link that was marked; null without one.
 * @throws LinkOpenFailure as `changeLoan` does. The caller must roll back.
 */
export async function changeLoanInTransaction<T>(
  sql: Sql,
  change: LoanChange<T>,
  now: Date,
  { cancelled = null, cancelBySweeperAt = now }: { cancelled?: LinkCancelOutcome | null; cancelBySweeperAt?: Date } = {},
): Promise<{ answer: T; openLink: LinkRow | null }> {
  const { borrowerId, loanId, whileLinkOpen, actor } = change
  const { actorId } = actor
  const locked = await lockOwnLoan(sql, borrowerId, loanId)
  const own = change.proposal ? { ...locked, proposalId: change.proposal.proposalId } : locked
  const { answer, log } = await change.write({ sql, own, now, actorId })
  if (log === null) return { answer, openLink: null }
  const debit = whileLinkOpen === 'refuse' ? await findPresentedDebit(sql, borrowerId, loanId) : undefined
  if (debit) throw debitInProgress(debit, now)
  const openLink = whileLinkOpen === 'keep' ? undefined : await findOpenLink(sql, borrowerId, loanId)
  if (openLink && whileLinkOpen === 'refuse' && !(change.dryRun && change.cancelLink)) throw new LinkOpenFailure(openLink)
  if (change.dryRun) throw new DryRun(answer)
  if (openLink) await requestLinkCancel(sql, openLink, { at: now, by: actorId, nextCheckAt: cancelBySweeperAt })
  await logAccess(sql, {
    at: now,
    subjectId: borrowerId,
    actorId,
    action: log.action,
    outcome: 'done',
    origin: originOf(change),
    detail: {
      lan: own.loan.lan,
      ...(change.proposal && { proposal: change.proposal.proposalId }),
      ...(openLink && { cancelled_link: openLink.reference }),
      ...(cancelled && { cancelled_link: cancelled.link.reference }),
      ...log.detail,
      ...operatorDetail(actor),
    },
  })
  return { answer, openLink: openLink ?? null }
}
