import type { Command } from 'commander'
import { paiseToRupeesText } from '#domain/money.ts'
import { waiveForeclosure } from '#server/loan-changes/waive-foreclosure.ts'
import { cancelLinkOption, changeNamedLoan, type LoanContext } from '#cli/change-named-loan.ts'
import { withProvider } from '#cli/provider-context.ts'
import { changesData, printing } from '#cli/operator-context.ts'

type Waive = { lan: string; cancelLink?: boolean; yes?: boolean }

/** `kist foreclosure waive`. */
export function addForeclosureCommands(program: Command): void {
  const foreclosure = program.command('foreclosure').description('foreclosures that fell short')
  changesData(foreclosure.command('waive'))
    .description('write off what is left after a foreclosure that fell short, and close the loan')
    .requiredOption('--lan <lan>', 'loan account number')
    .option(...cancelLinkOption)
    .option('--yes', 'do it; without it only print what would be written off')
    .action(printing(withProvider, waive))
}

/** @returns a line for the operator. Without `yes` nothing is stored. */
export function waive(context: LoanContext, { lan, cancelLink = false, yes = false }: Waive): Promise<string> {
  return changeNamedLoan(context, lan, {
    whileLinkOpen: 'refuse',
    cancelLink,
    dryRun: !yes,
    write: async (transaction) => {
      const amountPaise = await waiveForeclosure(transaction)
      const amount = `₹${paiseToRupeesText(amountPaise)}`
      return {
        answer: yes
          ? `written off: ${amount} of loan ${lan}, which is closed`
          : `would write off ${amount} of loan ${lan} and close it; give --yes to do it`,
        log: { action: 'foreclosure_waived', detail: { amount_paise: String(amountPaise) } },
      }
    },
  })
}
