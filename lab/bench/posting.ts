import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { dayInIndia } from '#domain/calendar.ts'
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
import type { LinkKey } from '#server/payments/links/link-store.ts'
import { queryOnce } from '#testkit/query-once.ts'
import { listenToStatements, type SentStatement } from '#testkit/listen-to-statements.ts'
import { cloneBook, openBook, type Book } from './book.ts'
import { ratio, type Benchmark } from './measure.ts'
import { median } from './slow-phone.ts'

/** Concurrent payments of different loans. */
const atOnce = 8
/** A process posts three times as many a second after some hundred payments as at first. */
const warmUpPayments = 400

type Payment = { key: LinkKey; snapshot: LinkSnapshot; loanId: string; lan: string }

/** The statements of one payment, with `{names}` for its values. */
const recordedBefore = JSON.parse(readFileSync(join(import.meta.dirname, 'posting-before.json'), 'utf8')) as {
  statements: { text: string; values: (string | boolean | null)[] }[]
}

/** The statements with which f5cc5e1 posted a payment, with the values of this one. */
function statementsBefore({ key, snapshot, loanId, lan }: Payment): SentStatement[] {
  const now = new Date()
  const [payment] = snapshot.payments
  const known = new Map<string, string>([
    ['borrower', key.borrowerId],
    ['intent', key.paymentIntentId],
    ['loan', loanId],
    ['lan', lan],
    ['link', snapshot.paymentLinkId],
    ['payment', payment?.providerPaymentId ?? ''],
    ['amount', String(snapshot.amountPaise)],
    ['now', now.toISOString()],
    ['today', dayInIndia(now)],
  ])
  const valueOf = (name: string) => {
    const value = known.get(name) ?? uuidv7()
    known.set(name, value)
    return value
  }
  return recordedBefore.statements.map(({ text, values }) => ({
    text,
    values: values.map((value) =>
      value === '{hash}'
        ? randomBytes(32)
        : typeof value === 'string'
          ? value.replaceAll(/\{(\w+)\}/g, (_all, name: string) => valueOf(name))
          : value,
    ),
  }))
}

/** The most statements that a posting may make. */
const statementsMax = 26

/**
 * Payments posted a second, from the provider's view of a paid link to the loan's ledger, its
 * receipt and `rps_updated`: two durable transactions on a loan of 120 instalments and 60
 * payments. Two floors send statements by pg to equal databases: the same statements with the same
 * values, and the statements of a posting at f5cc5e1.
 */
export const postingBenchmark: Benchmark = {
  name: 'posting',
  run: async ({ quick }) => {
    const book = await openBook(10_000)
    const [ours, floor, before] = [await cloneBook(book, 'ours'), await cloneBook(book, 'floor'), await cloneBook(book, 'before')]
    const pools = [floor, before].map(({ ownerUrl }) => new pg.Pool({ connectionString: ownerUrl, max: atOnce }))
    const [pool, poolBefore] = pools as [pg.Pool, pg.Pool]
    const portal = openPortal(ours)
    const stopListening = listenToStatements((statement) => recorder.getStore()?.push(statement))
    try {
      const payments = await openPayments(ours)
      const [pairs, size] = quick ? [5, 80] : [7, 200]
      const perSecond: { ours: number; floor: number; before: number }[] = []
      let statements = 0
      for (let pair = 0; pair <= pairs; pair += 1) {
        const end = warmUpPayments + pair * size
        const batch = payments.slice(pair === 0 ? 0 : end - size, end)
        const recorded: SentStatement[][] = []
        const measured = {
          ours: await ratePerSecond(batch, async ({ key, snapshot }) => {
            recorded.push(
              await recording(() => syncLinkFromProvider(portal.context, key, snapshot, { source: 'webhook', actorId: 'razorpay' })),
            )
          }),
          floor: await ratePerSecond(recorded, (one) => replay(pool, one)),
          before: await ratePerSecond(batch.map(statementsBefore), (one) => replay(poolBefore, one)),
        }
        // The first pair only warms up, and opens the connections.
        if (pair > 0) statements = Math.max(statements, ...recorded.map((one) => one.length))
        if (pair > 0) perSecond.push(measured)
      }
      if (statements > statementsMax) throw new Error(`A posting made ${statements} statements, more than ${statementsMax}`)
      const total = warmUpPayments + pairs * size
      await compare(ours, floor, total)
      await compare(ours, before, total)
      const middle = (of: (one: (typeof perSecond)[number]) => number) => median(perSecond.map(of))
      const rate = middle((one) => one.ours).toFixed(0)
      return [
        `posting: ratio ${ratio(
          middle((one) => one.ours / one.floor),
          1,
        )} (ours ${rate} payments/s, floor ${middle((one) => one.floor).toFixed(0)} payments/s of the same ${statements} statements through pg)`,
        `posting: ratio ${ratio(
          middle((one) => one.ours / one.before),
          1,
        )} (ours ${rate} payments/s, floor ${middle((one) => one.before).toFixed(0)} payments/s of the ${recordedBefore.statements.length} statements at f5cc5e1 through pg)`,
      ].join('\n')
    } finally {
      stopListening()
      await Promise.all(pools.map((one) => one.end()))
      await portal.close()
      for (const clone of [ours, floor, before]) await clone.drop()
    }
  },
}

/**
 * The code that posts payments, on its own database. The provider's answers are given.
 */
export function openPortal({ appUrl }: Book, settings: Record<string, string> = {}): { context: MoneyContext; close(): Promise<void> } {
  const directory = mkdtempSync(join(tmpdir(), 'kist-posting-'))
  const config = readConfig({ NODE_ENV: 'test', KIST_DEMO: 'true', DATABASE_URL: appUrl, KIST_DATA_DIR: directory, ...settings })
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
export async function openPayments({ ownerUrl }: Book): Promise<Payment[]> {
  const rows = await queryOnce<Record<'borrower' | 'loan' | 'lan' | 'intent' | 'link' | 'reference' | 'amount' | 'url', string>>(
    ownerUrl,
    `select borrower_id as borrower, loan_id as loan, lan, payment_intent_id as intent, payment_link_id as link, reference, amount_paise as amount, redirect_url as url
     from payment_links join loans using (borrower_id, loan_id) where status = 'created' and instalments = 120 and lan <> 'KST-LONG' order by borrower_id`,
  )
  return rows.map(({ borrower, loan, lan, intent, link, reference, amount, url }) => ({
    loanId: loan,
    lan,
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
export async function ratePerSecond<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<number> {
  const left = [...all]
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next)
    }),
  )
  return all.length / ((performance.now() - startedAt) / 1_000)
}

const recorder = new AsyncLocalStorage<SentStatement[]>()

/** The statements of `work` in order, over all connections. */
async function recording(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const statements: SentStatement[] = []
  await recorder.run(statements, work)
  return statements
}

async function replay(pool: pg.Pool, statements: readonly SentStatement[]): Promise<void> {
  const client = await pool.connect()
  try {
    for (const { name, text, values } of statements) await client.query({ ...(name && { name }), text, values: [...values] })
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
  const [row] = await queryOnce<{ entries: number; applied: number }>(
    ownerUrl,
    `select (select count(*)::int from ledger_entries) as entries,
       (select count(*)::int from payment_links where status = 'paid' and rps_updated and settled_at > now() - interval '1 hour') as applied`,
  )
  return row as { entries: number; applied: number }
}
