import type { Day } from './calendar.ts'
import { addDays, addMonths, daysBetween, monthOf, yearOf } from './calendar.ts'
import type { Charge, KeptRow, LateChargeHold, LoanFacts, LoanTerms, RateChange, ReceivedPayment } from './loans.ts'

/**
 * A second, slow calculator of a loan, straight from the decisions: it walks day by day, keeps no
 * running totals, computes every row anew from all that happened whenever it needs one, and rounds
 * exact fractions. It shares nothing with the engine but the calendar, so that a mistake would have
 * to be made twice, in two ways. Amounts are whole paise.
 */
type RefereeRow = { due: Day; interest: bigint; principal: bigint; closing: bigint; paidInterest: bigint; paidPrincipal: bigint }
type RefereePayment = { paymentId: string; interest: bigint; principal: bigint; charges: bigint; excess: bigint; held: bigint }
export type RefereeState = {
  rows: RefereeRow[]
  dues: bigint
  dpd: number
  /** The same as a page shows it during the day. */
  dpdDuring: number
  credit: bigint
  held: bigint
  short: bigint
  outstanding: bigint
  payoff: bigint
  payments: RefereePayment[]
}

const ppb = 1_000_000_000n

function half(numerator: bigint, denominator: bigint): bigint {
  const whole = numerator / denominator
  const rest = numerator % denominator
  if (rest * 2n === denominator) return whole % 2n === 0n ? whole : whole + 1n
  return rest * 2n > denominator ? whole + 1n : whole
}

const larger = (left: bigint, right: bigint): bigint => (left > right ? left : right)
const smaller = (left: bigint, right: bigint): bigint => (left < right ? left : right)
const total = <Item>(items: readonly Item[], amount: (item: Item) => bigint): bigint => items.reduce((sum, item) => sum + amount(item), 0n)

/**
 * P ÷ (v + v² + … + vⁿ) with v = 1 ÷ (1 + i) and i as a fraction: the definition instead of the
 * closed formula.
 */
function instalmentByDefinition(
  principal: bigint,
  rateTop: bigint,
  rateBottom: bigint,
  count: number,
  rounding: LoanTerms['instalmentRounding'],
): bigint {
  let sumTop = 0n
  let sumBottom = 1n
  for (let index = 0; index < count; index += 1) {
    sumTop = (sumTop + sumBottom) * rateBottom
    sumBottom *= rateBottom + rateTop
  }
  const unit = rounding.startsWith('rupee') ? 100n : 1n
  const top = principal * sumBottom
  const bottom = sumTop * unit
  if (rounding.endsWith('half_even')) return half(top, bottom) * unit
  return (top / bottom + (top % bottom === 0n ? 0n : 1n)) * unit
}

/**
 * A fact after which the instalment or the number of rows is computed again. `set` sets the new
 * ones; `again` follows a kept bill, with the prepayments that wait for it.
 */
type Ask = {
  at: number
  day: Day
  /** The first day on which a row can begin that this counts for. */
  from: Day
  kind: 'emi' | 'released' | 'given' | 'tenor' | 'set' | 'again'
  plan: Plan | null
  kept: bigint
  given?: bigint
  /** The number of rows before this fact, under the instalment that it ends. */
  rowsBefore?: number
  /** A part payment that reduces the EMI over the same due dates. */
  byPayment?: boolean
}
/** `spared`: agreed rows that a fixed instalment did not need. A later disbursal has them again. */
type Plan = { instalment: bigint; lastRow: number; released: boolean; spared: number }
/**
 * `carry`: interest of earlier periods that no row has billed yet; negative if more was billed.
 * `ahead`: principal of the row that is paid already.
 */
type RowStart = { row: number; start: Day; carry: bigint; ahead: bigint }
type Ahead = { at: number; day: Day; row: number; interest: bigint; principal: bigint; whole: Plan | null }
type Period = { start: Day; end: Day; month: number | null }
type PlannedRow = RefereeRow & { start: Day; instalment: bigint; isOpen: boolean; plan: Plan }
type Computed = {
  rows: PlannedRow[]
  periods: Period[]
  capitalised: bigint
  capitalDay: Day | null
  carry: bigint
  next: Plan
  balanceOn: (day: Day) => bigint
}

export class Referee {
  private readonly facts: LoanFacts
  private readonly terms: LoanTerms
  private readonly byDays: boolean
  private readonly first: Day
  private readonly dues: { due: Day[]; interestOnly: number; deferral: Day[]; waiting: Day[] }
  /** Every day on which a row can fall due. */
  private readonly dueDays: ReadonlySet<Day>
  /** When a due day is looked at for a late charge, where that has moved. Null: not any more. */
  private readonly lateChecks = new Map<Day, Day | null>()
  private now: Day
  private clock = 0
  private rates: { day: Day; rate: bigint }[]
  private readonly disbursed: { day: Day; amount: bigint }[] = []
  /** The bills that stay as they were when a disbursal was recorded. */
  private readonly kept = new Map<Day, KeptRow & { at: number; day: Day }>()
  /** `from` as in {@link Ask}. */
  private readonly prepaid: { day: Day; amount: bigint; from: Day }[] = []
  private readonly asks: Ask[] = []
  private readonly ahead: Ahead[] = []
  private readonly paid: { row: number; day: Day; interest: bigint; principal: bigint }[] = []
  private readonly charges: { id: string; day: Day; penal: boolean; left: bigint }[] = []
  private readonly payments: RefereePayment[] = []
  private closed: PlannedRow[] | null = null
  private credit = 0n
  private held = 0n
  /** Refunds that the credit did not cover. */
  private short = 0n
  private givenBack = 0n
  private lastChangeDays: { known: string; days: readonly Day[] } | null = null
  private last: { known: string; computed: Computed } | null = null

