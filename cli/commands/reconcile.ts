import type { Command } from 'commander'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { syncRecurringPayment } from '#server/autopay/sync-by-name.ts'
import { reconcileDay } from '#server/payments/reconciliation/reconcile-day.ts'
import { logOperatorAct } from '#server/staff/operator.ts'
import { CommandError } from '#cli/command-error.ts'
import { withProvider, type ProviderContext } from '#cli/provider-context.ts'
import { changesData, printing } from '#cli/operator-context.ts'
import { dayOption } from '#cli/options.ts'
import { withProgress } from '#cli/progress.ts'

/** `kist reconcile`: runs the worker's daily reconciliation for a day. */
export function addReconcileCommand(program: Command): void {
  changesData(program.command('reconcile'))
    .description('compare an India day of the provider with the ledgers; the same day again changes nothing more')
    .option('--date <date>', 'the day (default: yesterday in India)', dayOption)
    .action(printing(withProvider, (context, { date }: { date?: Day }) => reconcile(context, date ?? null)))
}

/** @returns a line for the operator. */
export async function reconcile(context: ProviderContext, date: Day | null): Promise<string> {
  const today = dayInIndia(context.clock.now())
  const day = date ?? addDays(today, -1)
  if (day > today) throw new CommandError(`${day} is in the future`)
  // The access-log entry first: nothing is reconciled without one.
  await context.database.asSystem((sql) =>
    logOperatorAct(sql, context.operator, {
      at: context.clock.now(),
      subjectId: 'reconciliation',
      action: 'day_reconciled',
      detail: { day },
    }),
  )
  const { paymentsSeen, settlementsSeen, differences } = await withProgress('Reconciling', (onProgress) =>
    reconcileDay(context, day, syncRecurringPayment, onProgress),
  )
  const list = differences > 0 ? '; see kist review list' : ''
  return `reconciled ${day}: ${paymentsSeen} payments, ${settlementsSeen} settlements, ${differences} differences${list}`
}
