import type { Day } from '#domain/calendar.ts'
import { paise, sumPaise, zeroPaise, type Paise } from '#domain/money.ts'
import { isMoneyAccount, type Account } from '../ledger/accounts.ts'
import type { StatementTransaction } from './statement-store.ts'

/** What a transaction moved, as the borrower sees it. Each is negative where it was taken back. */
export type Movement = {
  /** Paid out to the borrower, charged, or added to principal: what makes the loan larger. */
  debited: Paise
  /** Money that came in. */
  received: Paise
  /** Of the money that came in or of the credit: where it went. */
  principal: Paise
  interest: Paise
  charges: Paise
  /** To the borrower's credit. */
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

export type Statement = { from: Day; to: Day; opening: Balance; closing: Balance; rows: readonly StatementRow[]; totals: Movement }

/** Debits and credits of the borrower in a period, both days included, with what was owed before and after. */
export function statementBetween(ledger: readonly StatementTransaction[], from: Day, to: Day): Statement {
  const balance: Balance = { principal: zeroPaise, charges: zeroPaise, credit: zeroPaise }
  let opening: Balance = { ...balance }
  const rows: StatementRow[] = []
  for (const transaction of ledger) {
    if (transaction.valueDate > to) break
    balance.principal = paise(balance.principal - on(transaction, 'principal'))
    balance.charges = paise(balance.charges - on(transaction, 'charges'))
    balance.credit = paise(balance.credit + on(transaction, 'excess'))
    if (transaction.valueDate < from) opening = { ...balance }
    else
      rows.push({
        transaction,
        movement: movementOf(transaction),
        principalOutstanding: balance.principal,
        chargesOutstanding: balance.charges,
        creditBalance: balance.credit,
      })
  }
  return { from, to, opening, closing: { ...balance }, rows, totals: totalsOf(rows.map(({ movement }) => movement)) }
}

/** What the lines on an account come to: a credit is positive. */
const on = ({ lines }: StatementTransaction, account: Account): Paise =>
  sumPaise(lines.filter((line) => line.account === account).map((line) => line.amountPaise))

/** Kinds that make the loan larger; taking one back makes it smaller again, and no money comes. */
function movementOf(transaction: StatementTransaction): Movement {
  const received = paise(-sumPaise(transaction.lines.filter(({ account }) => isMoneyAccount(account)).map((line) => line.amountPaise)))
  const isDebit =
    transaction.kind !== 'waiver' &&
    transaction.kind !== 'adjustment' &&
    (on(transaction, 'disbursal_bank') !== 0n ||
      on(transaction, 'charges_income') !== 0n ||
      on(transaction, 'tax') !== 0n ||
      transaction.kind === 'capitalisation')
  const principal = on(transaction, 'principal')
  const charges = on(transaction, 'charges')
  const credit = on(transaction, 'excess')
  if (isDebit) return { ...nothing, debited: paise(-principal - charges) }
  return { debited: zeroPaise, received, principal, interest: interestPaid(transaction), charges, credit }
}

const nothing: Movement = {
  debited: zeroPaise,
  received: zeroPaise,
  principal: zeroPaise,
  interest: zeroPaise,
  charges: zeroPaise,
  credit: zeroPaise,
}

/** What the lender gave up: nobody paid it. */
const isGivenUp = ({ lines }: StatementTransaction): boolean => lines.some(({ account }) => account === 'waivers')

/** Interest that was paid: not what was waived at a close, nor what was added to principal. */
export function interestPaid(transaction: StatementTransaction): Paise {
  const interest = on(transaction, 'interest')
  return interest === 0n || transaction.kind === 'capitalisation' || isGivenUp(transaction) ? zeroPaise : interest
}

function totalsOf(movements: readonly Movement[]): Movement {
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

export type MonthPaid = { firstDay: Day; principal: Paise; interest: Paise }

/** Principal and interest paid month by month in a period, taken-back payments taken off where they were; months without any are left out. */
export function paidByMonth(ledger: readonly StatementTransaction[], from: Day, to: Day): MonthPaid[] {
  const kinds = new Map(ledger.map(({ transactionId, kind }) => [transactionId, kind]))
  const months = new Map<Day, MonthPaid>()
  for (const transaction of ledger) {
    const kind = transaction.rootId === null ? transaction.kind : kinds.get(transaction.rootId)
    if (transaction.valueDate < from || transaction.valueDate > to || (kind !== 'repayment' && kind !== 'adjustment')) continue
    const firstDay = `${transaction.valueDate.slice(0, 8)}01` as Day
    const month = months.get(firstDay) ?? { firstDay, principal: zeroPaise, interest: zeroPaise }
    months.set(firstDay, {
      firstDay,
      principal: isGivenUp(transaction) ? month.principal : paise(month.principal + on(transaction, 'principal')),
      interest: paise(month.interest + interestPaid(transaction)),
    })
  }
  return [...months.values()].filter(({ principal, interest }) => principal !== 0n || interest !== 0n)
}