  constructor(facts: LoanFacts) {
    this.facts = facts
    this.terms = facts.terms
    this.byDays = facts.terms.interest === 'actual_365'
    this.first = facts.disbursals.map(({ date }) => date).toSorted()[0] ?? facts.terms.firstDueDate
    this.now = this.first
    this.rates = [{ day: '0000-01-01' as Day, rate: BigInt(facts.terms.annualRatePpb) }]
    this.dues = this.rowDays()
    this.dueDays = new Set(Array.from({ length: this.dues.due.length + 120 }, (_, index) => this.dueDay(index)))
  }

  /** The loan at the end of a day. Call it once, because it advances through all days up to it. */
  state(day: Day): RefereeState {
    for (let date = this.first; date <= day; date = addDays(date, 1)) this.live(date)
    const computed = this.compute()
    const due = computed.rows.filter((row) => row.due <= day && left(row) > 0n)
    return {
      rows: computed.rows,
      dues: total(due, left) + total(this.charges, (charge) => charge.left),
      dpd: daysPastDue(due, day),
      dpdDuring: daysPastDue(due, addDays(day, -1)),
      credit: this.credit,
      held: this.held,
      short: this.short,
      outstanding: this.outstanding(computed),
      payoff: this.closed === null ? this.payoffOf(computed).amount : 0n,
      payments: this.payments,
    }
  }

  /** All facts of one day, in their order. */
  private live(day: Day): void {
    this.now = day
    if (this.disbursed.length > 0) {
      this.fallDue(day)
      this.raiseLateCharges(day)
      if (this.dueDays.has(day)) this.giveBack()
    }
    for (const { date, amountPaise, keptRows = [] } of this.facts.disbursals) {
      if (date !== day) continue
      this.ask('emi')
      this.disbursed.push({ day, amount: amountPaise })
      for (const row of keptRows) if (!this.kept.has(row.dueDate)) this.kept.set(row.dueDate, { ...row, at: this.clock, day })
    }
    for (const change of this.facts.rateChanges) if (change.date === day) this.changeRate(change)
    for (const charge of this.facts.charges) if (charge.date === day) this.charge(charge)
    for (const charge of this.facts.charges) if (charge.waivedOn === day && charge.date < day) this.waive(charge)
    for (const payment of this.facts.payments) {
      if (payment.date !== day) continue
      this.receive(payment)
      this.sendBack(0n)
    }
    for (const waiver of this.facts.foreclosureWaivers) if (waiver.date === day) this.writeOff(waiver.amountPaise)
    for (const refund of this.facts.refunds) if (refund.date === day) this.sendBack(refund.amountPaise)
  }

  /** Refunded credit is no longer credit. A refund without credit is owed until there is some. */
  private sendBack(more: bigint): void {
    this.short += more
    const now = smaller(this.credit, this.short)
    this.credit -= now
    this.short -= now
    this.held += now
  }

  private ask(kind: Ask['kind'], plan: Plan | null = null, kept = 0n, byPayment = false, from: Day = this.now): void {
    const rowsBefore = kind === 'released' ? { rowsBefore: this.compute().rows.length } : {}
    this.clock += 1
    this.asks.push({ at: this.clock, day: this.now, from, kind, plan, kept, byPayment, ...rowsBefore })
  }

  private fallDue(day: Day): void {
    if (this.credit > 0n && this.dueDays.has(day)) this.useCredit()
  }

  private raiseLateCharges(day: Day): void {
    const rule = this.terms.lateCharge
    if (rule === null || this.closed !== null) return
    for (const due of [...this.dueDays].toSorted()) {
      const check = this.lateChecks.has(due) ? this.lateChecks.get(due) : addDays(due, rule.graceDays + 1)
      if (check !== day) continue
      if (!this.compute().rows.some((row) => row.due === due && left(row) >= 100n)) continue
      const ends = this.endsOfHolds(due, day)
      if (ends.length > 0) {
        const last = ends.reduce((one, other) => (one === null || other === null ? null : one > other ? one : other))
        this.lateChecks.set(due, last === null ? null : addDays(last, 1))
        continue
      }
      const id = `late:${due}`
      if (this.facts.charges.some(({ chargeId }) => chargeId === id)) continue
      this.charges.push({ id, day, penal: true, left: rule.amountPaise })
      this.useCredit()
    }
  }

  /** The last days of what holds the charge of a due day. Null: nobody knows yet. */
  private endsOfHolds(due: Day, day: Day): (Day | null)[] {
    const all = this.facts.lateChargeHolds ?? []
    const holds = all.filter(({ from, until }) => from <= day && (until === null || day <= until))
    const debits = holds.flatMap((hold) => ('dueDates' in hold && hold.dueDates.includes(due) ? [hold.until] : []))
    const gone = holds.flatMap((hold) => ('takenBack' in hold ? [hold] : [])).toSorted((one, other) => (one.until < other.until ? -1 : 1))
    const [first] = gone
    if (first === undefined) return debits
    if (gone.some(({ holdsAll }) => holdsAll)) return [...debits, first.until]
    const payments = [...this.facts.payments, ...gone.map(({ takenBack }) => takenBack)]
    const others = all
      .filter((hold) => !holds.includes(hold) || 'dueDates' in hold)
      .map((hold): LateChargeHold => ('takenBack' in hold ? { ...hold, holdsAll: true } : hold))
    const asSeen = new Referee({ ...this.facts, payments, lateChargeHolds: others }).state(addDays(day, -1))
    return asSeen.rows.some((row) => row.due === due && left(row) >= 100n) ? debits : [...debits, first.until]
  }

  private changeRate(change: RateChange): void {
    this.askByRate(change)
    this.rates = [...this.rates, { day: this.now, rate: BigInt(change.annualRatePpb) }]
  }

  /** Before the rate changes. */
  private askByRate(change: RateChange): void {
    const begun = this.disbursed.length > 0 && this.hasInstalment(this.compute())
    if (change.keep === 'both') {
      if (this.disbursed.length > 0) this.askForInstalment(change.instalmentPaise)
      return
    }
    const isGivenBefore = this.asks.some(({ kind }) => kind === 'given')
    if (begun && change.keep === 'instalment') this.askForTenor()
    else if (begun || (isGivenBefore && change.keep === 'tenor')) this.ask('released')
  }

