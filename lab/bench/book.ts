import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { assumeRole } from '#contract/permissions.ts'
import { addMonths, dayInIndia, dayOfMonth, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { connect, type Database } from '#server/database/connect.ts'
import { startEmbedded, stopEmbedded, type EmbeddedPostgres } from '#server/database/embedded.ts'
import { migrate, migrationNames } from '#server/migrate.ts'
import { withApr } from '#server/loans/apr-store.ts'
import { lockOwnLoan, readOwnLoan } from '#server/loans/own-loan.ts'
import { buildLink } from '#server/payments/links/new-link.ts'
import { addLink, changeLink } from '#server/payments/links/link-store.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan } from '#testkit/builders.ts'
import { addFloatingProduct, publishRate } from '#testkit/floating-loan.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { withClient, withDatabase } from '#testkit/query-once.ts'
import { addBorrowers, borrowerIdOf } from './borrowers.ts'
import { copyLoan, summaryTables, type Model } from './copies.ts'

/** A database of borrowers with one loan each. */
export type Book = { borrowers: number; ownerUrl: string; appUrl: string; superuserUrl: string }

/**
 * This number of borrowers, evenly distributed, have 120 instalments, 60 of them paid by links;
 * the others have 24, one of them paid. All have an open link. The book of different loans has
 * {@link differentLoans}, all of them asked for.
 */
const askedForCount = 2_000
const stepOf = (borrowers: number) => (borrowers === differentLoans ? 1 : borrowers / askedForCount)
/** The numbers of the borrowers with long loans, for whom requests are made. */
export const askedFor = (borrowers: number): number[] => {
  const step = stepOf(borrowers)
  return Array.from({ length: borrowers / step }, (_, index) => 1 + index * step)
}

/**
 * The number of borrowers of the book in which no two loans have the same annual percentage rate
 * to compute. It has what a summary of loans reads, without links.
 */
export const differentLoans = 40_000

/**
 * Books are kept until the day, the schema or their sources change: a million borrowers take three
 * minutes.
 */
const root = join(import.meta.dirname, '../../var/bench')

let running: Promise<{ postgres: EmbeddedPostgres; directory: string }> | null = null

/** One PostgreSQL for all books of a run, durable as in production. */
async function startBooks(): Promise<{ postgres: EmbeddedPostgres; directory: string }> {
  const name = fingerprint()
  const kept = join(root, name)
  mkdirSync(kept, { recursive: true })
  for (const old of readdirSync(root).filter((other) => other !== name)) {
    await stopEmbedded(join(root, old, 'postgres'))
    rmSync(join(root, old), { recursive: true, force: true })
  }
  const directory = join(kept, 'postgres')
  const postgres = await startEmbedded({ directory, durable: true })
  // A book is written in one pass: a large log avoids checkpoints.
  await onServer(postgres, "alter system set max_wal_size = '8GB'", 'select pg_reload_conf()')
  return { postgres, directory: kept }
}

function fingerprint(): string {
  const sources = ['book.ts', 'copies.ts', 'borrowers.ts'].map((file) => readFileSync(join(import.meta.dirname, file)))
  const parts = [dayInIndia(new Date()), ...migrationNames(), ...sources]
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12)
}

/** The book of this size; written if it does not exist. */
export const openBook = (borrowers: number): Promise<Book> =>
  openNamed(`book_${borrowers}`, borrowers, borrowers === differentLoans ? writeDifferentLoans : (book) => writeBook(book))

/** A book of floating loans of 120 instalments, 24 of them paid. */
export const openFloatingBook = (borrowers: number): Promise<Book> => openNamed(`floating_${borrowers}`, borrowers, writeFloatingLoans)

async function openNamed(name: string, borrowers: number, write: (book: Book) => Promise<void>): Promise<Book> {
  running ??= startBooks()
  const { postgres, directory } = await running
  const book = {
    borrowers,
    ownerUrl: withDatabase(postgres.ownerUrl, name),
    appUrl: withDatabase(postgres.appUrl, name),
    superuserUrl: withDatabase(postgres.superuserUrl, name),
  }
  const finished = join(directory, `${name}.finished`)
  if (!existsSync(finished)) {
    await onServer(postgres, `drop database if exists ${name} with (force)`, `create database ${name} owner kist_owner`)
    await write(book)
    writeFileSync(finished, '')
  }
  return book
}

export async function closeBooks(): Promise<void> {
  const books = await running
  running = null
  await books?.postgres.stop()
}

