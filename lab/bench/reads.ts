import { apiPrefix } from '#contract/endpoint.ts'
import { differentLoans, openBook, type Book } from './book.ts'
import { drive } from './drive.ts'
import { percentile } from './load.ts'
import { acceptedByBrowsers, ratio, rounded, type Benchmark } from './measure.ts'
import { keepAwake, signInAskers, startFloor, startReplica, type Asker, type Serving } from './replica.ts'
import { median } from './slow-phone.ts'

/** The reads of a borrower's page, with their requests to portal and floor. */
const calls = {
  'loans-summary': { path: () => '/portal/loans-summary', floor: () => '/loans-summary?' },
  'repayment-schedule': {
    path: ({ lan }: Asker) => `/portal/repayment-schedule?lead_id=${lan}`,
    floor: ({ lan }: Asker) => `/repayment-schedule?name=${lan}&`,
  },
  'ongoing-payment': {
    path: ({ lan }: Asker) => `/portal/ongoing-payment?application_id=${lan}`,
    floor: ({ lan }: Asker) => `/ongoing-payment?name=${lan}&`,
  },
  'payment-link status': {
    // A paid link: for an open one the provider is asked, and its time would be measured.
    path: ({ paidLinkId }: Asker) => `/portal/payment-link/status?payment_link_id=${paidLinkId}`,
    floor: ({ paidLinkId }: Asker) => `/payment-link/status?name=${paidLinkId}&`,
  },
} satisfies Record<string, Call>
/** The reads of staff. Each writes an entry of the access log, on both sides. */
const staffCalls = {
  'staff list': {
    path: (_asker: Asker, index: number) => `/auth/users/all?page=${1 + (index % staffPages)}&page_size=10`,
    floor: (_asker: Asker, index: number) => `/users?name=${10 * (index % staffPages)}&`,
    token: ({ staffToken }: Asker) => staffToken,
  },
  'assumed loans-summary': {
    path: () => '/portal/loans-summary',
    floor: () => '/assumed-loans-summary?',
    token: ({ assumedToken }: Asker) => assumedToken,
  },
} satisfies Record<string, Call>
/** `index`: the number of the asker. `token`: the borrower's own by default. */
type Call = {
  path(asker: Asker, index: number): string
  floor(asker: Asker, index: number): string
  token?: (asker: Asker) => string
}
const staffPages = 20
const allCalls: Readonly<Record<string, Call>> = { ...calls, ...staffCalls }
const callNames = Object.keys(calls)

const sizes = ({ quick }: { quick: boolean }) => ({ small: 10_000, large: quick ? 100_000 : 1_000_000 })
/**
 * Enough connections to keep one process busy, below the limit of load shedding.
 */
const borrowersAtOnce = 32
/** The staff's list is refused earlier under load. */
const staffAtOnce = 12
/**
 * Every borrower asks once at least before: the first request of a session verifies its token, and
 * the first of a loan stores its rate.
 */
const warmMs = 5_000

type Side = { serving: Serving; requests: (name: string) => Buffer[] }
type Stage = { book: Book; ours: Side; floor: Side; close(): Promise<void> }

async function openStage(borrowers: number): Promise<Stage> {
  const book = await openBook(borrowers)
  const [askers, ours, floor] = await Promise.all([signInAskers(book), startReplica(book), startFloor(book)])
  return {
    book,
    ours: {
      serving: ours,
      requests: (name) =>
        askers.map((asker, index) => wire(`${apiPrefix}${callOf(name).path(asker, index)}`, (callOf(name).token ?? ownToken)(asker))),
    },
    floor: {
      serving: floor,
      requests: (name) => askers.map((asker, index) => wire(`${callOf(name).floor(asker, index)}borrower=${asker.borrowerId}`)),
    },
    close: async () => {
      await Promise.all([ours.stop(), floor.stop()])
    },
  }
}

const ownToken = ({ token }: Asker) => token
const callOf = (name: string): Call => {
  const call = allCalls[name]
  if (!call) throw new Error(`There is no call ${name}`)
  return call
}

/** Every read of every borrower. */
export const requestsOf = (askers: readonly Asker[]): Buffer[] =>
  askers.flatMap((asker) => Object.values(calls).map(({ path }) => wire(`${apiPrefix}${path(asker)}`, asker.token)))