  /** The instalment is what the rows after today have without the day's first new rate. */
  private askForTenor(): void {
    const isFirst = this.rates.at(-1)?.day !== this.now
    const next = this.compute().rows.find(({ start, isOpen }) => isFirst && start >= this.now && isOpen)
    this.clock += 1
    const kept = { plan: null, kept: 0n, ...(next !== undefined && { given: next.plan.instalment }) }
    this.asks.push({ at: this.clock, day: this.now, from: this.now, kind: 'tenor', ...kept })
  }

  private askForInstalment(given: bigint): void {
    const rowsBefore = this.compute().rows.length
    this.clock += 1
    this.asks.push({ at: this.clock, day: this.now, from: this.now, kind: 'given', plan: null, kept: 0n, given, rowsBefore })
  }

  /**
   * True if there is an instalment to keep: the latest row with an EMI that began before today or
   * was paid ahead has one. It has none where nothing was owed.
   */
  private hasInstalment({ rows }: Computed): boolean {
    if (this.asks.some(({ kind }) => kind === 'set')) return true
    const latest = rows.findLast(
      (row, index) =>
        index >= this.dues.interestOnly && (row.start < this.now || this.ahead.some((part) => part.row === index && part.whole !== null)),
    )
    return latest !== undefined && latest.plan.instalment > 0n
  }

  private charge(charge: Charge): void {
    const { chargeId, amountPaise, penal } = charge
    // A waived late charge that had no cause, as later facts show, takes no money.
    const hadCause = !chargeId.startsWith('late:') || this.compute().rows.some((row) => `late:${row.due}` === chargeId && left(row) >= 100n)
    this.charges.push({ id: chargeId, day: this.now, penal, left: hadCause ? amountPaise : 0n })
    // Waived on its own day, it is as if the waived part had never been charged.
    if (charge.waivedOn !== null && charge.waivedOn <= this.now) this.waive(charge)
    this.useCredit()
  }

  /** What was decided, at most what is left. */
  private waive({ chargeId, waivedPaise }: Charge): void {
    for (const charge of this.charges)
      if (charge.id === chargeId) charge.left = waivedPaise === undefined ? 0n : larger(0n, charge.left - waivedPaise)
  }

  /**
   * Interest paid ahead for days that never come becomes the borrower's credit once nothing bears
   * interest.
   */
  private giveBack(): void {
    if (this.closed !== null || this.disbursed.length === 0) return
    const computed = this.compute()
    const isUnpaid = computed.rows.some((row) => (row.due <= this.now || !row.isOpen) && left(row) > 0n)
    const bearsInterest = this.byDays
      ? this.outstanding(computed) > 0n
      : computed.rows.some((row) => row.due > this.now && row.principal > 0n)
    if (isUnpaid || bearsInterest || this.unbilled(computed) > 0n) return
    const amount = -this.runUnbilled(computed, this.now)
    if (amount <= 0n) return
    this.givenBack += amount
    this.credit += amount
    this.useCredit()
  }

  private useCredit(): void {
    this.sendBack(0n)
    const money = this.credit
    this.credit = 0n
    this.credit = this.payDue(this.now, money, { paymentId: '', interest: 0n, principal: 0n, charges: 0n, excess: 0n, held: 0n })
  }

  private receive(payment: ReceivedPayment): void {
    const into: RefereePayment = {
      paymentId: payment.paymentId,
      interest: 0n,
      principal: 0n,
      charges: 0n,
      excess: 0n,
      held: payment.heldPaise ?? 0n,
    }
    this.payments.push(into)
    this.held += into.held
    let money: bigint = payment.amountPaise - into.held
    if (money === 0n) return
    const { quotedAheadFor } = payment
    const evening = addDays(this.now, -1)
    if (quotedAheadFor === this.now)
      for (const charge of this.charges) {
        const isLeftOut = payment.purpose === 'OVERDUE' && charge.id === `late:${evening}`
        if (charge.id.startsWith('late:') && charge.day === this.now && !isLeftOut) charge.left = 0n
      }
    if (payment.purpose === 'FORECLOSURE' && this.closed === null) {
      if (quotedAheadFor !== undefined && quotedAheadFor > this.now) money = this.payUpToQuote(quotedAheadFor, money, into)
      const rest = this.foreclose(money, into, quotedAheadFor)
      money = rest ?? this.fallShort(money, into, quotedAheadFor)
    } else {
      if (payment.purpose === 'PAY_EMI') {
        if (quotedAheadFor !== undefined && quotedAheadFor > this.now) this.payFromCredit(quotedAheadFor)
        money = this.payInstalment(money, into)
      }
      const seenOn = quotedAheadFor === undefined ? this.now : addDays(quotedAheadFor, -1)
      if (payment.purpose === 'OVERDUE') money = this.payDue(addDays(seenOn, -1), money, into)
      money = this.payDue(this.now, money, into)
      if (payment.purpose === 'PART_PAYMENT__REDUCE_EMI' || payment.purpose === 'PART_PAYMENT__REDUCE_TENOR') {
        if (quotedAheadFor !== undefined && quotedAheadFor > this.now) money = this.payUpToQuote(quotedAheadFor, money, into)
        money = this.prepay(money, payment.purpose, into, quotedAheadFor)
      }
    }
    into.excess = money
    this.credit += money
    this.giveBack()
  }

  private payRow(index: number, row: RefereeRow, money: bigint, into: RefereePayment): bigint {
    const interest = smaller(money, row.interest - row.paidInterest)
    const principal = smaller(money - interest, row.principal - row.paidPrincipal)
    if (interest + principal > 0n) this.paid.push({ row: index, day: this.now, interest, principal })
    into.interest += interest
    into.principal += principal
    return money - interest - principal
  }

  private payRows(upTo: Day, money: bigint, into: RefereePayment): bigint {
    let rest = money
    for (const [index, row] of this.compute().rows.entries())
      if (row.due <= upTo && left(row) > 0n) rest = this.payRow(index, row, rest, into)
    return rest
  }

