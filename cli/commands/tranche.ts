import type { Command } from 'commander'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import { approveTranche, rejectTranche, releaseTranche, type Decision } from '#server/tranches/decide-tranche.ts'
import type { ChangeResult } from '#server/loan-changes/change-loan.ts'
import { findLoanKey } from '#server/loans/loan-store.ts'
import { findTranchesAwaiting, findTranches, type TrancheRow } from '#server/tranches/tranche-store.ts'
import { withDatabase, type DatabaseContext } from '#cli/database-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { cancelLinkOption, changeNamedLoan, type LoanContext } from '#cli/change-named-loan.ts'
import { withProvider } from '#cli/provider-context.ts'
import { changesData, printing } from '#cli/operator-context.ts'
import { amountOption, dayOption, referenceOption } from '#cli/options.ts'

type Named = { lan: string; partnerTrancheId: string }
type Approval = Named & { amount?: Paise }
type Release = Named & { date?: Day; cancelLink?: boolean }

/** `kist tranche list|approve|release|reject`: the lender's decisions on requested tranches. */
export function addTrancheCommands(program: Command): void {
  const tranche = program.command('tranche').description('disbursals that borrowers request')
  tranche
    .command('list')
    .description('tranches that wait for a decision or for their release; with --lan all tranches of the loan')
    .option('--lan <lan>', 'loan account number')
    .action(async ({ lan }: { lan?: string }) => console.log(await withDatabase((context) => list(context, lan ?? null))))
  const decision = (name: string, description: string) =>
    changesData(tranche.command(name))
      .description(description)
      .requiredOption('--lan <lan>', 'loan account number')
      .requiredOption('--partner-tranche-id <id>', 'the id that list prints', referenceOption)
  decision('approve', 'approve a requested tranche; release pays it out')
    .option('--amount <rupees>', 'the amount that list printed; refuses any other, to which the borrower may have changed it', amountOption)
    .action(printing(withProvider, approve))
  decision('release', 'pay an approved tranche out: disbursal, ledger and schedule at once')
    .option('--date <date>', 'the day it is paid out (default: today in India)', dayOption)
    .option(...cancelLinkOption)
    .action(printing(withProvider, release))
  decision('reject', 'reject a requested or approved tranche').action(printing(withProvider, reject))
}

/** @returns a line for each tranche, or that there is none. */
export async function list({ database }: DatabaseContext, lan: string | null): Promise<string> {
  const tranches = lan === null ? await database.asSystem(findTranchesAwaiting) : await ofLoan({ database }, lan)
  if (tranches.length === 0)
    return lan === null ? 'no tranche waits for a decision or its release' : `no tranche of loan ${lan} was requested`
  return tranches.map((tranche) => `${tranche.stage.padEnd(9)}  ${describeTranche(tranche)}  for ${tranche.disbursed_on}`).join('\n')
}

async function ofLoan({ database }: Pick<DatabaseContext, 'database'>, lan: string): Promise<TrancheRow[]> {
  const key = await database.asSystem((sql) => findLoanKey(sql, lan))
  if (!key) throw new CommandError(`There is no loan ${lan}`)
  return database.asBorrower(key.borrowerId, (sql) => findTranches(sql, { borrower_id: key.borrowerId, loan_id: key.loanId }))
}

/**
 * @returns a line for the operator.
 * @throws CommandError if the tranche has another amount than the given one.
 */
export const approve = (context: LoanContext, { lan, partnerTrancheId, amount }: Approval): Promise<string> =>
  changeNamedLoan(context, lan, {
    whileLinkOpen: 'keep',
    write: async (transaction) => {
      const decision = await approveTranche(transaction, partnerTrancheId)
      const { amount_paise: amountPaise } = decision.tranche
      if (amount !== undefined && amount !== amountPaise)
        throw new CommandError(`Tranche ${partnerTrancheId} is of ₹${paiseToRupeesText(amountPaise)}, not of ₹${paiseToRupeesText(amount)}`)
      return answer('approved', lan, decision)
    },
  })

/** @returns a line for the operator. */
export const reject = (context: LoanContext, { lan, partnerTrancheId }: Named): Promise<string> =>
  changeNamedLoan(context, lan, {
    whileLinkOpen: 'keep',
    write: async (transaction) => answer('rejected', lan, await rejectTranche(transaction, partnerTrancheId)),
  })

/** @returns a line for the operator. */
export const release = (context: LoanContext, { lan, partnerTrancheId, date, cancelLink = false }: Release): Promise<string> =>
  changeNamedLoan(context, lan, {
    whileLinkOpen: 'refuse',
    cancelLink,
    write: async (transaction) =>
      answer('released', lan, await releaseTranche(transaction, partnerTrancheId, date ?? dayInIndia(transaction.now))),
  })

function answer(what: 'approved' | 'released' | 'rejected', lan: string, { tranche, isNew }: Decision): ChangeResult<string> {
  const preposition = what === 'released' ? 'on' : 'for'
  const line = `${describeTranche(tranche)} of loan ${lan} ${preposition} ${tranche.disbursed_on}`
  if (!isNew) return { answer: `unchanged: ${line} was ${what} before`, log: null }
  return {
    answer: `${what}: ${line}`,
    log: {
      action: `tranche_${what}` as const,
      detail: { partner_tranche_id: tranche.partner_tranche_id, amount_paise: String(tranche.amount_paise) },
    },
  }
}

const describeTranche = ({ partner_tranche_id: id, amount_paise: amount }: TrancheRow): string => `${id} of ₹${paiseToRupeesText(amount)}`
