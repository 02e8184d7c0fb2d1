import { Option, type Command } from 'commander'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import { providerName, paymentPurposes } from '#domain/payments.ts'
import { readReceiptNumber } from '#server/ledger/receipt-store.ts'
import { paymentModes, recordPayment, type ManualPayment } from '#server/loan-changes/record-payment.ts'
import { reverseByPeople } from '#server/payments/refunds/record-taken-back.ts'
import type { LoanChange } from '#server/loan-changes/change-loan.ts'
import { cancelLinkOption, changeNamedLoan, type LoanContext } from '#cli/change-named-loan.ts'
import { withProvider } from '#cli/provider-context.ts'
import { changesData, printing } from '#cli/operator-context.ts'
import { amountOption, dayOption, referenceOption } from '#cli/options.ts'

type RecordOptions = {
  lan: string
  amount: ManualPayment['amountPaise']
  mode: ManualPayment['mode']
  reference: string
  valueDate: ManualPayment['date']
  purpose?: ManualPayment['purpose']
}
type ReverseOptions = { lan: string; mode: string; reference: string; reportedByBank?: boolean; amount?: Paise; cancelLink?: boolean }
type Write = LoanChange<string>['write']

/** `kist payment record|reverse`: payments received outside the provider. */
export function addPaymentCommands(program: Command): void {
  const payment = program.command('payment').description('payments of a loan that did not come through the portal')
  changesData(payment.command('record'))
    .description(
      'post a payment to a loan, and cancel its open payment link; the same reference again changes nothing until it is reversed',
    )
    .requiredOption('--lan <lan>', 'loan account number')
    .requiredOption('--amount <rupees>', 'the amount received', amountOption)
    .addOption(new Option('--mode <mode>', 'how it was paid').choices(paymentModes).makeOptionMandatory())
    .requiredOption('--reference <text>', 'its unique reference: the UTR, the cheque number', referenceOption)
    .requiredOption('--value-date <date>', 'the day from which it counts', dayOption)
    .addOption(
      new Option('--purpose <purpose>', 'what it pays; without it the oldest dues, and the rest becomes credit').choices(paymentPurposes),
    )
    .action(printing(withProvider, record))
  changesData(payment.command('reverse'))
    .description('reverse a payment as if it had never been received, once')
    .requiredOption('--lan <lan>', 'loan account number')
    .addOption(new Option('--mode <mode>', 'how it was paid').choices([...paymentModes, providerName]).makeOptionMandatory())
    .requiredOption('--reference <text>', "the reference it was recorded with, or the provider's payment id", referenceOption)
    .option(
      '--reported-by-bank',
      'a bounce or a chargeback: it has happened, so it is recorded, and an open payment link is cancelled right after',
    )
    .addOption(
      new Option('--amount <rupees>', 'the part that the bank took by a chargeback; implies --reported-by-bank')
        .argParser(amountOption)
        .implies({ reportedByBank: true }),
    )
    .option(...cancelLinkOption)
    .action(printing(withProvider, reverse))
}

/** @returns a line for the operator. */
export function record(context: LoanContext, { lan, amount, mode, reference, valueDate, purpose = null }: RecordOptions): Promise<string> {
  const payment: ManualPayment = { amountPaise: amount, mode, reference, date: valueDate, purpose }
  const write: Write = async (transaction) => {
    const { sql, own } = transaction
    const posted = await recordPayment(transaction, payment)
    const what = `₹${paiseToRupeesText(posted.amountPaise)} by ${mode} ${reference}, counting from ${posted.date}, for loan ${lan}`
    if (!posted.isNew) return { answer: `unchanged: ${what} was recorded before`, log: null }
    const receiptNumber = await readReceiptNumber(sql, own.loan, posted.paymentId)
    return {
      answer: `recorded: ${what}; receipt ${receiptNumber}`,
      log: {
        action: 'payment_recorded',
        detail: {
          mode,
          reference,
          amount_paise: String(posted.amountPaise),
          transaction_id: posted.paymentId,
          receipt_number: receiptNumber,
        },
      },
    }
  }
  return changeNamedLoan(context, lan, { whileLinkOpen: 'cancel_after', write })
}

/** @returns a line for the operator. */
export function reverse(
  context: LoanContext,
  { lan, mode, reference, reportedByBank = false, amount, cancelLink = false }: ReverseOptions,
): Promise<string> {
  const write: Write = async (transaction) => {
    const reversal = { source: mode, sourceId: reference, isReportedByBank: reportedByBank, partPaise: amount }
    const { amountPaise, paymentId } = await reverseByPeople(transaction, reversal)
    const detail = { mode, reference, amount_paise: String(amountPaise), transaction_id: paymentId }
    return {
      answer: `reversed: ₹${paiseToRupeesText(amountPaise)} by ${mode} ${reference} of loan ${lan}`,
      log: { action: 'payment_reversed', detail: { ...detail, reported_by_bank: reportedByBank } },
    }
  }
  return changeNamedLoan(context, lan, { whileLinkOpen: reportedByBank ? 'cancel_after' : 'refuse', cancelLink, write })
}