  private payCharges(upTo: Day, money: bigint, into: RefereePayment): bigint {
    let rest = money
    const later = (id: string): boolean => id.startsWith('late:') && id > `late:${upTo}`
    for (const charge of [...this.charges.filter(({ penal }) => !penal), ...this.charges.filter(({ penal }) => penal)]) {
      const part = later(charge.id) ? 0n : smaller(rest, charge.left)
      charge.left -= part
      into.charges += part
      rest -= part
    }
    return rest
  }

  private payDue(upTo: Day, money: bigint, into: RefereePayment): bigint {
    if (this.terms.allocation === 'charges_first') return this.payRows(upTo, this.payCharges(upTo, money, into), into)
    return this.payCharges(upTo, this.payRows(upTo, money, into), into)
  }

  private payInstalment(money: bigint, into: RefereePayment): bigint {
    const { rows, capitalDay } = this.compute()
    for (const [index, row] of rows.entries()) {
      if (row.due > this.now || left(row) === 0n) continue
      const rest = this.payRow(index, row, money, into)
      return left(row) < 100n && rest > 0n ? this.payInstalment(rest, into) : rest
    }
    if (capitalDay !== null && capitalDay > this.now) return money
    for (const [index, row] of rows.entries()) {
      if (!row.isOpen || row.due <= this.now) continue
      if (left(row) === 0n) {
        this.clock += 1
        this.ahead.push({ at: this.clock, day: this.now, row: index, interest: 0n, principal: 0n, whole: { ...row.plan } })
        continue
      }
      const interest = smaller(money, row.interest - row.paidInterest)
      const principal = smaller(money - interest, row.principal - row.paidPrincipal)
      const isWhole = interest + principal === left(row)
      const isPlannedNow = row.start >= this.now && index >= this.dues.interestOnly
      if (!isWhole && isPlannedNow) this.ask('set', row.plan)
      this.clock += 1
      this.ahead.push({ at: this.clock, day: this.now, row: index, interest, principal, whole: isWhole ? { ...row.plan } : null })
      into.interest += interest
      into.principal += principal
      return money - interest - principal
    }
    return money
  }

  /**
   * A quote shows the EMI as computed on its own day, when a row of the evening before has begun
   * already.
   */
  private prepay(
    money: bigint,
    purpose: 'PART_PAYMENT__REDUCE_EMI' | 'PART_PAYMENT__REDUCE_TENOR',
    into: RefereePayment,
    quotedFor: Day = this.now,
  ): bigint {
    const computed = this.compute()
    const amount = smaller(money, this.unbilled(computed) - this.partlyAhead(computed))
    if (amount <= 0n) return money
    const reducesEmi = purpose === 'PART_PAYMENT__REDUCE_EMI'
    // Part payments count in their order: none before another that its quote put off by a day.
    const from = [reducesEmi ? quotedFor : this.now, ...this.prepaid.map((part) => part.from)].toSorted().at(-1) ?? this.now
    if (reducesEmi) this.ask('released', null, 0n, true, from)
    else this.ask('tenor', null, amount, false, from)
    this.prepaid.push({ day: this.now, amount, from })
    into.principal += amount
    return money - amount
  }

  /**
   * First pays what is due by the quote's day: what is due today, then the instalment of that day,
   * from the loan's credit before the money.
   */
  private payUpToQuote(quotedFor: Day, money: bigint, into: RefereePayment): bigint {
    const { capitalDay } = this.compute()
    if (this.closed !== null || (capitalDay !== null && capitalDay > this.now)) return money
    const rest = this.payDue(this.now, money, into)
    if (rest > 0n) this.payFromCredit(quotedFor)
    return rest > 0n && this.isOpenOn(quotedFor) ? this.payInstalment(rest, into) : rest
  }

  private isOpenOn(quotedFor: Day): boolean {
    return this.compute().rows.some((row) => row.due === quotedFor && row.isOpen && left(row) > 0n)
  }

  private payFromCredit(quotedFor: Day): void {
    const own = { paymentId: '', interest: 0n, principal: 0n, charges: 0n, excess: 0n, held: 0n }
    if (this.closed === null && this.credit > 0n && this.isOpenOn(quotedFor)) this.credit = this.payInstalment(this.credit, own)
  }

  /** Only principal of later rows than the one due on the quote's day is paid before its time. */
  private payoffOf(
    computed: Computed,
    quotedFor: Day = this.now,
  ): { amount: bigint; charge: bigint; tax: bigint; run: bigint; lastDay: bigint } {
    const unpaid = total(
      computed.rows.filter((row) => row.due <= this.now),
      left,
    )
    const run = this.runUnbilled(computed, this.now)
    const principal = this.unbilled(computed) - this.partlyAhead(computed)
    const isCharged = this.charges.some(({ id }) => id === `prepayment:${this.now}`)
    const rule = isCharged ? null : this.terms.prepaymentCharge
    const dueByQuote = computed.rows.filter((row) => row.isOpen && row.due > this.now && row.due <= quotedFor)
    const early = principal - total(dueByQuote, (row) => row.principal - row.paidPrincipal)
    const charge = rule === null ? 0n : half(early * BigInt(rule.ratePpb), ppb)
    const tax = rule === null ? 0n : half(charge * BigInt(rule.taxRatePpb), ppb)
    const amount = unpaid + run + principal + total(this.charges, (entry) => entry.left) + charge + tax - this.credit
    const open = computed.periods.find(({ start, end }) => start <= this.now && this.now < end)
    const endsToday = open === undefined || open.start === this.now
    const period = endsToday ? computed.periods.find(({ end }) => end === this.now) : open
    const upTo = (day: Day): bigint =>
      period === undefined || day <= period.start ? 0n : this.interestOver(period.start, day, period.month, computed.balanceOn)
    const lastDay = upTo(this.now) - upTo(addDays(this.now, -1))
    return { amount, charge, tax, run, lastDay }
  }

