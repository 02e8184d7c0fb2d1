import { createServer } from 'node:http'
import pg from 'pg'

/**
 * The floor of the reads, a process: plain node:http, the facts of a call by named SELECTs with pg
 * one after another, JSON.stringify. No token, session, ownership check, row-level security (it
 * connects as the owner), domain code or validation.
 */

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20 })

const loanColumns = `loan_id, lan, lead_id, partner_loan_id, title, product_code, product_version, sanctioned_paise, annual_rate_ppb, instalments,
  first_due_date, due_day, principal_grace_instalments, fixed_instalment_paise, upfront_fees_paise, moratorium_until, moratorium_interest, allow_tranche_request`
const linkColumns = `payment_intent_id, payment_link_id, amount_paise, purpose, status, created_at, redirect_url, rps_updated, expires_at, quote, quoted_for`

const statements = {
  loans: `select ${loanColumns} from loans where borrower_id = $1 order by sanctioned_on desc, lan`,
  loan: `select ${loanColumns} from loans where borrower_id = $1 and lan = $2`,
  product: 'select terms from loan_products where product_code = $1 and product_version = $2',
  disbursals: 'select disbursed_on, amount_paise from disbursals where borrower_id = $1 and loan_id = $2 order by disbursed_on',
  rateChanges:
    'select effective_on, annual_rate_ppb, keep, instalment_paise from rate_changes where borrower_id = $1 and loan_id = $2 order by effective_on',
  charges:
    'select charge_type, charged_on, amount_paise, penal, waived_on from charges where borrower_id = $1 and loan_id = $2 order by charged_on',
  payments: `select transaction_id, value_date, amount_paise, purpose from ledger_transactions as payment
    where borrower_id = $1 and loan_id = $2 and kind = 'repayment' and not exists (
      select from ledger_transactions as reversal where reversal.borrower_id = payment.borrower_id and reversal.loan_id = payment.loan_id
        and reversal.reverses_transaction_id = payment.transaction_id)
    order by value_date, sequence`,
  refunds:
    'select refund_id, reason, amount_paise, asked_at, provider_payment_id from refunds where borrower_id = $1 and loan_id = $2 order by asked_at',
  tranches: 'select amount_paise, stage, disbursed_on from tranches where borrower_id = $1 and loan_id = $2 order by requested_at',
  openLink: `select ${linkColumns} from payment_links where borrower_id = $1 and loan_id = $2
    and (status in ('creating', 'created', 'partially_paid') or (status = 'paid' and not rps_updated))`,
  linkPayments: `select provider_payment_id, amount_paise, method, bank_reference, paid_at from provider_payments
    where borrower_id = $1 and payment_intent_id = $2 order by paid_at`,
  usersCount: 'select count(*) from (select from borrower_search limit 10001) as first',
  usersPage: 'select user_id from borrower_search order by last_name, first_name, user_id limit 10 offset $1',
  users: 'select user_id, email, phone, pan, first_name, last_name, email_verified from users where user_id = any ($1)',
  openApplications: 'select borrower_id from loan_applications where borrower_id = any ($1) and closed_at is null',
  // Without the chain of hashes.
  entry: `insert into access_log (subject_id, entry_id, at, actor_id, action, outcome, detail, sequence, hash)
    values ($1, gen_random_uuid(), now(), 'bench', 'staff_request', 'done', '{}', (1e15 * random())::bigint, '')`,
  linkStatus: 'select status, rps_updated from payment_links where borrower_id = $1 and payment_link_id = $2',
}

/** The same facts of several borrowers: each kind of them in one statement. */
const several = Object.entries(statements).flatMap(([name, text]) =>
  ['loans', 'disbursals', 'rateChanges', 'charges', 'payments', 'refunds'].includes(name)
    ? [
        {
          name: `${name}OfSeveral`,
          text: text
            .replace('borrower_id = $1 and loan_id = $2', 'borrower_id = any ($1)')
            .replace('borrower_id = $1', 'borrower_id = any ($1)'),
        },
      ]
    : [],
)

async function askSeveral(client: pg.PoolClient, borrowers: readonly unknown[]): Promise<unknown[]> {
  const rows = []
  for (const { name, text } of several) rows.push((await client.query({ name, text, values: [borrowers] })).rows)
  return rows
}

// The database may stop after the measurement.
pool.on('error', () => {})

type Row = Record<string, unknown>

/** Takes a connection from the pool for one request. */
async function answer(path: string, borrower: string, name: string): Promise<unknown> {
  const client = await pool.connect()
  const ask = async (statement: keyof typeof statements, ...values: unknown[]): Promise<Row[]> =>
    (await client.query<Row>({ name: statement, text: statements[statement], values })).rows
  const factsOf = async (loan: Row) => ({
    loan,
    product: await ask('product', loan['product_code'], loan['product_version']),
    disbursals: await ask('disbursals', borrower, loan['loan_id']),
    rate_changes: await ask('rateChanges', borrower, loan['loan_id']),
    charges: await ask('charges', borrower, loan['loan_id']),
    payments: await ask('payments', borrower, loan['loan_id']),
    refunds: await ask('refunds', borrower, loan['loan_id']),
  })
  const summaryOf = async () => {
    const loans = []
    for (const loan of await ask('loans', borrower))
      loans.push({ ...(await factsOf(loan)), tranches: await ask('tranches', borrower, loan['loan_id']) })
    return { loans }
  }
  try {
    switch (path) {
      case '/loans-summary':
        return await summaryOf()
      case '/assumed-loans-summary':
        await ask('entry', borrower)
        return await summaryOf()
      case '/users': {
        const ids = (await ask('usersPage', name)).map(({ user_id }) => user_id)
        const page = { count: await ask('usersCount'), users: await ask('users', ids), open: await ask('openApplications', ids) }
        await ask('entry', borrower)
        return { ...page, facts: await askSeveral(client, ids) }
      }
      case '/repayment-schedule': {
        const [loan] = await ask('loan', borrower, name)
        return loan && (await factsOf(loan))
      }
      case '/ongoing-payment': {
        const [loan] = await ask('loan', borrower, name)
        const [link] = await ask('openLink', borrower, loan?.['loan_id'])
        return { link, payments: await ask('linkPayments', borrower, link?.['payment_intent_id']) }
      }
      case '/payment-link/status':
        return (await ask('linkStatus', borrower, name))[0]
      default:
        return {}
    }
  } finally {
    client.release()
  }
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  answer(pathname, searchParams.get('borrower') ?? '', searchParams.get('name') ?? '').then(
    (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
server.listen(Number(process.env['PORT']), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
