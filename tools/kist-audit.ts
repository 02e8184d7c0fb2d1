import type { Command } from 'commander'
import { auditReportText, verifyAudit } from '#server/audit/verify-audit.ts'
import { readConfig } from '#server/config.ts'
import { withDesk } from './kist-database.ts'

/** `kist audit verify`. */
export function addAuditCommands(program: Command, somethingIsBroken: () => void): void {
  program
    .command('audit')
    .description('the record of who did what')
    .command('verify')
    .description('read the whole access log and tell whether it still is what was written; exit 1 when it is not')
    .action(async () => {
      const { tokenKeys } = readConfig(process.env).signIn
      const report = await withDesk(({ database }) => verifyAudit(database, tokenKeys))
      console.log(auditReportText(report))
      if (report.broken.length > 0) somethingIsBroken()
    })
}
