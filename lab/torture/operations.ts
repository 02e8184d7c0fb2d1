import { setTimeout as delay } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import { assumeRole, type Permission } from '#contract/permissions.ts'
import { randomNumbers } from '#domain/random-loan.testing.ts'
import { addPerson } from '#testkit/builders.ts'
import { mintToken } from '#testkit/mint-token.ts'
import { until } from '#testkit/until.ts'
import { addBorrowers, awaitFailPoint, canPayByLink, openLink, payOnce, type Borrower } from './borrowers.ts'
import { change, charge, transfer } from './lender.ts'
import { addRunBenchmark, isOfNoLoan, isOfRecord, kindsOfSuite, prepareOperation } from './operations-inputs.ts'
import { verifyOperations, type OperationFindings } from './operations-verify.ts'
import { startPortal, type Answer, type Portal } from './portal.ts'
import type { TortureOptions, TortureResult, TortureSuite } from './suite.ts'
import { verifyOutcome } from './verify-outcome.ts'

/** Borrowers whose loans change at once, and the cases of one loan before it gets a new one. */
const borrowersAtOnce = 5
const casesOfBorrower = 20
/** Cases between two rounds of kills, and before the sessions of staff are renewed. */
const casesOfRound = 250

type Staff = { userId: string; token: string }
type Proposal = { id: string; kind: string; state: string; preview: { preview_hash: string } }
/** `twin`: another account of the maker's, with the same PAN. */
type People = { maker: Staff; twin: Staff; checker: Staff; second: Staff }
type Run = { portal: Portal; below: (end: number) => number; people: People; found: OperationFindings }

/**
 * One person proposes and another approves, while payments and back-dated facts come between, two
 * people approve at once, makers approve their own proposals, and the server is killed in the
 * execution.
 */
export const operations: TortureSuite & { runOn(portal: Portal, options: TortureOptions): Promise<TortureResult> } = {
  name: 'operations',
  runOn,
  run: async (options) => {
    const portal = await startPortal()
    try {
      return await runOn(portal, options)
    } finally {
      await portal.close()
    }
  },
}

async function runOn(portal: Portal, { seed, cases, short }: TortureOptions): Promise<TortureResult> {
  const found: OperationFindings = { selfApproved: [], staleExecuted: [], lost: [], doubled: [], broken: [] }
  const below = randomNumbers(seed)
  const userIds = await addStaff(portal)
  await addRunBenchmark(portal)
  let done = 0
  while (done < cases) {
    const people = await signIn(portal, userIds)
    const run: Run = { portal, below, people, found }
    const some = Math.min(casesOfRound, cases - done)
    await Promise.all(Array.from({ length: borrowersAtOnce }, (_, index) => runCases(run, Math.ceil((some - index) / borrowersAtOnce))))
    done += some
    for (const step of ['proposal_written', 'proposal_committed'] as const) await killAt(run, step)
    if (!short) await killAtRandom(run)
    process.stderr.write(`operations: ${done} of ${cases} cases\n`)
  }
  await verifyOperations(portal, found)
  // The provider's payments that came between are compared as in the other suites.
  const outcome = await verifyOutcome(portal)
  for (const kind of ['lost', 'doubled', 'broken'] as const) found[kind].push(...outcome[kind])
  const counts = Object.entries({
    'self-approved': 'selfApproved',
    'stale-executed': 'staleExecuted',
    lost: 'lost',
    doubled: 'doubled',
    broken: 'broken',
  })
  const texts = counts.map(([name, kind]) => `${name} ${found[kind as keyof OperationFindings].length}`)
  const detail = Object.entries(found).flatMap(([kind, lines]) => lines.map((line) => `${kind}: ${line}`))
  return { line: `operations: cases ${cases}, ${texts.join(', ')}`, failed: detail.length > 0, detail }
}

async function addStaff(portal: Portal): Promise<Record<keyof People, string>> {
  const proposes: Permission[] = ['operations:read', 'operations:propose', 'operations:approve']
  const approves: Permission[] = ['operations:read', 'operations:approve']
  const add = (permissions: Permission[], pan?: string) => {
    const phone = `+9174${String(Date.now() % 1_000_000).padStart(6, '0')}${String(staffAdded++).padStart(2, '0')}`
    const person = {
      phone,
      firstName: 'Staff',
      lastName: phone,
      kind: 'staff',
      roles: [assumeRole],
      permissions,
      ...(pan && { pan }),
    } as const
    return addPerson(portal.database(), portal.clock.now(), person)
  }
  const pan = 'TWNPK1234L'
  return { maker: await add(proposes, pan), twin: await add(proposes, pan), checker: await add(approves), second: await add(approves) }
}
let staffAdded = 0

