import type { Command } from 'commander'
import { findLoggedAnchors, type SignedAnchor } from '#server/audit/anchor-audit.ts'
import { auditReportText, verifyAudit } from '#server/audit/verify-audit.ts'
import { parsePublicKey } from '#server/auth/token.ts'
import { readConfig } from '#server/config/read-config.ts'
import { withDatabase } from '#cli/database-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { withProgress } from '#cli/progress.ts'
import { readInput } from '#cli/read-input.ts'

/** `kist audit verify`. */
export function addAuditCommands(program: Command, reportFailure: () => void): void {
  program
    .command('audit')
    .description('the access log: who did what')
    .command('verify')
    .description('verify the hash chains of the whole access log; exit 1 if an entry was changed or removed')
    .option('--key <files...>', 'PEM files of older signing keys, or of their public keys')
    .option('--log <files...>', 'logs with the line "access log anchored" of every day, which are kept elsewhere')
    .action(async ({ key: files = [], log: logs = [] }: { key?: string[]; log?: string[] }) => {
      const tokenKeys = [...readConfig(process.env).signIn.tokenKeys, ...files.map(readKey)]
      const logged = readLogs(logs)
      const report = await withProgress('Verifying entries', (onProgress) =>
        withDatabase(({ database }) => verifyAudit(database, tokenKeys, logged, onProgress)),
      )
      console.log(auditReportText(report))
      if (report.broken.length > 0) reportFailure()
    })
}

/** Most files of a rotated log have no anchor; if none has one, they are not Kist's log. */
function readLogs(files: readonly string[]): SignedAnchor[] {
  const anchors = files.flatMap((file) => findLoggedAnchors(readInput(file)))
  if (files.length > 0 && anchors.length === 0)
    throw new CommandError(`No line of an anchor in ${files.join(', ')}: kist audit anchor 1 DAY …`)
  return anchors
}

function readKey(file: string): string {
  const pem = readInput(file)
  try {
    parsePublicKey(pem)
  } catch {
    throw new CommandError(`${file} is not a PEM of a key`)
  }
  return pem
}
