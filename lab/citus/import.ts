import { importBook } from '#cli/import/import.ts'
import { addMonths, dayInIndia, dayOfMonth } from '#domain/calendar.ts'
import { connect } from '#server/database/connect.ts'
import { checkInvariants } from '#server/ledger/check-invariants.ts'
import { unnamedOperator } from '#server/staff/operator.ts'
import { addProduct, educationLoan } from '#testkit/builders.ts'
import { createCitusDatabase } from '#testkit/citus.ts'
import { removeCluster, startCluster, urlOf } from './cluster.ts'

const shards = 32
const paymentsPerLoan = 3
const instalmentRupees = 10_000
const limits = { connectionsMax: 2, connectTimeoutMs: 60_000, statementTimeoutMs: 0 }

/**
 * `npm run lab -- citus import [--loans N]`: imports a book with the operator's tool, distributes
 * it over three nodes, and checks it there. Prints the times.
 *
 * @returns whether no invariant is broken.
 */
export async function importAndDistribute(loans: number): Promise<boolean> {
  const cluster = await startCluster({ workers: 3, isDurable: true })
  const now = new Date()
  try {
    let importedAt = 0
    const nodes = cluster.nodes.map((node) => urlOf(node))
    const { appUrl } = await createCitusDatabase('kist', nodes, {
      shards,
      fill: async ({ ownerUrl, appUrl }) => {
        const startedAt = performance.now()
        const database = connect(appUrl, limits)
        await addProduct(database, now, 'education', educationLoan).finally(() => database.close())
        const operator = unnamedOperator('the lab')
        console.log(await importBook({ ownerUrl, clock: { now: () => now }, operator }, bookOf(loans, now), 'book.csv'))
        importedAt = performance.now()
        console.log(`import: ${secondsSince(startedAt)} s`)
      },
    })
    console.log(`distributing over ${shards} shards: ${secondsSince(importedAt)} s`)
    const startedAt = performance.now()
    const database = connect(appUrl, { ...limits, isDistributed: true })
    const { checked, broken } = await checkInvariants(database).finally(() => database.close())
    console.log(`check: ${checked} invariants, ${broken.length} broken, ${secondsSince(startedAt)} s`)
    return broken.length === 0
  } finally {
    removeCluster(cluster)
  }
}

const secondsSince = (at: number): string => ((performance.now() - at) / 1_000).toFixed(0)

/** Borrowers with one loan, one disbursal and a few payments each, as CSV. */
function* bookOf(loans: number, now: Date): Generator<Buffer> {
  const today = dayInIndia(now)
  const dueDay = Math.min(dayOfMonth(today), 28)
  const [disbursedOn, ...dueOn] = Array.from({ length: paymentsPerLoan + 1 }, (_, index) =>
    addMonths(today, index - paymentsPerLoan, dueDay),
  )
  yield line(
    'record,phone,first_name,last_name,lan,title,product,sanctioned_on,sanctioned_amount,annual_rate_percent,instalments,first_due_date,reference,date,amount,mode,purpose',
  )
  for (let number = 1; number <= loans; number += 1) {
    const lan = `KST-${String(number).padStart(8, '0')}`
    const phone = `+91${7_000_000_000 + number}`
    yield line(`borrower,${phone},Nisha,Verma,,,,,,,,,,,,,`)
    yield line(`loan,${phone},,,${lan},Degree,education,${disbursedOn},500000,11.25,84,${dueOn[0]},,,,,`)
    yield line(`disbursal,,,,${lan},,,,,,,,D1,${disbursedOn},500000,,`)
    for (const [index, day] of dueOn.entries()) yield line(`payment,,,,${lan},,,,,,,,${lan}-P${index + 1},${day},${instalmentRupees},neft,`)
  }
}

const line = (text: string): Buffer => Buffer.from(`${text}\n`)
