import type { Command } from 'commander'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { runBulkTransaction } from '#server/database/bulk.ts'
import { requireOwner } from '#cli/database-context.ts'
import { readBook, type Book } from './book.ts'
import { BookRefused, Faults, printFaults } from './faults.ts'
import { planImport, type ImportPlan } from './plan.ts'
import { logImport, readyNewLoans, writeLater, writeNew } from './write.ts'
import { changesData, withOperator, type OperatorContext } from '#cli/operator-context.ts'
import { fileArgument } from '#cli/options.ts'
import { createProgress } from '#cli/progress.ts'

/** `kist import BOOK.csv` (docs/import.md). */
export function addImportCommand(program: Command): void {
  changesData(program.command('import'))
    .description('load borrowers, loans, disbursals and past payments from CSV (docs/import.md): all of the file, or nothing')
    .argument('<file>', 'a CSV file', fileArgument)
    .action(async (file: string, _options: object, command: Command) =>
      console.log(await printFaults(() => withOperator(command, (context) => importBook(context, createReadStream(file), basename(file))))),
    )
}

/**
 * Loads a book in one transaction. Skips records that exist with the same name and content, so that
 * a second run of a file changes nothing.
 *
 * @returns a line for the operator.
 * @throws BookRefused with all faults; then nothing of the book is in the database.
 */
export async function importBook(
  { ownerUrl, clock, operator }: Pick<OperatorContext, 'ownerUrl' | 'clock' | 'operator'>,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  file: string,
): Promise<string> {
  const faults = new Faults()
  const book = await readBook(chunks, faults)
  const now = clock.now()
  const progress = createProgress('Importing loans')
  try {
    return await runBulkTransaction(requireOwner(ownerUrl), async (transaction) => {
      const plan = await planImport(transaction.sql, book, now, faults)
      const loans = await readyNewLoans(transaction, plan, now, faults)
      if (faults.count > 0) throw new BookRefused(faults)
      await writeNew(transaction, plan, loans, { now, operator }, (done) => progress.update(done, loans.length))
      await writeLater(
        transaction,
        plan.loans.filter(({ isNew }) => !isNew),
        file,
        { now, operator },
        faults,
      )
      await logImport(transaction, plan, file, { now, operator })
      return summaryOf(book, plan)
    })
  } finally {
    progress.end()
  }
}

function summaryOf(book: Book, plan: ImportPlan): string {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const rateChanges = sum(plan.loans.map((loan) => loan.rateChanges.length))
  const counts = {
    borrowers: plan.borrowers.length,
    loans: plan.loans.filter(({ isNew }) => isNew).length,
    disbursals: sum(plan.loans.map(({ disbursals }) => disbursals.length)),
    ...(rateChanges > 0 && { 'rate changes': rateChanges }),
    payments: sum(plan.loans.map(({ payments }) => payments.length)),
    applications: plan.applications.fresh.length + plan.applications.moved.length,
    stages: plan.applications.stages.length,
  }
  const erased = plan.erased > 0 ? `; ${plan.erased} records of erased people were skipped` : ''
  if (sum(Object.values(counts)) === 0)
    return erased === ''
      ? `unchanged: all ${book.lines} records were imported before`
      : `unchanged: ${plan.unchanged} records were imported before${erased}`
  const imported = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  return `imported: ${imported.join(', ')}${plan.unchanged > 0 ? `; ${plan.unchanged} records were imported before` : ''}${erased}`
}
