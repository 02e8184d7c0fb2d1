/**
 * The accounts of a loan's ledger. Each loan has its own set.
 *
 * Interest is income on a cash basis: it is posted when it is paid, waived or capitalised
 * (decision 21). A charge is posted on the day it is raised, as a receivable and as income.
 */
export type Account =
  /** Asset: disbursed or capitalised, and not yet repaid. */
  | 'principal'
  /** Asset: charges raised and not yet paid or waived. */
  | 'charges'
  /** Income: interest. */
  | 'interest'
  /** Income: charges, without tax. */
  | 'charges_income'
  /** Expense: waived amounts. */
  | 'waivers'
  /** Liability: GST on charges, payable to the government. */
  | 'tax'
  /** Liability: the borrower's credit, and money held for a refund. */
  | 'excess'
  /** Asset: the lender's bank account for disbursals. */
  | 'disbursal_bank'
  /** Asset: captured by the payment provider and not yet settled. */
  | 'provider_clearing'
  /** Expense: the provider's fees, tax included. */
  | 'provider_fees'
  /** Asset: the lender's bank account for settlements. */
  | 'settlement_bank'
  /** Asset: the lender's bank account for payments outside the provider. */
  | 'collection_bank'

/** The accounts that a payment of the borrower debits. */
export type ReceivingAccount = 'provider_clearing' | 'collection_bank'

const receivedMoneyAccounts: ReadonlySet<Account> = new Set<Account>(['provider_clearing', 'collection_bank', 'settlement_bank'])

/**
 * True for an account that holds received money, before or after its settlement. A reallocation
 * never changes the lines of a payment on such an account.
 */
export const isReceivedMoneyAccount = (account: Account): boolean => receivedMoneyAccounts.has(account)

export type TransactionKind =
  | 'disbursal'
  | 'repayment'
  | 'charge'
  | 'waiver'
  /** Amounts moved within the loan: credit used, interest rebated, or a waiver at closure. */
  | 'adjustment'
  /** Deferred interest added to the principal (decision 25). */
  | 'capitalisation'
  | 'reversal'
  | 'reallocation'
  /** Credit or a held payment, refunded to the payer. */
  | 'refund'
  /** A payout by the provider, less its fees. */
  | 'settlement'
