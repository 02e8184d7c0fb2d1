import type { Command } from 'commander'
import { auditReportText, verifyAudit } from '#server/audit/verify-audit.ts'
import { parsePublicKey } from '#server/auth/token.ts'
import { readConfig } from '#server/config/read-config.ts'
import { withDatabase } from '#cli/database-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { readInput } from '#cli/read-input.ts'

/** `kist audit verify`. */
export function addAuditCommands(program: Command, reportFailure: () => void): void {
  program
    .command('audit')
    .description('the record of who did what')
    .command('verify')
    .description('read the whole access log and tell whether it still is what was written; exit 1 when it is not')
    .option('--key <files...>', 'PEM of signing keys from before those of the settings, or of their public halves')
    .action(async ({ key: files = [] }: { key?: string[] }) => {
      const tokenKeys = [...readConfig(process.env).signIn.tokenKeys, ...files.map(readKey)]
      const report = await withDatabase(({ database }) => verifyAudit(database, tokenKeys))
      console.log(auditReportText(report))
      if (report.broken.length > 0) reportFailure()
    })
}

function readKey(file: string): string {
  const pem = readInput(file)
  try {
    parsePublicKey(pem)
  } catch {
    throw new CommandError(`${file} is no PEM of a key`)
  }
  return pem
}
