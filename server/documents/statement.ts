import type { Day } from '#domain/calendar.ts'
import { paise, smallerPaise, sumPaise, zeroPaise, type Paise } from '#domain/money.ts'
import { isReceivedMoneyAccount, type Account } from '../ledger/accounts.ts'
import type { StatementKind, StatementTransaction } from './statement-store.ts'

/** The effect of a transaction for the borrower. Amounts of a reversal are negative. */
export type Movement = {
  /** Increases of the loan: disbursed, charged, or added to principal; negative for a waiver. */
  debited: Paise
  /** Received money. */
  received: Paise
  /** The allocation of the received money or the credit. */
  principal: Paise
  interest: Paise
  charges: Paise
  /** Added to the borrower's credit. */
  credit: Paise
}

export type StatementRow = {
  transaction: StatementTransaction
  movement: Movement
  principalOutstanding: Paise
  chargesOutstanding: Paise
  creditBalance: Paise
}

export type Balance = { principal: Paise; charges: Paise; credit: Paise }

export type AccountStatement = { from: Day; to: Day; opening: Balance; closing: Balance; rows: readonly StatementRow[]; totals: Movement }

/** The transactions of a period, both days included, with the balances before and after. */
export function statementBetween(ledger: readonly StatementTransaction[], from: Day, to: Day): AccountStatement {
  const kindOf = rootKinds(ledger)
  const balance: Balance = { principal: zeroPaise, charges: zeroPaise, credit: zeroPaise }
  let opening: Balance = { ...balance }
  const rows: StatementRow[] = []
  for (const transaction of ledger) {
    if (transaction.valueDate > to) break
    balance.principal = paise(balance.principal - sumOn(transaction, 'principal'))
    balance.charges = paise(balance.charges - sumOn(transaction, 'charges'))
    balance.credit = paise(balance.credit + sumOn(transaction, 'excess'))
    if (transaction.valueDate < from) opening = { ...balance }
    else
      rows.push({
        transaction,
        movement: computeMovement(transaction, kindOf(transaction)),
        principalOutstanding: balance.principal,
        chargesOutstanding: balance.charges,
        creditBalance: balance.credit,
      })
  }
  return { from, to, opening, closing: { ...balance }, rows, totals: sumMovements(rows.map(({ movement }) => movement)) }
}

/** The sum of the lines on an account; a credit is positive. */
const sumOn = ({ lines }: StatementTransaction, account: Account): Paise =>
  sumPaise(lines.filter((line) => line.account === account).map((line) => line.amountPaise))

/**
 * A debit increases the loan; its reversal and a waiver decrease it without received money. What is
 * waived was paid by nobody, so it is in no column of what was paid.
 */
function computeMovement(transaction: StatementTransaction, kind: StatementKind): Movement {
  const received = paise(
    -sumPaise(transaction.lines.filter(({ account }) => isReceivedMoneyAccount(account)).map((line) => line.amountPaise)),
  )
  const principal = sumOn(transaction, 'principal')
  const charges = sumOn(transaction, 'charges')
  const credit = sumOn(transaction, 'excess')
  const isDebit = kind === 'capitalisation' || transaction.lines.some(({ account }) => debitAccounts.has(account))
  if (isDebit) return { ...nothing, debited: paise(-principal - charges) }
  return { debited: zeroPaise, received, principal, interest: interestPaid(transaction), charges, credit }
}

/** Only disbursals, charges and waivers have lines on these; a waiver of GST has one on `tax`. */
const debitAccounts: ReadonlySet<Account> = new Set<Account>(['disbursal_bank', 'charges_income', 'tax', 'waivers'])

const nothing: Movement = {
  debited: zeroPaise,
  received: zeroPaise,
  principal: zeroPaise,
  interest: zeroPaise,
  charges: zeroPaise,
  credit: zeroPaise,
}

/** Whether the lender waived the amount, so that nobody paid it. */
const isWaived = ({ lines }: StatementTransaction): boolean => lines.some(({ account }) => account === 'waivers')

