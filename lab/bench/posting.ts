import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { zeroPaise, type Paise } from '#domain/money.ts'
import type { LinkSnapshot, PaymentGateway } from '#server/adapters/payment-gateway/payment-gateway.ts'
import { systemClock } from '#server/config/clock.ts'
import { readConfig } from '#server/config/read-config.ts'
import type { MoneyContext } from '#server/context.ts'
import { connect } from '#server/database/connect.ts'
import { createFailPoints } from '#server/config/fail-points.ts'
import type { Jobs } from '#server/jobs/jobs.ts'
import { createLog } from '#server/log.ts'
import { syncLinkFromProvider } from '#server/payments/links/sync-link.ts'
import type { LinkKey } from '#server/payments/payment-store.ts'
import { cloneBook, openBook, type Book } from './book.ts'
import { ratio, type Benchmark } from './measure.ts'
import { median } from './slow-phone.ts'

/** Concurrent payments of different loans. */
const atOnce = 8

type Statement = { text: string; values: unknown[] }
type Payment = { key: LinkKey; snapshot: LinkSnapshot }

/**
 * Payments posted a second, from the provider's view of a paid link to the loan's ledger, its
 * receipt and `rps_updated`: two durable transactions on a loan of 120 instalments and 60
 * payments. The floor sends the same statements with the same values by pg to an equal database.
 */
export const postingBenchmark: Benchmark = {
  name: 'posting',
  run: async ({ quick }) => {
    const book = await openBook(10_000)
    const [ours, floor] = [await cloneBook(book, 'ours'), await cloneBook(book, 'floor')]
    const pool = new pg.Pool({ connectionString: floor.ownerUrl, max: atOnce })
    const portal = openPortal(ours)
    const listenNoMore = listenToDriver()
    try {
      const payments = await openPayments(ours)
      const [pairs, size] = quick ? [3, 80] : [7, 200]
      const perSecond: { ours: number; floor: number }[] = []
      // The first pair only warms up.
      for (let pair = 0; pair <= pairs; pair += 1) {
        const batch = payments.slice(pair * size, (pair + 1) * size)
        const recorded: Statement[][] = []
        const measured = {
          ours: await ratePerSecond(batch, async ({ key, snapshot }) => {
            recorded.push(
              await recording(() => syncLinkFromProvider(portal.context, key, snapshot, { source: 'webhook', actorId: 'razorpay' })),
            )
          }),
          floor: await ratePerSecond(recorded, (statements) => replay(pool, statements)),
        }
        if (pair > 0) perSecond.push(measured)
      }
      await compare(ours, floor, (pairs + 1) * size)
      const [rate, floorRate] = [median(perSecond.map((one) => one.ours)), median(perSecond.map((one) => one.floor))]
      const middle = median(perSecond.map((one) => one.ours / one.floor))
      return `posting: ratio ${ratio(middle, 1)} (ours ${rate.toFixed(0)} payments/s, floor ${floorRate.toFixed(0)} payments/s of the same statements through pg)`
    } finally {
      listenNoMore()
      await pool.end()
      await portal.close()
      await ours.drop()
      await floor.drop()
    }
  },
}

/**
 * The code that posts payments, on its own database. The provider's answers are given.
 */
function openPortal({ appUrl }: Book): { context: MoneyContext; close(): Promise<void> } {
  const directory = mkdtempSync(join(tmpdir(), 'kist-posting-'))
  const config = readConfig({ NODE_ENV: 'test', KIST_DEMO: 'true', DATABASE_URL: appUrl, KIST_DATA_DIR: directory })
  const database = connect(appUrl, { ...config.database, connectionsMax: atOnce })
  const context: MoneyContext = {
    config,
    database,
    clock: systemClock('+0s'),
    log: createLog({ logLevel: 'error', production: true }),
    failPoint: createFailPoints(null, directory),
    gateway: {} as PaymentGateway,
    jobs: {} as Jobs,
  }
  return {
    context,
    close: async () => {
      await database.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The open links of the long loans, as the provider reports them when paid. */
async function openPayments({ ownerUrl }: Book): Promise<Payment[]> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  const { rows } = await client.query<{ borrower: string; intent: string; link: string; reference: string; amount: string; url: string }>(
    `select borrower_id as borrower, payment_intent_id as intent, payment_link_id as link, reference, amount_paise as amount, redirect_url as url
     from payment_links join loans using (borrower_id, loan_id) where status = 'created' and instalments = 120 and lan <> 'KST-LONG' order by borrower_id`,
  )
  await client.end()
  return rows.map(({ borrower, intent, link, reference, amount, url }) => ({
    key: { borrowerId: borrower, paymentIntentId: intent },
    snapshot: {
      paymentLinkId: link,
      reference,
      status: 'paid',
      amountPaise: BigInt(amount) as Paise,
      redirectUrl: url,
      payments: [
        {
          providerPaymentId: `pay_${createHash('sha256').update(link).digest('hex').slice(0, 14)}`,
          amountPaise: BigInt(amount) as Paise,
          currency: 'INR',
          captured: true,
          refundedPaise: zeroPaise,
          method: 'upi',
          instrument: 'borrower@bank',
          bankReference: '412345678901',
          feePaise: zeroPaise,
          taxPaise: zeroPaise,
          paidAt: new Date(),
        },
      ],
    },
  }))
}

/** Processes all items with this concurrency. @returns items a second. */
async function ratePerSecond<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<number> {
  const left = [...all]
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next)
    }),
  )
  return all.length / ((performance.now() - startedAt) / 1_000)
}

const recorder = new AsyncLocalStorage<Statement[]>()

/** Records the driver's statements. @returns a function that ends it. */
function listenToDriver(): () => void {
  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first, values = []] = args as [string | Statement, unknown[] | undefined]
    recorder.getStore()?.push(typeof first === 'string' ? { text: first, values } : { text: first.text, values: first.values ?? values })
    return Reflect.apply(query, this, args) as never
  } as typeof query
  return () => {
    pg.Client.prototype.query = query
  }
}

/** The statements of `work` in order, over all connections. */
async function recording(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  await recorder.run(statements, work)
  return statements
}

async function replay(pool: pg.Pool, statements: readonly Statement[]): Promise<void> {
  const client = await pool.connect()
  try {
    for (const { text, values } of statements) await client.query(text, values)
  } finally {
    client.release()
  }
}

/** Checks that both ledgers are equal: a floor with less work would be invalid. */
async function compare(ours: Book, floor: Book, payments: number): Promise<void> {
  const [one, other] = [await ledgerOf(ours), await ledgerOf(floor)]
  if (one.entries !== other.entries || one.applied !== other.applied || one.applied < payments)
    throw new Error(`The floor did not do the same: ${JSON.stringify({ ours: one, floor: other, payments })}`)
}

async function ledgerOf({ ownerUrl }: Book): Promise<{ entries: number; applied: number }> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  const { rows } = await client.query<{ entries: number; applied: number }>(
    `select (select count(*)::int from ledger_entries) as entries,
       (select count(*)::int from payment_links where status = 'paid' and rps_updated and settled_at > now() - interval '1 hour') as applied`,
  )
  await client.end()
  return rows[0] as { entries: number; applied: number }
}
