/**
 * The accounts of a loan's ledger. Each loan has its own of each kind.
 *
 * Interest is income: it enters the ledger in the transaction that first settles, waives or closes over it, to the extent that
 * this does (decision 21). A charge is owed from the day it is raised, so it has a receivable and an income side.
 */
export const accounts = [
  /** Asset: disbursed, or added from deferred interest, and not yet repaid. */
  'principal',
  /** Asset: charges raised and not yet paid or waived. */
  'charges',
  /** Income. */
  'interest',
  /** Income, without tax. */
  'charges_income',
  /** Expense: what was owed and given up. */
  'waivers',
  /** Liability: GST on charges, owed to the state. */
  'tax',
  /** Liability: the borrower's credit, money received that nothing was due for. */
  'excess',
  /** Asset: the lender's account that disbursals leave from. */
  'disbursal_bank',
  /** Asset: what the payment provider captured for us and has not yet paid out. */
  'provider_clearing',
  /** Expense: what the provider keeps of a settlement, its tax included. */
  'provider_fees',
  /** Asset: the lender's account that the provider pays out to. */
  'settlement_bank',
  /** Asset: the lender's account for money that comes by other ways than the provider. */
  'collection_bank',
] as const

export type Account = (typeof accounts)[number]

/** Where a borrower's money arrives. */
export type MoneyAccount = 'provider_clearing' | 'collection_bank'

const moneyAccounts: ReadonlySet<Account> = new Set<Account>(['provider_clearing', 'collection_bank', 'settlement_bank'])

/** Whether the account holds money that came in; such a line of a payment is never reallocated. */
export const isMoneyAccount = (account: Account): boolean => moneyAccounts.has(account)

/** What a ledger transaction can be. */
export type TransactionKind =
  | 'disbursal'
  | 'repayment'
  | 'charge'
  | 'waiver'
  /** Money moved inside the loan: credit used, interest given back or waived at the close. */
  | 'adjustment'
  /** Deferred interest that became principal (decision 25). */
  | 'capitalisation'
  | 'reversal'
  | 'reallocation'
  /** Credit, or a payment that never counted, sent back. */
  | 'refund'
  /** The provider paid out, less its fees. */
  | 'settlement'