/** A writable copy of a book. */
export async function cloneBook({ borrowers, ...book }: Book, name: string): Promise<Book & { drop(): Promise<void> }> {
  if (!running) throw new Error('The book is closed')
  const { postgres } = await running
  const clone = `book_${borrowers}_${name}`
  await onServer(
    postgres,
    `drop database if exists ${clone} with (force)`,
    `create database ${clone} template book_${borrowers} owner kist_owner`,
  )
  return {
    borrowers,
    ownerUrl: withDatabase(book.ownerUrl, clone),
    appUrl: withDatabase(book.appUrl, clone),
    superuserUrl: withDatabase(book.superuserUrl, clone),
    drop: () => onServer(postgres, `drop database ${clone} with (force)`),
  }
}

async function onServer({ superuserUrl }: EmbeddedPostgres, ...statements: string[]): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    for (const statement of statements) await client.query(statement)
  })
}

/** Writes a book into an empty database; `paid`: how many instalments of the long loans are. */
export async function writeBook({ ownerUrl, appUrl, superuserUrl, borrowers }: Book, { paid = 60 } = {}): Promise<void> {
  await migrate(ownerUrl)
  await addBorrowers(ownerUrl, borrowers, false)
  const database = connect(appUrl, { connectionsMax: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 600_000 })
  const now = new Date()
  await addProduct(database, now, 'education', educationLoan)
  const long = await addModel(database, now, { lan: 'KST-LONG', phone: '+919800000001', instalments: 120, paid })
  const short = await addModel(database, now, { lan: 'KST-SHORT', phone: '+919800000002', instalments: 24, paid: 1 })
  await database.close()
  const isAskedFor = `(n - 1) % ${stepOf(borrowers)} = 0`
  const middle = Math.floor(borrowers / 2)
  // Two connections, each with half of the borrowers.
  await Promise.all(
    [`n <= ${middle}`, `n > ${middle}`].map((half) =>
      withClient(superuserUrl, async (client) => {
        await client.query('set synchronous_commit = off')
        for (const [model, among] of [
          [long, isAskedFor],
          [short, `not ${isAskedFor}`],
        ] as const)
          await copyLoan(client, model, `select n from generate_series(1, ${borrowers}) as n where ${half} and ${among}`)
      }),
    ),
  )
  await withClient(superuserUrl, finishBook)
}

async function writeFloatingLoans({ ownerUrl, appUrl, superuserUrl, borrowers }: Book): Promise<void> {
  await migrate(ownerUrl)
  await addBorrowers(ownerUrl, borrowers, false)
  const database = connect(appUrl, { connectionsMax: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 600_000 })
  const now = new Date()
  await addFloatingProduct(database, now)
  await publishRate(database, now, 7, dayInIndia(now))
  const loan = { lan: 'KST-FLOAT', phone: '+919800000001', instalments: 120, paid: 24, annualRatePercent: 11, hasOpenLink: false }
  const model = await addModel(database, now, { ...loan, product: 'floating' })
  await database.close()
  await withClient(superuserUrl, async (client) => {
    await client.query('set synchronous_commit = off')
    await copyLoan(client, model, `select n from generate_series(1, ${borrowers}) as n`, summaryTables)
    await finishBook(client)
  })
}

/** Twenty amounts, rates and terms, each copied to 2,000 borrowers with fees of their own. */
async function writeDifferentLoans({ ownerUrl, appUrl, superuserUrl, borrowers }: Book): Promise<void> {
  await migrate(ownerUrl)
  await addBorrowers(ownerUrl, borrowers, false)
  const database = connect(appUrl, { connectionsMax: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 600_000 })
  const now = new Date()
  await addProduct(database, now, 'education', educationLoan)
  const models = 20
  for (let number = 0; number < models; number += 1) {
    const loan = {
      lan: `KST-VARIED-${number}`,
      phone: `+9198000001${String(number).padStart(2, '0')}`,
      instalments: 84 + 4 * number,
      paid: 60,
      rupees: 400_000 + 90_000 * number,
      annualRatePercent: 8.5 + 0.25 * number,
      hasOpenLink: false,
    }
    const model = await addModel(database, now, loan)
    const { loan: row, facts } = await database.asBorrower(model.borrowerId, (sql) => readOwnLoan(sql, model.borrowerId, model.lan))
    const numbers = Array.from({ length: borrowers / models }, (_, index) => 1 + number + index * models)
    const feesOf = (n: number) => rupeesToPaise(Math.floor(n / models) * 10)
    const rated = numbers.map((n) => withApr({ ...row, upfront_fees_paise: feesOf(n), apr_disbursed_on: null }, facts))
    await withClient(superuserUrl, async (client) => {
      await client.query('set synchronous_commit = off')
      await copyLoan(client, model, `select n from unnest(array[${numbers.join(',')}]) as n`, summaryTables)
      await client.query(
        `update loans set upfront_fees_paise = varied.fees, apr_basis_points = varied.apr
         from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as varied (n, fees, apr) where borrower_id = ${borrowerIdOf('varied.n')}`,
        [numbers, rated.map((loan) => loan.upfront_fees_paise), rated.map((loan) => loan.apr_basis_points)],
      )
    })
  }
  await database.close()
  await withClient(superuserUrl, finishBook)
}