/** The paid interest, without waived interest. */
const interestPaid = (transaction: StatementTransaction): Paise => (isWaived(transaction) ? zeroPaise : sumOn(transaction, 'interest'))

function sumMovements(movements: readonly Movement[]): Movement {
  const sum = (of: keyof Movement) => sumPaise(movements.map((movement) => movement[of]))
  return {
    debited: sum('debited'),
    received: sum('received'),
    principal: sum('principal'),
    interest: sum('interest'),
    charges: sum('charges'),
    credit: sum('credit'),
  }
}

/** The kind of a transaction, or of the one that it reverses or reallocates. */
function rootKinds(ledger: readonly StatementTransaction[]): (transaction: StatementTransaction) => StatementKind {
  const kinds = new Map(ledger.map(({ transactionId, kind }) => [transactionId, kind]))
  return ({ rootId, kind }) => (rootId === null ? kind : (kinds.get(rootId) ?? kind))
}

/** What refunds have taken from the loan's credit, in the whole ledger. */
export function refundedByLedger(ledger: readonly StatementTransaction[]): Paise {
  const kindOf = rootKinds(ledger)
  return paise(-sumPaise(ledger.filter((transaction) => kindOf(transaction) === 'refund').map((refund) => sumOn(refund, 'excess'))))
}

type Paid = { principal: Paise; interest: Paise }
type MonthPaid = Paid & { firstDay: Day }

/**
 * Principal and interest paid per month of a period, by the day on which the money was taken.
 * Reversed payments are subtracted from their month, and so is interest that was given back: it was
 * paid in that month. Months without payments are omitted.
 *
 * @param ledger all transactions of the loan by value date.
 */
export function paidByMonth(ledger: readonly StatementTransaction[], from: Day, to: Day): MonthPaid[] {
  const months = new Map<Day, MonthPaid>()
  for (const { receivedOn: day, principal, interest } of paidByCause(ledger)) {
    if (day < from || day > to) continue
    const firstDay = `${day.slice(0, 8)}01` as Day
    const month = months.get(firstDay) ?? { firstDay, principal: zeroPaise, interest: zeroPaise }
    months.set(firstDay, { firstDay, principal: paise(month.principal + principal), interest: paise(month.interest + interest) })
  }
  return [...months.values()]
    .filter(({ principal, interest }) => principal !== 0n || interest !== 0n)
    .toSorted((one, other) => (one.firstDay < other.firstDay ? -1 : 1))
}

/** What each payment paid, and each use of credit, with all that has changed it since. */
function paidByCause(ledger: readonly StatementTransaction[]): (Paid & { receivedOn: Day })[] {
  const kindOf = rootKinds(ledger)
  const causes = new Map<string, Paid & { receivedOn: Day }>()
  for (const transaction of ledger) {
    const kind = kindOf(transaction)
    if (kind !== 'repayment' && kind !== 'adjustment') continue
    const id = transaction.rootId ?? transaction.transactionId
    const paid = causes.get(id) ?? { receivedOn: transaction.receivedOn, principal: zeroPaise, interest: zeroPaise }
    causes.set(id, paid)
    if (transaction.transactionId === id) paid.receivedOn = transaction.receivedOn
    if (isWaived(transaction)) continue
    paid.principal = paise(paid.principal + sumOn(transaction, 'principal'))
    paid.interest = paise(paid.interest + sumOn(transaction, 'interest'))
  }
  const all = [...causes.values()]
  for (const [index, rebate] of all.entries())
    if (rebate.interest < 0n) for (const earlier of all.slice(0, index).toReversed()) moveRebate(rebate, earlier)
  return all
}

/** Interest of days that never came is given back from the last rows: the last that were paid. */
function moveRebate(rebate: Paid, earlier: Paid): void {
  const interest = smallerPaise(paise(-rebate.interest), earlier.interest)
  if (interest <= 0n) return
  const principal = smallerPaise(interest, rebate.principal)
  rebate.interest = paise(rebate.interest + interest)
  earlier.interest = paise(earlier.interest - interest)
  rebate.principal = paise(rebate.principal - principal)
  earlier.principal = paise(earlier.principal + principal)
}