async function signIn(portal: Portal, userIds: Record<keyof People, string>): Promise<People> {
  const token = (userId: string) => mintToken(portal.database(), portal.config, portal.clock.now(), { userId, roles: [assumeRole] })
  const { maker, twin, checker, second } = userIds
  return {
    maker: { userId: maker, token: await token(maker) },
    twin: { userId: twin, token: await token(twin) },
    checker: { userId: checker, token: await token(checker) },
    second: { userId: second, token: await token(second) },
  }
}

async function runCases(run: Run, cases: number): Promise<void> {
  let borrower: Borrower | undefined
  for (let index = 0; index < cases; index += 1) {
    if (borrower === undefined || index % casesOfBorrower === 0)
      [borrower] = await addBorrowers(run.portal, 1, { sanctionedRupees: 900_000 })
    if (borrower) await runCase(run, borrower).catch((error: unknown) => run.found.broken.push(String(error)))
  }
}

/** One proposal, what comes between, and its approval. */
async function runCase(run: Run, borrower: Borrower): Promise<void> {
  const { portal, people, below } = run
  const proposal = await propose(run, borrower)
  if (proposal === null) return
  const before = await sequenceOf(portal, borrower)
  await between[below(between.length)]?.(run, borrower)
  const isStale = !isOfRecord(proposal.kind) && (await sequenceOf(portal, borrower)) !== before
  const hash = proposal.preview.preview_hash
  switch (below(6)) {
    case 0:
      return refusedAs(run, proposal, await approve(portal, people.maker, proposal, hash))
    case 1:
      return refusedAs(run, proposal, await approve(portal, people.twin, proposal, hash))
    case 2: {
      const answers = await Promise.all([approve(portal, people.checker, proposal, hash), approve(portal, people.second, proposal, hash)])
      const executed = answers.filter((answer) => answer?.status === 200)
      if (executed.length > 1) run.found.doubled.push(`${proposal.id}: both checkers executed it`)
      for (const answer of answers) judge(run, proposal, answer, isStale, 'checked')
      return
    }
    default:
      return settle(run, proposal, isStale)
  }
}

/** Approves, and approves the new preview of a stale proposal; the same approval again. */
async function settle(run: Run, proposal: Proposal, isStale: boolean): Promise<void> {
  const { portal, people } = run
  const answer = await approve(portal, people.checker, proposal, proposal.preview.preview_hash)
  judge(run, proposal, answer, isStale, 'only')
  const { preview } = (answer?.body ?? {}) as { preview?: { preview_hash: string } }
  const hash = preview?.preview_hash ?? proposal.preview.preview_hash
  const again = await approve(portal, people.checker, proposal, hash)
  const isSame = answer?.status !== 200 || again?.status === 200
  if (!isSame) run.found.broken.push(`${proposal.id}: the same approval again was answered ${again?.status}`)
}

/** An approval is refused for a reason that is true. */
function judge(run: Run, { id }: Proposal, answer: Answer | null, isStale: boolean, how: 'only' | 'checked'): void {
  const { status, body } = answer ?? { status: 0, body: {} as Record<string, unknown> }
  if (status === 200 && isStale) run.found.staleExecuted.push(`${id}: executed with the preview from before a change`)
  const allowed = ['ProposalStale', 'LinkOpen', 'LinkPaid', 'ProposalRefused', ...(how === 'checked' ? ['ProposalDecided'] : [])]
  if (status !== 200 && !allowed.includes(String(body['code'])))
    run.found.broken.push(`${id}: approval answered ${status} ${JSON.stringify(body)}`)
}

function refusedAs({ found }: Run, { id }: Proposal, answer: Answer | null): void {
  if (answer?.status === 200) found.selfApproved.push(`${id}: approved by its maker`)
  else if (answer?.body['code'] !== 'FourEyes') found.broken.push(`${id}: self-approval answered ${JSON.stringify(answer)}`)
}

async function propose({ portal, people, below, found }: Run, borrower: Borrower): Promise<Proposal | null> {
  const kind = kindsOfSuite[below(kindsOfSuite.length)] ?? 'charge_add'
  const asked = {
    kind,
    ...(!isOfNoLoan(kind) && { lan: borrower.lan }),
    input: await prepareOperation(portal, borrower, kind, below),
  }
  const preview = await portal.call('POST', '/operations/previews', people.maker.token, asked)
  const body = { ...asked, reason: 'A round of the torture suite.', preview_hash: preview?.body['preview_hash'] }
  const answer = preview?.status === 200 ? await portal.call('POST', '/operations/proposals', people.maker.token, body) : preview
  if (answer?.status === 200) return answer.body['proposal'] as Proposal
  // The refund of a worker can change the loan in between.
  const isTrue = answer?.status === 422 || ['ProposalStale', 'PreviewInProgress'].includes(String(answer?.body['code']))
  if (!isTrue) found.broken.push(`${kind}: ${answer?.status} ${JSON.stringify(answer?.body)}`)
  return null
}

