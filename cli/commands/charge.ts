import type { Command } from 'commander'
import { uuidv7 } from 'uuidv7'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import { addCharges, chargeWithTax, checkDisclosed, type NewCharge } from '#server/loan-changes/add-charge.ts'
import { takeBackCharge, waiveCharge } from '#server/loan-changes/waive-charge.ts'
import type { LoanChange } from '#server/loan-changes/change-loan.ts'
import { CommandError } from '#cli/command-error.ts'
import { cancelLinkOption, changeNamedLoan, type LoanContext } from '#cli/change-named-loan.ts'
import { withProvider } from '#cli/provider-context.ts'
import { changesData, printing } from '#cli/operator-context.ts'
import { amountOption, chargeOption, chargeTypeOption, dayOption, percentOption, referenceOption } from '#cli/options.ts'

type Add = {
  lan: string
  type: string
  amount: Paise
  date?: Day
  reference?: string
  taxPercent?: number
  penal?: boolean
  cancelLink?: boolean
}
type Waive = { lan: string; charge: string; date?: Day; inError?: boolean; cancelLink?: boolean }

type Write = LoanChange<string>['write']

/** `kist charge add|waive`. */
export function addChargeCommands(program: Command): void {
  const charge = program.command('charge').description('fees and penal charges of a loan')
  changesData(charge.command('add'))
    .description('add a charge to a loan, and its tax as a separate charge')
    .requiredOption('--lan <lan>', 'loan account number')
    .requiredOption('--type <type>', 'such as BOUNCE_CHARGE', chargeTypeOption)
    .requiredOption('--amount <rupees>', 'without tax', amountOption)
    .option('--date <date>', 'the day from which it is due (default: today in India)', dayOption)
    .option('--tax-percent <percent>', 'GST on it', percentOption)
    .option('--penal', 'a penal charge: no tax, never part of what bears interest')
    .option('--reference <text>', 'a unique reference; the same command with it again changes nothing', referenceOption)
    .option(...cancelLinkOption)
    .action(printing(withProvider, add))
  changesData(charge.command('waive'))
    .description('waive the unpaid part of a charge, or take back a charge that was raised in error')
    .requiredOption('--lan <lan>', 'loan account number')
    .requiredOption('--charge <id>', 'the id that charge add printed, or late:<due date> for a late charge', chargeOption)
    .option('--date <date>', 'the day it is waived (default: today in India)', dayOption)
    .option('--in-error', 'take it back as of its own day: what was paid of it pays what is due, the rest is credit')
    .option(...cancelLinkOption)
    .action(printing(withProvider, waive))
}

/** @returns a line for the operator. */
export function add(context: LoanContext, options: Add): Promise<string> {
  if (options.penal && options.taxPercent !== undefined) throw new CommandError('A penal charge has no tax: leave out --tax-percent')
  const write: Write = async (transaction) => {
    const { sql, own, now } = transaction
    const charges = chargesOf(options, options.date ?? dayInIndia(now))
    const isDisclosed = await checkDisclosed(sql, own, options.type)
    const isNew = await addCharges(transaction, charges)
    const what = charges
      .map(({ chargeId, chargeType, amountPaise }) => `${chargeType} ₹${paiseToRupeesText(amountPaise)} as ${chargeId}`)
      .join(', ')
    if (!isNew) return { answer: `unchanged: ${what} of loan ${options.lan} was added before`, log: null }
    return {
      answer: `added: ${what} to loan ${options.lan}${isDisclosed ? '' : unlistedWarning}`,
      log: { action: 'charge_added', detail: { charges: charges.map(({ chargeId }) => chargeId).join(' ') } },
    }
  }
  return changeNamedLoan(context, options.lan, { whileLinkOpen: 'refuse', cancelLink: options.cancelLink ?? false, write })
}

const unlistedWarning = '; its product has no list of disclosed charges: check that the key facts statement lists this one'

const chargesOf = ({ type, amount, reference = uuidv7(), taxPercent = 0, penal = false }: Add, date: Day): NewCharge[] =>
  chargeWithTax({ chargeId: `charge:${reference}`, date, chargeType: type, amountPaise: amount, penal }, taxPercent)

/** @returns a line for the operator. */
export function waive(context: LoanContext, { lan, charge, date, inError = false, cancelLink = false }: Waive): Promise<string> {
  if (inError && date !== undefined) throw new CommandError('A charge raised in error is taken back as of its own day: leave out --date')
  const write: Write = async (transaction) => {
    const waived = inError
      ? await takeBackCharge(transaction, charge)
      : await waiveCharge(transaction, charge, date ?? dayInIndia(transaction.now))
    if (waived === null) return { answer: `unchanged: charge ${charge} of loan ${lan} was waived before`, log: null }
    return {
      answer: `waived: ₹${paiseToRupeesText(waived)} of charge ${charge} of loan ${lan}`,
      log: { action: 'charge_waived', detail: { charge, amount_paise: String(waived) } },
    }
  }
  return changeNamedLoan(context, lan, { whileLinkOpen: 'refuse', cancelLink, write })
}
