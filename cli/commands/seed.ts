import { InvalidArgumentError, type Command } from 'commander'
import { addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { equatedInstalment } from '#domain/instalment.ts'
import { monthlyRatio } from '#domain/interest.ts'
import { paiseFromWhole, paiseToRupeesText } from '#domain/money.ts'
import { parsePercent } from '#domain/rates.ts'
import type { Database } from '#server/database/connect.ts'
import { CommandError } from '#cli/command-error.ts'
import { importBook } from '#cli/import/import.ts'
import { changesData, withOperator, type OperatorContext } from '#cli/operator-context.ts'
import { load } from './product.ts'

/** One import is one transaction, which holds its records in memory. */
const borrowersPerBatch = 20_000
const borrowersMax = 9_999_999

/** `kist seed`: a synthetic book for benchmarks. */
export function addSeedCommand(program: Command): void {
  changesData(program.command('seed'))
    .description('add synthetic borrowers with a loan each, for benchmarks; run again, it adds only those that are missing')
    .requiredOption('--borrowers <n>', 'how many the book has then', borrowersOption)
    .action(async ({ borrowers }: { borrowers: number }, command: Command) =>
      console.log(
        await withOperator(command, (context, { production }) => {
          if (production) throw new CommandError('Synthetic borrowers cannot be added in production')
          return seed(context, borrowers)
        }),
      ),
    )
}

function borrowersOption(text: string): number {
  if (/^[1-9]\d*$/.test(text) && Number(text) <= borrowersMax) return Number(text)
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${borrowersMax}.`)
}

/**
 * Adds the borrowers that are missing from a book of `borrowers`. A stopped run continues.
 *
 * @returns a line for the operator.
 */
export async function seed(context: OperatorContext, borrowers: number): Promise<string> {
  await load(context, JSON.stringify(product))
  const known = await countSeeded(context.database)
  if (known >= borrowers) return `unchanged: the synthetic book has ${known} borrowers`
  const today = dayInIndia(context.clock.now())
  for (let first = known + 1; first <= borrowers; first += borrowersPerBatch) {
    const last = Math.min(borrowers, first + borrowersPerBatch - 1)
    await importBook(context, bookOf(first, last, today), `synthetic borrowers ${first} to ${last}`)
  }
  return `added ${borrowers - known} synthetic borrowers with a loan each; the book has ${borrowers}`
}

/** Loans are numbered without a gap. */
async function countSeeded(database: Database): Promise<number> {
  const { last } = await database.asSystem((sql) =>
    sql
      .selectFrom('loan_numbers')
      .select(({ fn }) => fn.max('lan').as('last'))
      .where('lan', 'like', 'SYN-________')
      .executeTakeFirstOrThrow(),
  )
  return Number(last?.slice('SYN-'.length) ?? 0)
}

const product = {
  product_code: 'synthetic',
  product_version: 1,
  terms: {
    name: 'Synthetic loan',
    rate_type: 'fixed',
    interest: 'monthly',
    instalment_rounding: 'rupee_up',
    allocation: 'instalments_first',
    late_charge: { grace_days: 3, amount: 500 },
    prepayment_charge: null,
    part_payment_minimum: null,
    link_maximum: 500_000,
    foreclosure_waive_maximum: 1_000,
    disclosed_charges: ['LATE_PAYMENT_CHARGE'],
    purpose: 'education',
  },
}

const columns =
  'record,phone,first_name,last_name,lan,title,product,sanctioned_on,sanctioned_amount,annual_rate_percent,instalments,first_due_date,reference,date,amount,mode'
const firstNames = [
  'Aarav',
  'Bhavna',
  'Chirag',
  'Divya',
  'Esha',
  'Firoz',
  'Gauri',
  'Harish',
  'Ishita',
  'Jatin',
  'Kavita',
  'Lokesh',
  'Meena',
]
const lastNames = ['Sharma', 'Patel', 'Reddy', 'Iyer', 'Khan', 'Das', 'Singh', 'Nair', 'Joshi', 'Gupta', 'Pillai']
const rates = ['9.5', '10.25', '11', '11.75', '12.5']
const tenors = [36, 48, 60, 84, 120]
const lateEvery = 10

/** `list` is not empty. */
const pick = <Value>(list: readonly Value[], number: number): Value => list[number % list.length] as Value

/** A book in the format of docs/import.md, the same for the same numbers and day. */
function* bookOf(first: number, last: number, today: Day): Generator<Buffer> {
  yield Buffer.from(`${columns}\n`)
  for (let number = first; number <= last; number += 1) yield Buffer.from(`${linesOf(number, today).join('\n')}\n`)
}

/** A borrower, their loan and its payments: all that is due, but for every tenth borrower. */
function linesOf(number: number, today: Day): string[] {
  const lan = `SYN-${String(number).padStart(8, '0')}`
  const phone = `+91${6_000_000_000 + number}`
  const [rate, instalments, rupees] = [pick(rates, number), pick(tenors, number), 100_000 + (number % 140) * 10_000]
  const dueDay = 1 + (number % 28)
  const [disbursedOn, ...dueOn] = [-4, -3, -2, -1, 0].map((months) => addMonths(today, months, dueDay)) as [Day, ...Day[]]
  const monthly = monthlyRatio(parsePercent(rate) ?? 0)
  const amount = paiseToRupeesText(paiseFromWhole(equatedInstalment(rupees * 100, monthly, instalments, 'rupee_up')))
  const paid = dueOn.filter((day) => day <= today).slice(0, number % lateEvery === 0 ? -1 : undefined)
  return [
    `borrower,${phone},${pick(firstNames, number)},${pick(lastNames, number)},,,,,,,,,,,,`,
    `loan,${phone},,,${lan},Degree,${product.product_code},${disbursedOn},${rupees},${rate},${instalments},${dueOn[0]},,,,`,
    `disbursal,,,,${lan},,,,,,,,D1,${disbursedOn},${rupees},`,
    ...paid.map((day, index) => `payment,,,,${lan},,,,,,,,${lan}-P${index + 1},${day},${amount},neft`),
  ]
}
