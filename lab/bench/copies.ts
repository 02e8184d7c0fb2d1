import type pg from 'pg'
import { borrowerIdOf } from './borrowers.ts'

/** The model of the copies: a borrower whose loan, payments and links the server's code created. */
export type Model = { borrowerId: string; lan: string }

/** The tables that a summary of loans reads. */
export const summaryTables = ['loans', 'loan_numbers', 'disbursals', 'ledger_transactions'] as const

/** The copied tables: all that the measured calls use. */
const allTables = [
  'loans',
  'loan_numbers',
  'disbursals',
  'ledger_transactions',
  'ledger_entries',
  'payment_links',
  'payment_references',
  'provider_payments',
  'payment_link_history',
  'receipts',
]

/**
 * Copies a model's loan to many borrowers: every row of the model for each of them, with new,
 * consistent identifiers. A copied ledger has the model's entries and the model's hashes.
 *
 * @param numbers a SELECT of the borrowers' numbers as `n`.
 */
export async function copyLoan(client: pg.Client, model: Model, numbers: string, tables: readonly string[] = allTables): Promise<void> {
  for (const table of tables) {
    const { rows: columns } = await client.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
      [table],
    )
    const names = columns.map(({ name }) => name).join(', ')
    const values = columns.map((column) => copied(column, model)).join(', ')
    await client.query(
      `insert into ${table} (${names})
       select ${values}
       from (${numbers}) as numbers cross join (select * from ${table} where borrower_id = '${model.borrowerId}') as model`,
    )
  }
}

/** The value of a column in the `n`-th copy, as SQL. */
function copied({ name, type }: { name: string; type: string }, { borrowerId, lan }: Model): string {
  const own = `model.${name}`
  if (name === 'borrower_id') return borrowerIdOf('n')
  if (type === 'uuid') return uuidOf(own)
  switch (name) {
    case 'lan':
    case 'lead_id':
    case 'partner_loan_id':
    case 'receipt_number':
      return `replace(${own}, '${lan}', '${lan}-' || lpad(n::text, 7, '0'))`
    case 'reference':
      return `'KST-' || replace(${uuidOf(own)}::text, '-', '')`
    case 'payment_link_id':
    case 'provider_payment_id':
      return providerIdOf(own)
    case 'source_id':
      return `case when ${own} like '%\\_%' then ${providerIdOf(own)} else ${uuidOf(own)}::text end`
    case 'created_by':
    case 'actor_id':
      return `replace(${own}, '${borrowerId}', ${borrowerIdOf('n')}::text)`
    default:
      return own
  }
}

const uuidOf = (value: string) => `md5(${value} || '-' || n)::uuid`
/** `pay_` and fourteen characters, as the provider's are. */
const providerIdOf = (value: string) => `split_part(${value}, '_', 1) || '_' || left(md5(${value} || '-' || n), 14)`