const approve = (portal: Portal, { token }: Staff, { id }: Proposal, hash: string): Promise<Answer | null> =>
  portal.call('POST', `/operations/proposals/${id}/approve`, token, { preview_hash: hash, cancel_link: true })

const sequenceOf = async (portal: Portal, { borrowerId, loanId }: Borrower): Promise<bigint> =>
  portal.database().asBorrower(borrowerId, async (sql) => {
    const query = sql.selectFrom('loans').select('ledger_sequence').where('borrower_id', '=', borrowerId)
    return (await query.where('loan_id', '=', loanId).executeTakeFirstOrThrow()).ledger_sequence
  })

/** What happens to the loan between proposal and approval. */
const between: readonly ((run: Run, borrower: Borrower) => Promise<unknown>)[] = [
  () => Promise.resolve(),
  () => Promise.resolve(),
  ({ portal }, borrower) => change(portal, borrower, transfer(uuidv7()), { whileLinkOpen: 'cancel_after' }),
  ({ portal }, borrower) => change(portal, borrower, charge(`charge:${uuidv7()}`), { whileLinkOpen: 'refuse', cancelLink: true }),
  async ({ portal }, borrower) => (await canPayByLink(portal, borrower)) && openLink(portal, borrower),
  async ({ portal, below }, borrower) => below(3) === 0 && (await canPayByLink(portal, borrower)) && payOnce(portal, borrower),
]

/**
 * Approves a proposal, and the new preview where a worker's refund changed the loan since the last.
 *
 * @returns the answer, null if the server is gone, and the hash that was approved.
 */
async function approveFresh(portal: Portal, staff: Staff, proposal: Proposal): Promise<{ answer: Answer | null; hash: string }> {
  let hash = proposal.preview.preview_hash
  for (let stale = 0; ; stale += 1) {
    const answer = await approve(portal, staff, proposal, hash)
    if (answer?.body['code'] !== 'ProposalStale' || stale === staleMax) return { answer, hash }
    hash = (answer.body['preview'] as Proposal['preview']).preview_hash
  }
}
const staleMax = 5

/** Kills the server in the execution of one proposal; after the restart it is executed once. */
async function killAt(run: Run, step: 'proposal_written' | 'proposal_committed'): Promise<void> {
  const { portal, people, found } = run
  const [borrower] = await addBorrowers(portal, 1, { sanctionedRupees: 900_000 })
  if (!borrower) throw new Error('there is no borrower')
  const proposal = await proposeSurely(run, borrower)
  portal.order(step, 'exit')
  const approving = approveFresh(portal, people.checker, proposal).then(({ answer, hash }) => {
    if (answer) throw new Error(`${proposal.kind} ${proposal.id}: before ${step} answered ${JSON.stringify(answer)}`)
    return hash
  })
  const [hash] = await Promise.all([approving, awaitFailPoint(portal, step)])
  await portal.server.ended()
  await portal.server.start()
  portal.release(step)
  const stored = await portal.call('GET', `/operations/proposals/${proposal.id}`, people.checker.token)
  const { state } = (stored?.body['proposal'] ?? {}) as { state?: string }
  const expected = step === 'proposal_committed' ? 'executed' : 'proposed'
  if (state !== expected) found.broken.push(`${proposal.id}: killed at ${step}, it is ${state}`)
  // After the restart a worker can compute a reset of the loan again.
  const { answer: again } = await approveFresh(portal, people.checker, { ...proposal, preview: { preview_hash: hash } })
  if (again?.status !== 200) found.lost.push(`${proposal.id}: after the kill at ${step} answered ${JSON.stringify(again)}`)
  const other = await approve(portal, people.second, proposal, hash)
  if (other?.body['code'] !== 'ProposalDecided') found.broken.push(`${proposal.id}: another checker was answered ${other?.status}`)
}

const proposeSurely = (run: Run, borrower: Borrower): Promise<Proposal> =>
  until(() => propose(run, borrower), 60_000, { intervalMs: 10, failure: 'nothing could be proposed' })

/** Kills the server at any moment of several approvals at once. */
async function killAtRandom(run: Run): Promise<void> {
  const { portal, people, found, below } = run
  const borrowers = await addBorrowers(portal, borrowersAtOnce, { sanctionedRupees: 900_000 })
  const proposals: Proposal[] = []
  for (const borrower of borrowers) proposals.push(await proposeSurely(run, borrower))
  const approving = proposals.map((proposal) => approve(portal, people.checker, proposal, proposal.preview.preview_hash))
  await delay(below(60))
  await portal.server.kill()
  await Promise.all(approving)
  await portal.server.start()
  for (const proposal of proposals) {
    const { answer } = await approveFresh(portal, people.checker, proposal)
    if (answer?.status !== 200) found.lost.push(`${proposal.id}: after a kill answered ${JSON.stringify(answer)}`)
  }
}
