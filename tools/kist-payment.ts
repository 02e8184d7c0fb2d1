import { Option, type Command } from 'commander'
import { paiseToRupeesText } from '#domain/money.ts'
import { paymentPurposes } from '#domain/payments.ts'
import { paymentModes, recordPayment, type OtherPayment } from '#server/ledger/record-payment.ts'
import { reversePayment } from '#server/ledger/reverse-payment.ts'
import { standingLinkOf } from '#server/payments/payment-store.ts'
import { KistError } from './kist-error.ts'
import { changeLoan } from './kist-loan.ts'
import { changesData, withOperator, type OperatorDesk } from './kist-operator.ts'
import { amountOption, dayOption, referenceOption } from './kist-option.ts'

type Record = {
  lan: string
  amount: OtherPayment['amountPaise']
  mode: OtherPayment['mode']
  reference: string
  valueDate: OtherPayment['date']
  purpose?: OtherPayment['purpose']
  withOpenLink?: boolean
}
type Reverse = { lan: string; mode: string; reference: string }

/** `kist payment record|reverse`: money that came another way than the portal. */
export function addPaymentCommands(program: Command): void {
  const payment = program.command('payment').description('money that reached a loan by another way than the portal')
  changesData(payment.command('record'))
    .description('post a payment to a loan; the same reference again changes nothing')
    .requiredOption('--lan <lan>', 'loan account number')
    .requiredOption('--amount <rupees>', 'what came in', amountOption)
    .addOption(new Option('--mode <mode>', 'how it came').choices(paymentModes).makeOptionMandatory())
    .requiredOption('--reference <text>', 'what names it for good: the UTR, the cheque number', referenceOption)
    .requiredOption('--value-date <date>', 'the day it counts from', dayOption)
    .addOption(
      new Option('--purpose <purpose>', 'what it is for; without it: what is due first, the rest is credit').choices(paymentPurposes),
    )
    .option('--with-open-link', 'even while a payment link of the loan is open, which the borrower may still pay')
    .action(async (options: Record, command: Command) => console.log(await withOperator(command, (desk) => record(desk, options))))
  changesData(payment.command('reverse'))
    .description('take a payment back as if it had never come, once')
    .requiredOption('--lan <lan>', 'loan account number')
    .addOption(new Option('--mode <mode>', 'how it came').choices([...paymentModes, 'razorpay']).makeOptionMandatory())
    .requiredOption('--reference <text>', "the reference it was recorded with, or the provider's payment id", referenceOption)
    .action(async (options: Reverse, command: Command) => console.log(await withOperator(command, (desk) => reverse(desk, options))))
}

/** @returns a line for the operator. */
export function record(
  desk: OperatorDesk,
  { lan, amount, mode, reference, valueDate, purpose = null, withOpenLink = false }: Record,
): Promise<string> {
  const payment: OtherPayment = { amountPaise: amount, mode, reference, date: valueDate, purpose }
  return changeLoan(desk, lan, async (sql, own, now) => {
    const link = withOpenLink ? undefined : await standingLinkOf(sql, own.loan.borrower_id, own.loan.loan_id)
    if (link)
      throw new KistError(
        `Loan ${lan} has the open payment link ${link.reference}: have it cancelled or let it expire, or give --with-open-link`,
      )
    const posted = await recordPayment(sql, own, payment, now, desk.operator.actorId)
    const what = `₹${paiseToRupeesText(posted.amountPaise)} by ${mode} ${reference}, counting from ${posted.date}, for loan ${lan}`
    if (!posted.isNew) return { answer: `unchanged: ${what} was recorded before`, log: null }
    return {
      answer: `recorded: ${what}; receipt ${posted.receiptNumber}`,
      log: {
        action: 'payment_recorded' as const,
        detail: {
          mode,
          reference,
          amount_paise: String(posted.amountPaise),
          transaction_id: posted.paymentId,
          receipt_number: posted.receiptNumber,
        },
      },
    }
  })
}

/** @returns a line for the operator. */
export function reverse(desk: OperatorDesk, { lan, mode, reference }: Reverse): Promise<string> {
  return changeLoan(desk, lan, async (sql, own, now) => {
    const taken = await reversePayment(sql, own, mode, reference, now, desk.operator.actorId)
    const detail = { mode, reference, amount_paise: String(taken.amountPaise), transaction_id: taken.paymentId }
    return {
      answer: `reversed: ₹${paiseToRupeesText(taken.amountPaise)} by ${mode} ${reference} of loan ${lan}`,
      log: { action: 'payment_reversed' as const, detail },
    }
  })
}