  private foreclose(money: bigint, into: RefereePayment, quotedFor?: Day): bigint | null {
    const computed = this.compute()
    const { amount, run, lastDay } = this.payoffOf(computed, quotedFor)
    const short = larger(0n, amount - money)
    const billed = computed.rows.find((row) => row.due === this.now)
    const unpaid = billed === undefined ? 0n : billed.interest - billed.paidInterest
    if (short > smaller(larger(run, 0n) + unpaid, larger(lastDay, 0n))) return null
    // On a due date the interest of the last day has just been billed.
    const ofBilled = smaller(short, unpaid)
    if (billed !== undefined) billed.interest -= ofBilled
    this.close(computed, run, short - ofBilled)
    this.credit = larger(0n, -amount)
    // The borrower's own money pays first, so only the sum of what the payment settled is compared.
    const used = smaller(money, larger(0n, amount - short))
    into.principal += used
    return money - used
  }

  /**
   * Too little to close the loan: pays what is due, then principal; if no principal is left,
   * everything that a foreclosure costs (decision 54).
   */
  private fallShort(money: bigint, into: RefereePayment, quotedFor?: Day): bigint {
    const { charge, tax } = this.payoffOf(this.compute(), quotedFor)
    const rest = this.payDue(this.now, money, into)
    const before = this.compute()
    const principal = this.unbilled(before) - this.partlyAhead(before)
    const left = this.prepay(rest, 'PART_PAYMENT__REDUCE_TENOR', into)
    if (rest < principal) return left
    if (charge > 0n) this.charges.push({ id: `prepayment:${this.now}`, day: this.now, penal: false, left: charge })
    if (tax > 0n) this.charges.push({ id: `prepayment tax:${this.now}`, day: this.now, penal: false, left: tax })
    const over = this.payDue(this.now, left > 0n ? this.payInstalment(left, into) : 0n, into)
    this.useCredit()
    return over
  }

  /**
   * The lender writes off everything left, unless that exceeds the decided amount. No prepayment
   * charge is owed.
   */
  private writeOff(most: bigint): void {
    if (this.closed !== null || this.disbursed.length === 0) return
    const computed = this.compute()
    const { amount, charge, tax, run } = this.payoffOf(computed)
    const remaining = amount - charge - tax
    if (remaining <= 0n || remaining > most) return
    this.close(computed, run, 0n)
    this.credit = 0n
  }

  private close(computed: Computed, run: bigint, short: bigint): void {
    const unbilled = this.unbilled(computed)
    const partly = this.ahead.filter(
      ({ whole, row }) =>
        whole === null &&
        (computed.rows[row]?.due ?? '9999-12-31') > this.now &&
        !this.ahead.some((part) => part.row === row && part.whole !== null),
    )
    const kept = computed.rows.filter((row) => row.due <= this.now || !row.isOpen)
    const interest = larger(run, 0n) - short + total(partly, (part) => part.interest)
    const open = computed.rows.find((row) => row.isOpen && row.due > this.now)
    const closing = unbilled > 0n || interest > 0n ? [{ ...(open ?? kept[0]), interest, principal: unbilled } as PlannedRow] : []
    const later = (index: number): bigint => total([...kept, ...closing].slice(index + 1), (row) => row.principal)
    this.closed = [...kept, ...closing].map((row, index) => ({
      ...row,
      closing: row.due <= this.now ? row.closing : later(index),
      paidInterest: row.interest,
      paidPrincipal: row.principal,
    }))
    for (const charge of this.charges) charge.left = 0n
  }

  private outstanding(computed: Computed): bigint {
    if (this.closed !== null) return 0n
    const billed = total(
      computed.rows.filter((row) => row.due <= this.now),
      (row) => row.principal - row.paidPrincipal,
    )
    return this.unbilled(computed) - this.partlyAhead(computed) + billed
  }

  /** Principal of no row that is due or paid ahead. */
  private unbilled({ rows, capitalised, capitalDay }: Computed): bigint {
    if (this.closed !== null) return 0n
    const put = total(this.disbursed, ({ amount }) => amount) + (capitalDay !== null && capitalDay <= this.now ? capitalised : 0n)
    return (
      put -
      total(this.prepaid, ({ amount }) => amount) -
      total(
        rows.filter((row) => row.due <= this.now || !row.isOpen),
        (row) => row.principal,
      )
    )
  }

  private partlyAhead({ rows }: Computed): bigint {
    const open = rows.findIndex((row) => row.isOpen && row.due > this.now)
    return total(
      this.ahead.filter((part) => part.row === open),
      (part) => part.principal,
    )
  }

  /** Interest of all days up to a day, less what was billed of it or paid ahead. */
  private runUnbilled({ rows, periods, capitalised, capitalDay, balanceOn }: Computed, day: Day): bigint {
    const run =
      this.givenBack +
      total(
        periods.filter(({ start }) => start < day),
        ({ start, end, month }) => this.interestOver(start, end < day ? end : day, month, balanceOn),
      )
    const billed = total(
      rows.filter((row) => row.due <= day || !row.isOpen),
      (row) => row.interest,
    )
    const open = rows.findIndex((row) => row.isOpen && row.due > day)
    const partly = total(
      this.ahead.filter((part) => part.row === open),
      (part) => part.interest,
    )
    return run - billed - partly - (capitalDay !== null && capitalDay <= day ? capitalised : 0n)
  }

  private rateOn(day: Day): bigint {
    return this.rates.filter((change) => change.day <= day).at(-1)?.rate ?? 0n
  }

  private grid(offset: number): Day {
    return addMonths(this.terms.firstDueDate, offset, this.terms.dueDay)
  }

