import { addDays, dayAtMs, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { minuteMs, hourMs } from '#domain/durations.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import { sumPaise } from '#domain/money.ts'
import type { Database } from '#server/database/connect.ts'
import { readOwnLoanById } from '#server/loans/own-loan.ts'
import { isTakenByBank } from '#server/loans/refund-facts-store.ts'
import { listProviderPostings } from '../postings.ts'
import type { Observer, SimulatedProvider } from './provider.ts'
import { isReturned, outcomeAt, reasons, refundedOf, type MandateRecord, type MoneyRecord, type OrderRecord } from './records.ts'

/** What a history may not show. Each finding is one line. */
export const findingKinds = ['lost', 'doubled', 'broken', 'unannounced', 'after-close', 'both-open'] as const
export type FindingKind = (typeof findingKinds)[number]
export type Finding = { kind: FindingKind; text: string }

/** The clocks of two workers differ by up to so much. */
const clockSpreadMs = 20 * minuteMs
/** NPCI's windows of UPI, with the ten minutes by which a clock may be wrong. */
const upiWindows: readonly (readonly [fromHour: number, toHour: number])[] = [
  [0, 10 + 1 / 6],
  [13 - 1 / 6, 17 + 1 / 6],
  [21.5 - 1 / 6, 24],
]
const presentationsMax = 3
/**
 * The longest time from the last look at the mandate until the request reaches the provider. The
 * borrower can end it meanwhile in the app; the provider refuses such a debit.
 */
const onItsWayMs = 10_000

/** A loan of the histories. `hasOtherMoney`: something besides debits changed what it owes. */
export type JudgedLoan = { borrowerId: string; loanId: string; lan: string; phone: string; hasOtherMoney: boolean }

/**
 * Judges the requests as they reach the provider, and in the end compares the provider's money with
 * the ledger. It knows the loans by the engine and the borrower's requests by the histories, and
 * nothing of the decisions of the code under test.
 */
export class Judge implements Observer {
  readonly findings: Finding[] = []
  /** The loans of the group, by id. */
  readonly loans = new Map<string, JudgedLoan>()
  /** How often the borrower asked to have the debit of a loan's due date tried again. */
  private readonly askedRetries = new Map<string, number>()
  private readonly database: Database
  private readonly provider: () => SimulatedProvider

  constructor(database: Database, provider: () => SimulatedProvider) {
    this.database = database
    this.provider = provider
  }

  addRetry(loanId: string, dueOn: string): void {
    const name = `${loanId} ${dueOn}`
    this.askedRetries.set(name, (this.askedRetries.get(name) ?? 0) + 1)
  }

  add = (kind: FindingKind, text: string): void => void this.findings.push({ kind, text })

  async loanOfLink(reference: string): Promise<string> {
    const link = await this.database.asSystem((sql) =>
      sql.selectFrom('payment_links').select('loan_id').where('reference', '=', reference).executeTakeFirstOrThrow(),
    )
    return link.loan_id
  }

  linkRequested(loanId: string): void {
    for (const { money } of this.provider().pendingDebits(loanId))
      this.add('both-open', `loan ${this.nameOf(loanId)}: a link is made while debit ${money.id} is presented`)
  }

  async debitRequested(order: OrderRecord, mandate: MandateRecord, nowMs: number): Promise<{ loanId: string; dueOn: string }> {
    const reference = order.receipt.replace(/-\d+$/, '')
    const row = await this.database.asSystem((sql) =>
      sql
        .selectFrom('collections')
        .select(['borrower_id', 'loan_id', 'collection_id', 'due_on'])
        .where('reference', '=', reference)
        .executeTakeFirstOrThrow(),
    )
    const named = { loanId: row.loan_id, dueOn: row.due_on }
    const what = `loan ${this.nameOf(row.loan_id)}: debit ${reference} of ${row.due_on} at ${new Date(nowMs).toISOString()}`
    this.judgeRepetition(order, named, what)
    await this.judgeLateSuccess(named.loanId, nowMs, what)
    for (const link of this.provider().payableLinks(row.loan_id)) this.add('both-open', `${what} while link ${link.id} can be paid`)
    this.judgeMoment(order, mandate, nowMs, what)
    await this.judgeNotice(order, row, nowMs, what)
    await this.judgeLoan(order, row, nowMs, what)
    return named
  }

  /** One request for an order, one debit of a loan at a time, none again without the borrower. */
  private judgeRepetition(order: OrderRecord, { loanId, dueOn }: { loanId: string; dueOn: string }, what: string): void {
    const earlier = [...this.provider().debits.values()].filter((debit) => debit.loanId === loanId)
    if (earlier.some(({ orderId }) => orderId === order.id)) this.add('doubled', `${what} is requested again`)
    for (const { money } of this.provider().pendingDebits(loanId)) this.add('doubled', `${what} while debit ${money.id} is pending`)
    const ofDueDate = earlier.filter((debit) => debit.dueOn === dueOn)
    if (ofDueDate.length >= presentationsMax) this.add('broken', `${what} is presentation ${ofDueDate.length + 1} of its due date`)
    // One retry follows by itself, after a technical failure.
    const failures = ofDueDate.flatMap(({ outcomes }) => outcomes.filter(({ status }) => status === 'failed'))
    const technical = failures.filter(({ reason }) => reasons.technical.some((one) => one === reason)).length
    const needed = failures.length - Math.min(technical, 1)
    const asked = this.askedRetries.get(`${loanId} ${dueOn}`) ?? 0
    if (asked >= needed) return
    const reasonsGiven = failures.map(({ reason }) => reason).join(', ')
    this.add('broken', `${what} tries again without the borrower, who asked ${asked} times, after ${reasonsGiven}`)
  }

  /** Fails if an earlier debit that had failed has succeeded late and is not posted. */
  private async judgeLateSuccess(loanId: string, nowMs: number, what: string): Promise<void> {
    const succeeded = [...this.provider().debits.values()].filter(
      (debit) => debit.loanId === loanId && debit.outcomes.length > 1 && outcomeAt(debit, nowMs - clockSpreadMs)?.status === 'captured',
    )
    if (succeeded.length === 0) return
    const stored = await this.database.asSystem((sql) =>
      sql.selectFrom('provider_payments').select('provider_payment_id').where('loan_id', '=', loanId).execute(),
    )
    for (const { money } of succeeded)
      if (!stored.some(({ provider_payment_id }) => provider_payment_id === money.id))
        this.add('doubled', `${what} although debit ${money.id} has succeeded late`)
  }

  /** An approved mandate, its cap, and the hours of the banks. */
  private judgeMoment(order: OrderRecord, mandate: MandateRecord, nowMs: number, what: string): void {
    const { status, toldConfirmedMs } = mandate.token ?? { status: 'not approved', toldConfirmedMs: null }
    const wasConfirmed = toldConfirmedMs !== null && toldConfirmedMs > nowMs - onItsWayMs
    if (status !== 'confirmed' && !wasConfirmed) this.add('broken', `${what} under a mandate that is ${status}`)
    if (order.amountPaise > mandate.maximumPaise) this.add('broken', `${what} of ${order.amountPaise} paise is above the cap`)
    const hour = (nowMs - startOfDayInIndiaMs(dayAtMs(nowMs))) / hourMs
    const windows = mandate.method === 'upi' ? upiWindows : [[0, 24]]
    if (!windows.some(([from = 0, to = 0]) => hour >= from && hour < to)) this.add('broken', `${what} is outside of the windows`)
  }

  /** A day before: our notice of this amount and day; for UPI also the provider's notification. */
  private async judgeNotice(
    order: OrderRecord,
    { borrower_id, collection_id }: { borrower_id: string; collection_id: string },
    nowMs: number,
    what: string,
  ): Promise<void> {
    const latestMs = nowMs - 24 * hourMs
    if (order.tokenId !== null && (order.deliveredMs === null || order.deliveredMs > latestMs))
      this.add('unannounced', `${what}: its notification was delivered at ${new Date(order.deliveredMs ?? 0).toISOString()}`)
    const notices = await this.database.asSystem((sql) =>
      sql
        .selectFrom('notices')
        .select(['about', 'amount_paise', 'about_on', 'created_at'])
        .where('borrower_id', '=', borrower_id)
        .where('kind', '=', 'autopay_announced')
        .execute(),
    )
    // Around midnight the worker's clock may show another day.
    const days = [nowMs - clockSpreadMs, nowMs + clockSpreadMs].map(dayAtMs)
    const isTold = notices.some(
      ({ about, amount_paise, about_on, created_at }) =>
        about.includes(collection_id) &&
        amount_paise === order.amountPaise &&
        days.some((day) => day === about_on) &&
        created_at.getTime() <= latestMs + clockSpreadMs,
    )
    if (!isTold) this.add('unannounced', `${what} of ${order.amountPaise} paise has no notice of that day a day before`)
  }

  /** Not for a closed loan, and not for more than the engine finds unpaid. */
  private async judgeLoan(
    order: OrderRecord,
    { borrower_id, loan_id }: { borrower_id: string; loan_id: string },
    nowMs: number,
    what: string,
  ): Promise<void> {
    // Around midnight the workers' clocks may show another day.
    const days = [nowMs - clockSpreadMs, nowMs + clockSpreadMs].map(dayAtMs)
    const states = await Promise.all(days.map((day) => this.stateOn(borrower_id, loan_id, day)))
    if (states.every(({ status }) => status === 'CLOSED')) this.add('after-close', what)
    const unpaid = states.map((state, index) => unpaidPaise(state, days[index] as Day))
    if (unpaid.every((paise) => paise < order.amountPaise))
      this.add('doubled', `${what} of ${order.amountPaise} paise, and ${unpaid.join(' or ')} are unpaid`)
  }

  stateOn(borrowerId: string, loanId: string, day: Day): Promise<LoanState> {
    return this.database.asBorrower(borrowerId, async (sql) => loanStateDuring((await readOwnLoanById(sql, borrowerId, loanId)).facts, day))
  }

  nameOf = (loanId: string): string => this.loans.get(loanId)?.lan ?? loanId

  /** Compares the money at the provider with the ledger, when everything is at rest. */
  async compareMoney(nowMs: number): Promise<void> {
    const postings = await this.readPostings()
    const taken = await this.readTaken()
    const provider = this.provider()
    const links = [...provider.links.values()].flatMap(({ payments, loanId }) => payments.map((money) => ({ money, loanId })))
    for (const { money, loanId } of links) this.compareOne(money, loanId, postings, null)
    for (const debit of provider.debits.values())
      if (outcomeAt(debit, nowMs)?.status === 'captured') {
        const isReversed = isReturned(debit, nowMs) && taken.get(debit.money.id) !== debit.money.amountPaise
        this.compareOne(debit.money, debit.loanId, postings, isReversed)
      } else if (postings.has(debit.money.id)) this.add('doubled', `debit ${debit.money.id} failed and is in the ledger`)
  }

  private compareOne(money: MoneyRecord, loanId: string, postings: ReadonlyMap<string, Posting[]>, returned: boolean | null): void {
    const what = `loan ${this.nameOf(loanId)}: payment ${money.id} of ${money.amountPaise} paise`
    const all = postings.get(money.id) ?? []
    const kept = all.filter(({ isReversed }) => !isReversed)
    if (all.length === 0) return this.add('lost', `${what} is not in the ledger`)
    if (kept.length > 1) this.add('doubled', `${what} is in the ledger ${kept.length} times`)
    if (kept.some(({ amountPaise }) => amountPaise !== money.amountPaise)) this.add('broken', `${what} has another amount in the ledger`)
    if (money.refunds.length > 1 || refundedOf(money) > money.amountPaise)
      this.add('doubled', `${what} was refunded ${money.refunds.length} times`)
    // Money that was refunded before its bank took it back is for a person.
    if (returned === true && kept.length > 0 && refundedOf(money) === 0n) this.add('broken', `${what} was taken back and still counts`)
    if (returned !== true && kept.length === 0) this.add('lost', `${what} was reversed without a reason`)
  }

  /**
   * What the bank took of each payment whose refund had failed: the posting of the payment stays,
   * and one of the refund takes the money out.
   */
  private async readTaken(): Promise<Map<string, bigint>> {
    const rows = await this.database.asSystem((sql) =>
      sql
        .selectFrom('refunds')
        .select(['provider_payment_id', 'provider_refund_id', 'amount_paise'])
        .where('status', '=', 'processed')
        .execute(),
    )
    const taken = Map.groupBy(rows.filter(isTakenByBank), ({ provider_payment_id }) => provider_payment_id)
    return new Map(Array.from(taken, ([id, parts]) => [id, sumPaise(parts.map(({ amount_paise }) => amount_paise))]))
  }

  private async readPostings(): Promise<Map<string, Posting[]>> {
    const rows = await this.database.asSystem(listProviderPostings)
    const postings = rows.map(({ source_id, amount_paise, reversed_by }) => ({
      id: source_id.slice(0, 'pay_'.length + 14),
      amountPaise: amount_paise,
      isReversed: reversed_by !== null,
    }))
    return Map.groupBy(postings, ({ id }) => id)
  }

  /** Every debit is over, what was paid twice went back, and closed loans have no mandate. */
  async judgeRest(nowMs: number): Promise<void> {
    const day = dayAtMs(nowMs)
    const open = await this.database.asSystem((sql) =>
      sql
        .selectFrom('collections')
        .select(['reference', 'status', 'debit_on'])
        .where('status', 'in', ['announced', 'presented'])
        .where('debit_on', '<', addDays(day, -1))
        .execute(),
    )
    for (const { reference, status, debit_on } of open) this.add('broken', `debit ${reference} of ${debit_on} is still ${status}`)
    for (const { borrowerId, loanId, lan, hasOtherMoney } of this.loans.values()) {
      const state = await this.stateOn(borrowerId, loanId, day)
      if (state.creditPaise > 0n && !hasOtherMoney) this.add('doubled', `loan ${lan}: debits paid ${state.creditPaise} paise too much`)
      if (state.status !== 'CLOSED') continue
      const live = await this.database.asSystem((sql) =>
        sql
          .selectFrom('mandates')
          .select(['reference', 'status', 'token_id'])
          .where('loan_id', '=', loanId)
          .where('token_id', 'is not', null)
          .execute(),
      )
      for (const { reference, token_id } of live)
        if (this.provider().findToken(token_id ?? '')?.token?.status === 'confirmed')
          this.add('after-close', `loan ${lan} is closed, and its mandate ${reference} is confirmed at the provider`)
    }
  }
}

type Posting = { id: string; amountPaise: bigint; isReversed: boolean }

/** Everything unpaid that is due on a day, instalments and charges. */
function unpaidPaise({ rows }: LoanState, day: Day): bigint {
  const ofRow = (row: LoanState['rows'][number]) =>
    (row.dueDate <= day ? row.repaymentAmountPaise - row.paidInterestPaise - row.paidPrincipalPaise : 0n) +
    row.charges.reduce((sum, { pendingPaise }) => sum + pendingPaise, 0n)
  return rows.reduce((sum, row) => sum + ofRow(row), 0n)
}
