import type { Command } from 'commander'
import { pino } from 'pino'
import { createExaminerPool, examinerLimits } from '#server/adapters/file-examiner/examiner-pool.ts'
import { createStorage } from '#server/adapters/object-storage/create-storage.ts'
import { createScanner } from '#server/adapters/virus-scan/create-scanner.ts'
import type { Config } from '#server/config/config.ts'
import { createLog } from '#server/log.ts'
import { printFaults } from '#cli/import/faults.ts'
import { importPapers } from '#cli/import/papers.ts'
import { changesData, withOperator, type OperatorContext } from '#cli/operator-context.ts'
import { fileArgument } from '#cli/options.ts'

/** `kist paper import PAPERS.csv` (docs/import.md). */
export function addPaperCommands(program: Command): void {
  const paper = program.command('paper').description('the papers that borrowers signed')
  changesData(paper.command('import'))
    .description('publish the papers of a CSV list with the columns lan,paper,file (docs/import.md): all of them, or none if one is wrong')
    .argument('<list>', 'a CSV file; the PDFs are in the same folder', fileArgument)
    .action(async (list: string, _options: object, command: Command) =>
      console.log(await printFaults(() => withOperator(command, (context, config) => importChecked(context, config, list)))),
    )
}

/** Papers are checked by processes beside this one, as uploads are. */
async function importChecked(context: OperatorContext, config: Config, list: string): Promise<string> {
  const { stagingDirectory, examinationTimeoutMs: timeoutMs, clamd, fileBytesMax, storage } = config.documents
  // Standard output contains the command's result only.
  const log = createLog(config, pino.destination({ dest: 2, sync: true }))
  const examiner = createExaminerPool({ ...examinerLimits, timeoutMs, stagingDirectory, log, onEnd: () => {} })
  try {
    return await importPapers(
      { ...context, examiner, scanner: createScanner(clamd), storage: await createStorage(storage), log, fileBytesMax, stagingDirectory },
      list,
    )
  } finally {
    await examiner.close()
  }
}
