import type { Command } from 'commander'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { logAccess } from '#server/access-log.ts'
import { reconcileDay } from '#server/payments/reconciliation/reconcile-day.ts'
import { operatorDetail } from '#server/staff/operator.ts'
import { KistError } from '#cli/command-error.ts'
import { withMoneyDesk, type MoneyDesk } from '#cli/provider-context.ts'
import { changesData } from '#cli/operator-context.ts'
import { dayOption } from '#cli/options.ts'

/** `kist reconcile`: what the worker does every morning, by hand. */
export function addReconcileCommand(program: Command): void {
  changesData(program.command('reconcile'))
    .description('compare an India day of the provider with the ledgers; the same day again changes nothing more')
    .option('--date <date>', 'the day (default: yesterday in India)', dayOption)
    .action(async ({ date }: { date?: Day }, command: Command) =>
      console.log(await withMoneyDesk(command, (desk) => reconcile(desk, date ?? null))),
    )
}

/** @returns a line for the operator. */
export async function reconcile(desk: MoneyDesk, date: Day | null): Promise<string> {
  const today = dayInIndia(desk.clock.now())
  const day = date ?? addDays(today, -1)
  if (day > today) throw new KistError(`${day} lies ahead`)
  const { paymentsSeen, settlementsSeen, differences } = await reconcileDay(desk, day)
  await desk.database.asSystem((sql) =>
    logAccess(sql, {
      at: desk.clock.now(),
      subjectId: 'reconciliation',
      actorId: desk.operator.actorId,
      action: 'day_reconciled',
      outcome: 'done',
      origin: null,
      detail: { day, differences, ...operatorDetail(desk.operator) },
    }),
  )
  const list = differences > 0 ? '; see kist review list' : ''
  return `reconciled ${day}: ${paymentsSeen} payments, ${settlementsSeen} settlements, ${differences} differences${list}`
}
