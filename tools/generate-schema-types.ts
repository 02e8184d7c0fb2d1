import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '#server/database/embedded.ts'
import { migrate } from '#server/migrate.ts'

/**
 * Writes `server/database/schema.generated.ts` from a freshly migrated database. Run it after
 * adding a migration.
 */

const target = join(import.meta.dirname, '../server/database/schema.generated.ts')
const dayColumns = 'value_date|first_due_date|quoted_for|quoted_ahead_for|moratorium_until|[a-z_]+_on'

/**
 * The columns whose values our code defines, by the module of their type. Whether a column can be
 * null or has a default still comes from the database.
 */
const importedTypes: Record<string, Record<string, string>> = {
  '#contract/auth.ts': { 'sign_in_codes.message_status': 'CodeStatus' },
  '#domain/applications.ts': { 'application_stages.stage': 'ApplicationStage' },
  '#domain/autopay.ts': {
    'collections.failure_class': 'FailureClass',
    'collections.status': 'CollectionStatus',
    'mandates.auth_type': 'MandateAuthType',
    'mandates.end_reason': 'MandateEndReason',
    'mandates.method': 'MandateMethod',
    'mandates.status': 'MandateStatus',
  },
  '#domain/documents.ts': {
    'documents.content_type': 'DocumentContentType',
    'documents.document_type': 'UploadedDocumentType',
    'generated_documents.doc_type': 'GeneratedDocumentType',
    'loan_papers.paper': 'LoanPaper',
  },
  '#domain/notices.ts': { 'notices.kind': 'NoticeKind' },
  '#domain/operations.ts': {
    'operation_proposals.decision_cause': 'DecisionCause',
    'operation_proposals.kind': 'OperationKind',
    'operation_proposals.state': 'StoredProposalState',
  },
  '#domain/payment-links.ts': { 'payment_link_history.to_status': 'LinkStatus', 'payment_links.status': 'LinkStatus' },
  '#domain/payments.ts': { 'payment_links.purpose': 'PaymentPurpose' },
  '#domain/rate-resets.ts': { 'rate_resets.choice': 'ResetChoice', 'rate_resets.state': 'StoredResetState' },
  '#domain/refunds.ts': { 'refunds.reason': 'RefundReason', 'refunds.status': 'RefundStatus' },
  '#domain/reviews.ts': { 'payment_reviews.kind': 'ReviewKind' },
  '#domain/tranches.ts': { 'tranche_history.stage': 'TrancheStage', 'tranches.stage': 'TrancheStage' },
}
const writtenTypes: Record<string, string> = {
  'loan_papers.content_type': '"application/pdf"',
  'loans.moratorium_interest': '"paid" | "deferred"',
  'notice_preferences.language': '"en" | "hi"',
  'rate_reset_runs.phase': '"computing" | "notifying" | "finished"',
  'rate_resets.default_choice': 'Exclude<ResetChoice, "part_payment">',
}

const directory = mkdtempSync(join(tmpdir(), 'kist-schema-'))
const postgres = await startEmbedded({ directory, durable: false })
try {
  await migrate(postgres.ownerUrl)
  execFileSync(
    join(import.meta.dirname, '../node_modules/.bin/kysely-codegen'),
    ['--dialect', 'postgres', '--url', postgres.ownerUrl, '--out-file', target, '--date-parser', 'string', '--log-level', 'error'],
    { stdio: 'inherit' },
  )
  writeFileSync(target, withOurTypes(readFileSync(target, 'utf8')))
} finally {
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}

/**
 * Money columns are `Paise`, calendar dates `Day`, other int8 columns bigint, as the connection
 * returns them. Text columns have the types above.
 */
function withOurTypes(generated: string): string {
  const withNumbersAndDays = generated
    .replace(/^export type Int8 = .*$/m, 'export type Int8 = ColumnType<bigint, bigint, bigint>;')
    .replace(/^( {2}[a-z_]*_paise: (?:Generated<)?)Int8/gm, '$1Paise')
    .replace(new RegExp(`^( {2}(?:${dayColumns}): )string`, 'gm'), '$1Day')
    .replace('import type { ColumnType } from "kysely";', (line) => [line, ...importLines()].join('\n'))
  const textTypes = Object.entries(Object.assign({}, writtenTypes, ...Object.values(importedTypes)) as Record<string, string>)
  return textTypes.reduce(withTextType, withNumbersAndDays)
}

function importLines(): string[] {
  const types = { '#domain/calendar.ts': { day: 'Day' }, '#domain/money.ts': { paise: 'Paise' }, ...importedTypes }
  return Object.entries(types).map(
    ([module, names]) => `import type { ${[...new Set(Object.values(names))].toSorted().join(', ')} } from "${module}";`,
  )
}

function withTextType(generated: string, [name, type]: [string, string]): string {
  const [table = '', column = ''] = name.split('.')
  const tableType = table.replaceAll(/(?:^|_)([a-z])/g, (_part, letter: string) => letter.toUpperCase())
  const declaration = new RegExp(`(export interface ${tableType} \\{[^}]*\n  ${column}: (?:Generated<)?)string`)
  if (!declaration.test(generated)) throw new Error(`There is no text column ${name}`)
  return generated.replace(declaration, `$1${type}`)
}