/** A request as it is sent. */
export function wire(path: string, token?: string): Buffer {
  const lines = [
    `GET ${path} HTTP/1.1`,
    'host: localhost',
    `accept-encoding: ${acceptedByBrowsers}`,
    ...(token ? [`authorization: Bearer ${token}`] : []),
    '',
    '',
  ]
  return Buffer.from(lines.join('\r\n'))
}

/**
 * Requests a second of portal and floor in alternating pairs; the median of the pairs' ratios.
 */
function readBenchmark(name: string): Benchmark {
  return {
    name,
    run: async ({ quick }) => {
      const { small, large } = { ...sizes({ quick }), ...(name === 'loans-summary' && { small: differentLoans }) }
      const lines: string[] = []
      for (const borrowers of [small, large]) lines.push(await besideFloor(name, borrowers, quick ? 7 : 9, quick ? 700 : 1_000))
      return lines.join('\n')
    },
  }
}

async function besideFloor(name: string, borrowers: number, pairs: number, ms: number): Promise<string> {
  const stage = await openStage(borrowers)
  try {
    const [ours, floor]: [number[], number[]] = [[], []]
    const sides = [
      { port: stage.ours.serving.port, asks: stage.ours.requests(name), measured: ours },
      { port: stage.floor.serving.port, asks: stage.floor.requests(name), measured: floor },
    ]
    const atOnce = name in staffCalls ? staffAtOnce : borrowersAtOnce
    await keepAwake(stage.book)
    for (const { port, asks } of sides) await drive(port, asks, { atOnce, ms: warmMs, each: true })
    // The first pair is longer and only warms up: a process that has waited for a minute has closed
    // its connections. Each side is first in every other pair.
    for (let pair = 0; pair <= pairs; pair += 1)
      for (const { port, asks, measured } of pair % 2 === 0 ? sides : sides.toReversed()) {
        const { perSecond } = await drive(port, asks, { atOnce, ms: pair === 0 ? warmMs : ms })
        if (pair > 0) measured.push(perSecond)
      }
    const ratios = ours.map((one, pair) => one / (floor[pair] ?? Infinity))
    const book = `${borrowers.toLocaleString('en-IN')} ${borrowers === differentLoans ? 'different loans' : 'borrowers'}`
    return `${name}: ratio ${median(ratios).toFixed(2)} (ours ${rounded(median(ours))} req/s, floor ${rounded(median(floor))} req/s, ${book})`
  } finally {
    await stage.close()
  }
}

export const readBenchmarks: readonly Benchmark[] = Object.keys(allCalls).map(readBenchmark)

/**
 * The ratio of each call's time on the large book to that on the small one, with a few concurrent
 * requests.
 */
export const growthBenchmark: Benchmark = {
  name: 'growth',
  run: async ({ quick }) => {
    const { small, large } = sizes({ quick })
    const [few, many] = [await openStage(small), await openStage(large)]
    try {
      const lines: string[] = []
      for (const name of callNames) lines.push(await growthOf(name, few, many, quick ? 500 : 2_000))
      return lines.join('\n')
    } finally {
      await few.close()
      await many.close()
    }
  },
}

const runs = 5
const growthAtOnce = 8

async function growthOf(name: string, few: Stage, many: Stage, ms: number): Promise<string> {
  const p95s: [number[], number[]] = [[], []]
  // The first run only warms up.
  for (let run = 0; run <= runs; run += 1)
    for (const [index, { book, ours }] of [few, many].entries()) {
      await keepAwake(book)
      const { milliseconds } = await drive(ours.serving.port, ours.requests(name), { atOnce: growthAtOnce, ms })
      if (run > 0) p95s[index]?.push(percentile(milliseconds, 0.95))
    }
  const [small, large] = p95s
  const ratios = large.map((one, run) => one / (small[run] ?? Infinity))
  return `growth: ratio ${ratio(median(ratios), 1)} (ours ${median(large).toFixed(1)} ms p95 at ${many.book.borrowers.toLocaleString('en-IN')} borrowers, floor ${median(small).toFixed(1)} ms p95 at ${few.book.borrowers.toLocaleString('en-IN')}: ${name})`
}
