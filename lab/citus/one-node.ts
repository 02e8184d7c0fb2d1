import { inspect } from 'node:util'
import pg from 'pg'
import { findPersonId } from '#testkit/find-person.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { recordStatements, type SentStatement } from '#testkit/listen-to-statements.ts'
import { mintToken } from '#testkit/mint-token.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { startTestCluster } from '#testkit/test-database.ts'

/**
 * `npm run lab -- citus nodes`: plans every statement of a borrower's calls on the cluster, and
 * counts the transactions that Citus committed in two phases. Prints a line for each call.
 *
 * @returns whether every statement reaches one node.
 */
export async function checkNodes(): Promise<boolean> {
  const cluster = await startTestCluster()
  // Sweeps over all borrowers run in workers.
  const app = await startApp(cluster, { town: true, settings: { KIST_ROLE: 'web' } })
  const client = new pg.Client({ connectionString: app.databaseUrls.appUrl })
  await client.connect()
  try {
    const borrowerId = await findPersonId(app.database, demoPhone(1))
    const token = await mintToken(app.database, app.context.config, app.clock.now(), { userId: borrowerId, roles: [] })
    let failures = 0
    for (const [name, call] of callsOf(app, token)) {
      const before = await countTwoPhase(client)
      const statements = await recordStatements(call)
      const twoPhase = (await countTwoPhase(client)) - before
      const planned = await planAll(client, borrowerId, statements)
      const wide = planned.filter(({ tasks }) => tasks > 1)
      console.log(
        `${name}: ${statements.length} statements, ${planned.length} on nodes, ${wide.length} on several, ${twoPhase} commits in two phases`,
      )
      for (const { text, tasks } of wide) console.log(`  ${tasks} tasks: ${text.slice(0, 300)}`)
      failures += wide.length
    }
    return failures === 0
  } finally {
    await client.end()
    await app.close()
    await cluster.stop()
  }
}

/** A borrower's calls, from the loans to a payment that is in the ledger. */
function* callsOf(app: App, token: string): Generator<[string, () => Promise<unknown>]> {
  let lan = ''
  let link = ''
  const get = async (path: string) => {
    const { status, body } = await app.get(path, token)
    if (status !== 200) throw new Error(`${path} was answered ${status} ${inspect(body)}`)
    return body
  }
  yield [
    'loans-summary',
    async () => {
      const { loans } = (await get('/portal/loans-summary')) as { loans: { lan: string }[] }
      lan = loans[0]?.lan ?? ''
    },
  ]
  yield ['repayment-schedule', () => get(`/portal/repayment-schedule?lead_id=${lan}`)]
  yield ['ongoing-payment', () => get(`/portal/ongoing-payment?application_id=${lan}`)]
  yield ['completed-payments', () => get(`/portal/completed-payments?application_id=${lan}`)]
  yield ['notices', () => get('/portal/notices')]
  yield [
    'payment-link',
    async () => {
      const { allowed_payments } = (await get(`/portal/repayment-schedule?lead_id=${lan}`)) as {
        allowed_payments: { next_emi_payment: { amount: number } }
      }
      const { body } = await app.post(
        '/portal/payment-link',
        {
          amount: allowed_payments.next_emi_payment.amount,
          purpose: 'PAY_EMI',
          lead_id: lan,
          application_id: lan,
          callback_url: 'http://localhost:3000/payments/waiting-for-payment',
        },
        token,
      )
      link = String(body['payment_link_id'])
    },
  ]
  yield [
    'payment and status',
    async () => {
      await app.sandbox(`/links/${link}/pay`, { method: 'upi', outcome: 'success' })
      await until(async () => (await get(`/portal/payment-link/status?payment_link_id=${link}`))['rps_updated'] === true)
    },
  ]
}

type Planned = { text: string; tasks: number }

/** The number of tasks of each statement that Citus plans, with the borrower's access. */
async function planAll(client: pg.Client, borrowerId: string, statements: readonly SentStatement[]): Promise<Planned[]> {
  const planned: Planned[] = []
  const texts = new Set<string>()
  for (const { text, values } of statements) {
    if (texts.has(text) || !/^\s*(select|with|insert|update|delete)\b/i.test(text)) continue
    texts.add(text)
    await client.query('begin')
    await client.query("select set_access($1, 'on')", [borrowerId])
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values])
    await client.query('rollback')
    const counts = rows.flatMap((row) => /Task Count: (\d+)/.exec(row['QUERY PLAN'])?.[1] ?? [])
    if (counts.length > 0) planned.push({ text: text.trim().replaceAll(/\s+/g, ' '), tasks: Math.max(...counts.map(Number)) })
  }
  return planned
}

/** Citus keeps a row of each commit in two phases until its maintenance has looked at it. */
async function countTwoPhase(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>('select count(*) from pg_dist_transaction')
  return Number(rows[0]?.count ?? 0)
}
