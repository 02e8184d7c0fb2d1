import type { Command } from 'commander'
import { isUuid } from '#contract/uuid.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import { refundCredit } from '#server/payments/refunds/refund-credit.ts'
import { listOpenRefunds, type RefundRow } from '#server/payments/refund-store.ts'
import { retryRefund } from '#server/payments/refunds/retry-refund.ts'
import { logOperatorAct } from '#server/staff/operator.ts'
import { withDatabase, type DatabaseContext } from '#cli/database-context.ts'
import { cancelLinkOption, changeNamedLoan, type LoanContext } from '#cli/change-named-loan.ts'
import { withProvider, type JobsContext } from '#cli/provider-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { changesData, printing } from '#cli/operator-context.ts'
import { amountOption, referenceOption } from '#cli/options.ts'

type Refund = { lan: string; amount: Paise; yes?: boolean; cancelLink?: boolean }

/** `kist refund` and `kist refunds list|retry`. */
export function addRefundCommands(program: Command): void {
  changesData(program.command('refund'))
    .description("refund a loan's credit to its payer, through the provider")
    .requiredOption('--lan <lan>', 'loan account number')
    .requiredOption('--amount <rupees>', 'at most the credit', amountOption)
    .option(...cancelLinkOption)
    .option('--yes', 'do it; without it only print what would be done')
    .action(printing(withProvider, refund))
  const refunds = program.command('refunds').description('refunds that have not arrived')
  refunds
    .command('list')
    .description('refunds that the provider has not processed, or has refused')
    .action(async () => console.log(await withDatabase(list)))
  changesData(refunds.command('retry'))
    .description('request a refund again that the provider refused')
    .requiredOption('--refund <id>', 'the id that list prints', referenceOption)
    .action(printing(withProvider, retry))
}

/** @returns a line for the operator. Without `yes` nothing is stored. */
export async function refund(
  context: JobsContext & LoanContext,
  { lan, amount, yes = false, cancelLink = false }: Refund,
): Promise<string> {
  const what = `₹${paiseToRupeesText(amount)} of the credit of loan ${lan}`
  const answer = await changeNamedLoan(context, lan, {
    whileLinkOpen: 'refuse',
    cancelLink,
    dryRun: !yes,
    write: async ({ sql, own, now, actorId }) => {
      const refundIds = await refundCredit(
        sql,
        context.jobs,
        own,
        { amountPaise: amount, note: context.operator.reason, askedBy: actorId },
        now,
      )
      return {
        answer: `refunding: ${what}, as ${refundIds.join(', ')}`,
        log: { action: 'credit_refunded', detail: { amount_paise: String(amount), refunds: refundIds.join(' ') } },
      }
    },
  })
  return yes ? answer : `would refund ${what}; give --yes to do it`
}

/** @returns a line for each refund, or that there is none. */
export async function list({ database }: Pick<DatabaseContext, 'database'>): Promise<string> {
  const refunds = await database.asSystem(listOpenRefunds)
  return refunds.length === 0 ? 'no refund is open' : refunds.map(describeRefund).join('\n')
}

const describeRefund = ({ refund_id, status, lan, amount_paise, reason, asked_at, last_error }: RefundRow & { lan: string }): string =>
  [
    status.padEnd(7),
    refund_id,
    lan,
    `₹${paiseToRupeesText(amount_paise)}`,
    reason,
    `since ${asked_at.toISOString()}`,
    ...(last_error === null ? [] : [last_error]),
  ].join('  ')

/** @returns a line for the operator. */
export async function retry({ database, clock, jobs, operator }: JobsContext, { refund: refundId }: { refund: string }): Promise<string> {
  if (!isUuid(refundId)) throw new CommandError(`${refundId} is not the id of a refund`)
  return database.asSystem(async (sql) => {
    const now = clock.now()
    const again = await retryRefund(sql, jobs, refundId, now)
    const detail = { refund: refundId, amount_paise: String(again.amount_paise) }
    await logOperatorAct(sql, operator, { at: now, subjectId: again.borrower_id, action: 'refund_retried', detail })
    return `asked again: ₹${paiseToRupeesText(again.amount_paise)}, refund ${refundId}`
  })
}