  private rowDays(): { due: Day[]; interestOnly: number; deferral: Day[]; waiting: Day[] } {
    const { moratorium, instalments, principalGraceInstalments, firstDueDate } = this.terms
    const day = (offset: number): Day => (offset === 0 ? firstDueDate : this.grid(offset))
    const list = (from: number, count: number): Day[] => Array.from({ length: count }, (_, index) => day(from + index))
    if (moratorium === null || moratorium.until <= this.first)
      return { due: list(0, instalments), interestOnly: principalGraceInstalments, deferral: [], waiting: [] }
    let from = 0
    while (this.grid(from - 1) > this.first) from -= 1
    let begin = 0
    while (day(begin) <= moratorium.until) begin += 1
    const waiting = list(from, begin - from)
    const due = list(begin, instalments)
    if (moratorium.interest === 'paid')
      return { due: [...waiting, ...due], interestOnly: waiting.length + principalGraceInstalments, deferral: [], waiting }
    return {
      due,
      interestOnly: principalGraceInstalments,
      deferral: [...waiting.filter((date) => date < moratorium.until), moratorium.until],
      waiting,
    }
  }

  /** Days of the month that contains a period. Null if actual days of a 365-day year count. */
  private monthOf(start: Day, end: Day): number | null {
    if (this.byDays) return null
    let offset = -1
    while (this.grid(offset) > start) offset -= 1
    while (this.grid(offset + 1) < end) offset += 1
    const from = this.grid(offset)
    const to = this.grid(offset + 1)
    if (start !== this.first) return start < from ? null : daysBetween(from, to)
    const isWhole = (from === start && to === end) || (end === this.terms.firstDueDate && addMonths(start, 1) === end)
    return isWhole ? daysBetween(start, end) : null
  }

  /**
   * Due day to due day is a whole month of any length. Only the period before the first row can be
   * shorter.
   */
  private monthOfRow(row: number, start: Day, end: Day): number | null {
    if (row === 0) return this.monthOf(start, end)
    return this.byDays ? null : daysBetween(start, end)
  }

  private stretch(balance: bigint, rate: bigint, days: number, month: number | null): bigint {
    if (balance <= 0n) return 0n
    return month === null ? half(balance * rate * BigInt(days), ppb * 365n) : half(balance * rate * BigInt(days), ppb * 12n * BigInt(month))
  }

  /**
   * Periods of one balance and one rate, each rounded once. Both change only on days with a fact or
   * a due date.
   */
  private interestOver(start: Day, end: Day, month: number | null, balanceOn: (day: Day) => bigint): bigint {
    let sum = 0n
    let from = start
    let balance = balanceOn(start)
    let rate = this.rateOn(start)
    for (const day of this.changeDays()) {
      if (day <= start || day >= end) continue
      const next = balanceOn(day)
      const nextRate = this.rateOn(day)
      if (next === balance && nextRate === rate) continue
      sum += this.stretch(balance, rate, daysBetween(from, day), month)
      from = day
      balance = next
      rate = nextRate
    }
    return start < end ? sum + this.stretch(balance, rate, daysBetween(from, end), month) : 0n
  }

  private changeDays(): readonly Day[] {
    const known = this.happenedSoFar()
    if (this.lastChangeDays?.known === known) return this.lastChangeDays.days
    const happened = [this.disbursed, this.prepaid, this.ahead, this.paid, this.rates].flatMap((facts) => facts.map(({ day }) => day))
    const days = [...new Set([...happened, this.now, ...this.dues.deferral])].toSorted()
    this.lastChangeDays = { known, days }
    return days
  }

  private instalment(principal: bigint, rateDay: Day, count: number, released: boolean): bigint {
    const fixed = this.terms.fixedInstalmentPaise
    if (fixed !== null && !released) return fixed
    const rate = this.rateOn(rateDay)
    const [top, bottom] = this.byDays ? [rate * 30n, ppb * 365n] : [rate, ppb * 12n]
    return instalmentByDefinition(principal, top, bottom, count, this.terms.instalmentRounding)
  }

  private dueDay(row: number): Day {
    const { due } = this.dues
    const known = due[row]
    if (known !== undefined) return known
    const last = due.at(-1) ?? this.terms.firstDueDate
    const months = (yearOf(last) - yearOf(this.terms.firstDueDate)) * 12 + monthOf(last) - monthOf(this.terms.firstDueDate)
    return this.grid(months + row - due.length + 1)
  }

  private rowsNeeded(balance: bigint, instalment: bigint, { row, start, carry, ahead }: RowStart): number | null {
    let rest = balance
    let from = start
    let over = carry
    const rate = this.rateOn(start)
    for (let count = 0; ; count += 1) {
      if (rest <= 0n) return count
      if (row + count >= 600) return null
      const to = this.dueDay(row + count)
      const bill = this.kept.get(to)
      const kept = bill !== undefined && bill.day <= start ? bill : undefined
      const bearing = this.byDays && count === 0 ? rest - ahead : rest
      const interest = this.stretch(bearing, rate, daysBetween(from, to), this.monthOfRow(row + count, from, to))
      if (kept === undefined && instalment <= interest) return null
      const billed = kept?.interestPaise ?? larger(interest + over, 0n)
      over += interest - billed
      rest -= kept?.principalPaise ?? larger(instalment - billed, 0n)
      from = to
    }
  }

