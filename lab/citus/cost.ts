import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiPrefix } from '#contract/endpoint.ts'
import { writeBook, type Book } from '#lab/bench/book.ts'
import { drive } from '#lab/bench/drive.ts'
import { openPayments, openPortal, ratePerSecond } from '#lab/bench/posting.ts'
import { wire } from '#lab/bench/reads.ts'
import { signInAskers, startReplica } from '#lab/bench/replica.ts'
import { median } from '#lab/bench/slow-phone.ts'
import { syncLinkFromProvider } from '#server/payments/links/sync-link.ts'
import { citusUrls, createCitusDatabase } from '#testkit/citus.ts'
import { queryOnce } from '#testkit/query-once.ts'
import { removeCluster, startCluster, urlOf, type CitusCluster } from './cluster.ts'

/** Loans of 120 instalments, some of them paid by links, each with an open link. */
const borrowers = 2_000
const shards = 32
const atOnce = 8
const sizes = {
  usual: { paid: 24, rounds: 3, readMs: 3_000, postingsPerRound: 120 },
  quick: { paid: 2, rounds: 1, readMs: 500, postingsPerRound: 20 },
} as const
type Size = (typeof sizes)[keyof typeof sizes]
/** Ticks a second of the times in /proc (USER_HZ). */
const clockTicks = 100

type Side = { cluster: CitusCluster; book: Book; settings: Record<string, string> }
type Measured = { reads: number; readCpuMs: number; postings: number; postingCpuMs: number }

/**
 * `npm run lab -- citus cost [--quick]`: the same book on one PostgreSQL and on a coordinator with
 * three nodes, durable, of the same programs. Measures `loans-summary` and postings, alternately,
 * and prints the medians of the rounds. The processor time is that of all processes of the
 * database.
 */
export async function measureCost({ quick }: { quick: boolean }): Promise<boolean> {
  const size = sizes[quick ? 'quick' : 'usual']
  const single = await startCluster({ workers: 0, isDurable: true })
  const distributed = await startCluster({ workers: 3, isDurable: true })
  try {
    const one = await fillOne(single, size)
    const many = await fillDistributed(distributed, size)
    // Ids of borrowers, loans and sessions are the same in both.
    const askers = await signInAskers(one.book)
    const requests = askers.map(({ token }) => wire(`${apiPrefix}/portal/loans-summary`, token))
    const [ofOne, ofMany] = [await measureSide(one, requests, size), await measureSide(many, requests, size)]
    const results: [Measured, Measured][] = []
    try {
      // The first round only warms up.
      for (let round = 0; round <= size.rounds; round += 1) {
        const pair: [Measured, Measured] = [await ofOne.measure(round), await ofMany.measure(round)]
        if (round > 0) results.push(pair)
      }
    } finally {
      await Promise.all([ofOne.close(), ofMany.close()])
    }
    printResults(results)
    return true
  } finally {
    removeCluster(single)
    removeCluster(distributed)
  }
}

async function fillOne(cluster: CitusCluster, { paid }: Size): Promise<Side> {
  const nodes = cluster.nodes.map((node) => urlOf(node))
  await queryOnce(nodes[0] ?? '', 'create database kist owner kist_owner')
  const book = { borrowers, ...citusUrls('kist', nodes) }
  await writeBook(book, { paid })
  return { cluster, book, settings: {} }
}

async function fillDistributed(cluster: CitusCluster, { paid }: Size): Promise<Side> {
  const nodes = cluster.nodes.map((node) => urlOf(node))
  const urls = await createCitusDatabase('kist', nodes, { shards, fill: (empty) => writeBook({ borrowers, ...empty }, { paid }) })
  for (const { name } of await queryOnce(urls.ownerUrl, 'select logicalrelid::text as name from pg_dist_partition'))
    await queryOnce(urls.ownerUrl, `vacuum analyze ${String(name)}`)
  return { cluster, book: { borrowers, ...urls }, settings: { KIST_CITUS: 'on', KIST_JOB_SIGNALS: 'process' } }
}

async function measureSide({ cluster, book, settings }: Side, requests: readonly Buffer[], { readMs, postingsPerRound }: Size) {
  const replica = await startReplica(book, [], settings)
  const portal = openPortal(book, settings)
  const payments = await openPayments(book)
  const measure = async (round: number): Promise<Measured> => {
    // A session that was last seen over a minute ago would be written.
    await queryOnce(book.superuserUrl, 'update sessions set last_seen_at = now()')
    const beforeReads = cpuMsOf(cluster)
    const { perSecond: reads, milliseconds } = await drive(replica.port, requests, { atOnce, ms: readMs })
    const beforePostings = cpuMsOf(cluster)
    const batch = payments.slice(round * postingsPerRound, (round + 1) * postingsPerRound)
    const postings = await ratePerSecond(batch, async ({ key, snapshot }) => {
      await syncLinkFromProvider(portal.context, key, snapshot, { source: 'webhook', actorId: 'razorpay' })
    })
    return {
      reads,
      readCpuMs: (beforePostings - beforeReads) / milliseconds.length,
      postings,
      postingCpuMs: (cpuMsOf(cluster) - beforePostings) / batch.length,
    }
  }
  return { measure, close: () => Promise.all([replica.stop(), portal.close()]) }
}

/** The processor time of all processes of the servers, ended ones included. */
function cpuMsOf({ nodes }: CitusCluster): number {
  const servers = new Set(nodes.map(({ data }) => readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]))
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [parent, ...times] = statOf(pid)
    const [own = 0, system = 0, ofChildren = 0, systemOfChildren = 0] = times.map(Number)
    if (servers.has(pid)) ticks += own + system + ofChildren + systemOfChildren
    else if (servers.has(parent)) ticks += own + system
  }
  return (ticks / clockTicks) * 1_000
}

/** The parent of a process and its times: in user and system mode, then of its ended children. */
function statOf(pid: string): string[] {
  let stat = ''
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    // It has ended since the directory was read.
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return []
    throw error
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return [fields[1] ?? '', ...fields.slice(11, 15)]
}

function printResults(results: readonly [Measured, Measured][]): void {
  const line = (name: string, of: (measured: Measured) => number, digits: number) => {
    const [one, many] = [median(results.map(([single]) => of(single))), median(results.map(([, distributed]) => of(distributed)))]
    console.log(`${name}: one PostgreSQL ${one.toFixed(digits)}, Citus ${many.toFixed(digits)}, ratio ${(many / one).toFixed(2)}`)
  }
  line('loans-summary, requests/s', ({ reads }) => reads, 0)
  line('loans-summary, processor ms of the database', ({ readCpuMs }) => readCpuMs, 2)
  line('posting, payments/s', ({ postings }) => postings, 0)
  line('posting, processor ms of the database', ({ postingCpuMs }) => postingCpuMs, 1)
}