/** The number of staff; each acts for the borrowers of every so-manyth number. */
const staffCount = 32

/** Adds a session for each borrower, and staff who act for each borrower who is asked for. */
async function finishBook(client: pg.Client): Promise<void> {
  const columns = 'user_id, session_id, created_at, expires_at, last_seen_at, remote_address, user_agent'
  const values = "now(), now() + interval '30 days', now(), '127.0.0.1', 'bench'"
  await client.query(
    `insert into sessions (${columns}) select user_id, md5(user_id::text)::uuid, ${values} from users where kind = 'borrower'`,
  )
  await client.query(
    `insert into users (user_id, phone, first_name, last_name, kind, roles, permissions, created_at)
     select md5('staff' || n)::uuid, '+9199000000' || lpad(n::text, 2, '0'), 'Staff', 'Member', 'staff', array[$2], array['user:assume'], now()
     from generate_series(0, $1::int - 1) as n`,
    [staffCount, assumeRole],
  )
  await client.query(
    `insert into sessions (${columns}) select user_id, md5(user_id::text)::uuid, ${values} from users where kind = 'staff'`,
  )
  await client.query(
    `insert into sessions (${columns}, assumed_user_id, parent_session_id)
     select staff.user_id, md5('assumed' || borrower_id)::uuid, ${values}, borrower_id, md5(staff.user_id::text)::uuid
     from (select borrower_id, row_number() over (order by borrower_id) % $1 as number from loans where instalments > 24) as asked
     join users as staff on staff.user_id = md5('staff' || asked.number)::uuid`,
    [staffCount],
  )
  await client.query('vacuum analyze')
  await client.query('checkpoint')
}

type ModelLoan = {
  lan: string
  phone: string
  instalments: number
  paid: number
  rupees?: number
  annualRatePercent?: number
  hasOpenLink?: boolean
  product?: string
}

/**
 * A borrower with a loan whose instalments are paid up to today, and an open link for the next.
 */
async function addModel(
  database: Database,
  now: Date,
  { lan, phone, instalments, paid, rupees = 1_200_000, annualRatePercent = 11.25, hasOpenLink = true, product = 'education' }: ModelLoan,
): Promise<Model> {
  const borrowerId = await addPerson(database, now, { phone, firstName: 'Nisha', lastName: 'Verma' })
  const today = dayInIndia(now)
  const dueDay = Math.min(dayOfMonth(today), 28)
  const firstDueDate: Day = addMonths(today, 1 - paid, dueDay)
  const key = await addLoan(database, now, borrowerId, {
    lan,
    leadId: `${lan}-LEAD`,
    title: 'B.Tech. in civil engineering',
    product,
    sanctionedRupees: rupees,
    disbursals: [{ date: addMonths(firstDueDate, -1, dueDay), rupees }],
    annualRatePercent,
    instalments,
    firstDueDate,
    dueDay,
  })
  await payInstalments(database, key, paid)
  if (hasOpenLink) await addOpenLink(database, now, key)
  return { borrowerId, lan }
}

async function addOpenLink(database: Database, now: Date, { borrowerId, loanId, lan }: AddedLoan): Promise<void> {
  await database.asBorrower(borrowerId, async (sql) => {
    const own = await lockOwnLoan(sql, borrowerId, loanId)
    const offer = loanStateDuring(own.facts, dayInIndia(now)).allowed.nextEmi
    if (!offer) throw new Error(`Loan ${lan} has no instalment to pay`)
    const order = { amount: offer.amountPaise, purpose: 'PAY_EMI' as const, callback_url: 'http://localhost/payments/waiting-for-payment' }
    const link = buildLink(own, order, { now, actorId: borrowerId, sessionId: null, sweepAfterSeconds: 900 })
    await addLink(sql, link)
    await changeLink(
      sql,
      { borrowerId, paymentIntentId: link.payment_intent_id },
      { status: 'created', payment_link_id: `plink_${link.payment_intent_id.slice(-12)}`, redirect_url: 'http://localhost/i/open' },
    )
  })
}