  /**
   * Instalment and number of rows for a row, by the facts before its period, and the asks that wait
   * for the next row if this one repays another amount than its instalment.
   */
  private replan(
    from: RowStart,
    unbilled: bigint,
    asked: readonly Ask[],
    before: Plan,
    repaysOther: boolean,
  ): { plan: Plan; waiting: Ask[] } {
    const { row, start } = from
    const set = asked.findLast(({ kind }) => kind === 'set')
    const plan = { ...(set?.plan ?? before) }
    const later = set === undefined ? asked : asked.filter(({ at }) => at > set.at)
    Object.assign(plan, this.rowsAfter(plan, later))
    const isFixed = this.terms.fixedInstalmentPaise !== null && !plan.released && plan.instalment > 0n
    const tenors = this.tenorAsks(set?.plan ?? before, later)
    const kept = total(tenors, (ask) => ask.kept)
    const lastOf = (asks: readonly Ask[]) =>
      asks.findLast(
        ({ kind, given: own }) => kind === 'released' || own !== undefined || ((kind === 'emi' || kind === 'again') && !isFixed),
      )
    const decides = lastOf(later)
    const given = decides?.given
    if (given !== undefined) plan.instalment = given
    else if (decides !== undefined)
      plan.instalment = this.instalment(unbilled + kept, start, Math.max(1, plan.lastRow - row), plan.released)
    const decidesRow = lastOf(asked)
    if (decidesRow !== undefined && decidesRow.given === undefined && repaysOther)
      return { plan, waiting: [{ ...decidesRow, kind: 'again' }, ...this.tenorAsks(before, asked).filter((ask) => ask.kept > 0n)] }
    if (plan.instalment > 0n && (given !== undefined || tenors.length > 0)) {
      const needed = this.rowsNeeded(unbilled, plan.instalment, from)
      const isByPrepaymentAlone = given === undefined && tenors.every((ask) => ask.kept > 0n)
      if (isByPrepaymentAlone && (needed === null || row + needed > plan.lastRow)) return { plan, waiting: [] }
      if (needed === null) {
        plan.released = true
        plan.instalment = this.instalment(unbilled, start, Math.max(1, plan.lastRow - row), true)
      } else if (needed > 0) {
        const dropped = plan.lastRow - row - needed
        const isStillFixed = this.terms.fixedInstalmentPaise !== null && !plan.released
        plan.spared = Math.max(0, plan.spared + (isStillFixed ? dropped : Math.min(0, dropped)))
        plan.lastRow = row + needed
      }
    }
    return { plan, waiting: [] }
  }

  /**
   * The facts that ask for another number of rows. The rows that are left at the end of a fixed
   * instalment follow from those before it already.
   */
  private tenorAsks(plan: Plan, facts: readonly Ask[]): Ask[] {
    const isFixed = this.terms.fixedInstalmentPaise !== null && !plan.released
    const end = isFixed ? facts.find(({ kind }) => kind === 'released' || kind === 'given') : undefined
    const from = Math.max(end?.at ?? 0, ...this.asksOverNewDates(plan, facts).map(({ at }) => at))
    return facts.filter(({ kind, at }) => kind === 'tenor' && at > from)
  }

  /**
   * The part payments that reduce the EMI after a rate of the same period that keeps or gives one:
   * their due dates are those that the rate leaves.
   */
  private asksOverNewDates(plan: Plan, facts: readonly Ask[]): Ask[] {
    let waits = { rate: false, given: false }
    let isFixed = this.terms.fixedInstalmentPaise !== null && !plan.released
    const found: Ask[] = []
    for (const ask of facts) {
      const { kind, kept, byPayment = false } = ask
      if (kind === 'set') waits = { rate: false, given: false }
      if (kind === 'tenor' && kept === 0n) waits.rate = true
      if (kind === 'emi') waits.given = false
      if (kind !== 'released' && kind !== 'given') continue
      const isOver = byPayment && (waits.rate || waits.given)
      if (isOver) found.push(ask)
      waits = { rate: waits.rate && !isFixed && !isOver, given: kind === 'given' }
      isFixed = false
    }
    return found
  }

  /**
   * The last row after facts: the end of a fixed instalment keeps the last due date, which can be
   * before the agreed one; a disbursal after it can use all agreed rows. So does a part payment
   * that reduces the EMI keep the last due date that a rate of its period has moved.
   */
  private rowsAfter(plan: Plan, facts: readonly Ask[]): Pick<Plan, 'lastRow' | 'released' | 'spared'> {
    let { lastRow, released, spared } = plan
    const overNewDates = this.asksOverNewDates(plan, facts)
    for (const ask of facts) {
      const { kind, rowsBefore = lastRow } = ask
      const isFixed = this.terms.fixedInstalmentPaise !== null && !released
      if (kind === 'emi') {
        lastRow += spared
        spared = 0
      } else if (kind === 'released' || kind === 'given') {
        released = true
        const fewer = lastRow - rowsBefore
        if (overNewDates.includes(ask)) {
          spared = Math.max(0, spared + (isFixed ? fewer : Math.min(0, fewer)))
          lastRow = rowsBefore
        } else if (isFixed) {
          spared += Math.max(0, fewer)
          lastRow -= Math.max(0, fewer)
        }
      }
    }
    return { lastRow, released, spared }
  }

  private happenedSoFar(): string {
    const { now, disbursed, prepaid, asks, ahead, paid, rates, closed } = this
    return `${now} ${disbursed.length} ${prepaid.length} ${asks.length} ${ahead.length} ${paid.length} ${rates.length} ${closed === null}`
  }

  /**
   * Like {@link computeFromFacts}, but computed again only after a new fact. Facts are appended,
   * never changed.
   */
  private compute(): Computed {
    const known = this.happenedSoFar()
    if (this.last?.known !== known) this.last = { known, computed: this.computeFromFacts() }
    return this.last.computed
  }

  /** Every row, past and future, from the facts so far only. */
  private computeFromFacts(): Computed {
    const rows: PlannedRow[] = []
    const periods: Period[] = []
    const { interestOnly, deferral } = this.dues
    const capitalDay = deferral.at(-1) ?? null
    let capitalised = 0n
    let start = this.first
    let carry = 0n
    let plan: Plan = { instalment: 0n, lastRow: this.dues.due.length, released: false, spared: 0 }
    const done = new Set<Ask>()
    const isDone: Computed = { rows: this.closed ?? rows, periods, capitalised, capitalDay, carry, next: plan, balanceOn: () => 0n }
    if (this.closed !== null || this.disbursed.length === 0) return isDone
    const putBy = (day: Day): bigint =>
      total(this.disbursed, (tranche) => (tranche.day <= day ? tranche.amount : 0n)) +
      (capitalDay !== null && day >= capitalDay ? capitalised : 0n) -
      total(this.prepaid, (part) => (part.day <= day ? part.amount : 0n))
    const rowsBy = (day: Day): bigint => total(rows, (row) => (row.due <= day ? row.principal : 0n))
    const paidBy = (day: Day): bigint => total(this.paid, (part) => (part.day <= day ? part.principal : 0n))
    const aheadOf = (row: number): Ahead[] => this.ahead.filter((part) => part.row === row)
    const balanceOn = (day: Day): bigint => {
      if (!this.byDays) return putBy(day) - rowsBy(day)
      if (day < this.now) return putBy(day) - paidBy(day) - total(this.ahead, (part) => (part.day <= day ? part.principal : 0n))
      return putBy(day) - rowsBy(day) - total(this.ahead, (part) => ((rows[part.row]?.due ?? '9999-12-31') > day ? part.principal : 0n))
    }
    for (const end of deferral) {
      const isWhole = start !== this.first && this.dues.waiting.includes(end)
      const month = isWhole && !this.byDays ? daysBetween(start, end) : this.monthOf(start, end)
      periods.push({ start, end, month })
      capitalised += this.interestOver(start, end, month, balanceOn)
      start = end
    }
    let leftOut = 0
    let again: Ask[] = []
    let wasKept = false
    for (let index = 0; ; index += 1) {
      const end = this.dueDay(index + leftOut)
      const parts = aheadOf(index)
      const whole = parts.find((part) => part.whole !== null)
      const eventDay = end <= this.now ? addDays(end, -1) : this.now
      // Money disbursed on the day on which EMIs begin is included, and so is the interest deferred
      // to that day.
      const seen = capitalDay !== null && eventDay < capitalDay ? capitalised : 0n
      const unbilled = putBy(eventDay) + seen - total(rows, (row) => row.principal)
      // A row that was paid ahead before the disbursal stays by itself.
      const bill = this.kept.get(end)
      const kept = bill !== undefined && (whole === undefined || bill.at < whole.at) ? bill : undefined
      if (index >= interestOnly) {
        const before = whole?.at ?? Infinity
        const own = this.asks.filter((ask) => !done.has(ask) && ask.from <= start && ask.at < before)
        for (const ask of own) done.add(ask)
        const asked = [...again, ...own]
        // A bill that is kept, or makes up for a kept one, repays another amount than it would: the
        // instalment is computed again, and prepayments reduce the tenor only then.
        const repaysOther = (kept !== undefined && kept.day <= start) || wasKept
        const notYet = total(this.prepaid, (part) => (part.day <= start && part.from > start ? part.amount : 0n))
        const atStart = putBy(start) + notYet - total(rows, (row) => row.principal)
        // What was paid of it later came after the rows were counted.
        const paidBefore = parts.filter((part) => part.day <= start)
        const from = { row: index, start, carry, ahead: total(paidBefore, (part) => part.principal) }
        const replanned = this.replan(from, atStart, asked, plan, repaysOther)
        again = replanned.waiting
        plan = whole?.whole ?? replanned.plan
      }
      // The last due date counts at once, a new instalment from the next period on.
      const soFar = this.asks.filter((ask) => !done.has(ask) && ask.day <= eventDay && ask.from > start)
      const { lastRow } = this.rowsAfter(plan, soFar)
      const month = this.monthOfRow(index, start, end)
      const run = this.interestOver(start, end, month, balanceOn)
      const overdue =
        this.byDays &&
        end <= this.now &&
        this.rateOn(addDays(end, -1)) > 0n &&
        rowsBy(addDays(end, -1)) >
          paidBy(addDays(end, -1)) + total(this.ahead, (part) => ((rows[part.row]?.due ?? '9999-12-31') < end ? part.principal : 0n))
      periods.push({ start, end, month })
      if (unbilled <= 0n && parts.length === 0 && run + carry <= 0n && !overdue) {
        carry += run
        // A month at a rate of 0 bills nothing, but principal that is overdue bears interest once
        // the rate rises.
        const rises = this.rates.some(({ day, rate }) => day >= end && day <= this.now && rate > 0n)
        if (!this.byDays || !rises || balanceOn(addDays(end, -1)) <= 0n) break
        leftOut += 1
        index -= 1
        start = end
        continue
      }
      wasKept = kept !== undefined
      const aheadInterest = total(parts, (part) => part.interest)
      const aheadPrincipal = total(parts, (part) => part.principal)
      const needed = run + carry
      const interest = whole === undefined ? larger(larger(kept?.interestPaise ?? needed, aheadInterest), 0n) : aheadInterest
      carry = needed - interest
      let principal = index < interestOnly ? 0n : larger(kept?.principalPaise ?? plan.instalment - interest, aheadPrincipal)
      if ((index >= lastRow - 1 && kept === undefined) || principal > unbilled) principal = unbilled
      if (principal < aheadPrincipal) principal = aheadPrincipal
      if (whole !== undefined) principal = aheadPrincipal
      const paid = this.paid.filter(({ row }) => row === index)
      rows.push({
        due: end,
        start,
        instalment: index < interestOnly ? 0n : plan.instalment,
        plan,
        isOpen: whole === undefined,
        interest,
        principal,
        closing: 0n,
        paidInterest: aheadInterest + total(paid, (part) => part.interest),
        paidPrincipal: aheadPrincipal + total(paid, (part) => part.principal),
      })
      start = end
    }
    for (const row of rows)
      row.closing = putBy(row.due) + (capitalDay !== null && row.due < capitalDay ? capitalised : 0n) - rowsBy(row.due)
    return { rows, periods, capitalised, capitalDay, carry, next: plan, balanceOn }
  }
}

/** `overdueFrom` is the last day whose rows are overdue. */
function daysPastDue(unpaid: readonly RefereeRow[], overdueFrom: Day): number {
  const oldest = unpaid.find((row) => row.due <= overdueFrom)
  return oldest === undefined ? 0 : daysBetween(oldest.due, overdueFrom) + 1
}

const left = (row: RefereeRow): bigint => row.interest - row.paidInterest + row.principal - row.paidPrincipal
