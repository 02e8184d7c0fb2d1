import { approve, propose, proposalOf, type Asked } from '#testkit/operations-staff.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { addReview, noBorrowerId } from '#server/payments/review-store.ts'
import { enter, startPayment, type Stage, type State } from './stage.ts'

/** The demo people who propose and approve. */
const [maker, checker] = [12, 13]
const [onTime, late] = ['KST-24-004173', 'KST-25-001208']

const charge = (lan: string, amount: number): Asked => ({ kind: 'charge_add', lan, input: { charge_type: 'BOUNCE_CHARGE', amount } })

async function proposeCharge({ app }: Stage, lan: string, amount: number) {
  return proposalOf(await propose(app, await app.signIn(demoPhone(maker)), charge(lan, amount)))
}

async function openDialog(stage: Stage, kind: string): Promise<void> {
  await enter(stage, maker, `/operations/loans/${onTime}?do=${kind}`)
  await stage.page.getByRole('dialog').waitFor()
}

async function askForEffect(stage: Stage): Promise<void> {
  await openDialog(stage, 'charge_add')
  const dialog = stage.page.getByRole('dialog')
  await dialog.locator('#operation-charge_type').fill('Legal notice fee')
  await dialog.locator('#operation-amount').fill('500')
  await dialog.locator('#proposal-reason').fill('Ticket 48213: notice of 5 November')
  await dialog.locator('button[type=submit]').click()
}

async function showEffect(stage: Stage): Promise<void> {
  await askForEffect(stage)
  await stage.page.getByRole('dialog').locator('table').first().waitFor()
}

async function openProposal(stage: Stage, person: number, id: string): Promise<void> {
  await enter(stage, person, `/operations/proposals/${id}`)
}

async function openStale(stage: Stage): Promise<void> {
  const { id } = await proposeCharge(stage, onTime, 300)
  await approve(stage.app, await stage.app.signIn(demoPhone(checker)), await proposeCharge(stage, onTime, 77))
  await openProposal(stage, checker, id)
  const decision = stage.page.locator('section[aria-labelledby=decision]')
  await decision.getByRole('button').first().click()
  await decision.getByRole('alert').first().waitFor()
}

async function openExpired(stage: Stage): Promise<void> {
  const { id } = await proposeCharge(stage, late, 88)
  const { app } = stage
  await app.database.asSystem((sql) =>
    sql.updateTable('operation_proposals').set({ expires_at: app.clock.now() }).where('proposal_id', '=', id).execute(),
  )
  await openProposal(stage, checker, id)
}

/** The same charge is waived by two proposals, of which the second fails. */
async function openFailed(stage: Stage): Promise<void> {
  const { app } = stage
  const [makerToken, checkerToken] = [await app.signIn(demoPhone(maker)), await app.signIn(demoPhone(checker))]
  const { body } = await app.get(`/operations/loans/${late}`, checkerToken)
  const { charges } = body['facts'] as { charges: { charge_id: string; pending: number }[] }
  const input = { charge_id: charges.find(({ pending }) => pending > 0)?.charge_id }
  const proposeWaiver = async () => proposalOf(await propose(app, makerToken, { kind: 'charge_waive', lan: late, input }))
  const [first, second] = [await proposeWaiver(), await proposeWaiver()]
  await approve(app, checkerToken, first)
  await approve(app, checkerToken, second)
  await openProposal(stage, checker, second.id)
}

/** A recorded payment, of which a reversal is proposed: the proposal names the payment. */
async function openReversal(stage: Stage): Promise<void> {
  const { app } = stage
  const [makerToken, checkerToken] = [await app.signIn(demoPhone(maker)), await app.signIn(demoPhone(checker))]
  const value_date = dayInIndia(app.clock.now())
  const paid = { mode: 'neft', amount: 10_000, value_date, reference: `HDFC${crypto.randomUUID().slice(0, 8)}` }
  await approve(app, checkerToken, proposalOf(await propose(app, makerToken, { kind: 'payment_record', lan: late, input: paid })))
  const input = { payment_id: paid.reference, cause: 'bounced' }
  const { id } = proposalOf(await propose(app, makerToken, { kind: 'payment_reverse', lan: late, input }))
  await openProposal(stage, checker, id)
}

async function openResolved(stage: Stage): Promise<void> {
  const { app } = stage
  const [makerToken, checkerToken] = [await app.signIn(demoPhone(maker)), await app.signIn(demoPhone(checker))]
  const { body } = await app.get('/operations/reviews', makerToken)
  const [review] = body['items'] as { review_id: string }[]
  const input = { review_id: review?.review_id, resolution: 'The bank dropped the dispute' }
  await approve(app, checkerToken, proposalOf(await propose(app, makerToken, { kind: 'review_resolve', input })))
  await enter(stage, maker, '/operations/reviews?list=resolved')
}

/** Approves and cancels the open link first; `disturb` decides what the provider answers. */
async function cancelFirst(stage: Stage, disturb: (linkId: string) => Promise<unknown>): Promise<void> {
  const { app, page } = stage
  const linkId = await startPayment(stage, 1)
  const { id } = await proposeCharge(stage, onTime, 66)
  await openProposal(stage, checker, id)
  await disturb(linkId)
  const decision = page.locator('section[aria-labelledby=decision]')
  await decision.getByRole('checkbox').or(decision.getByRole('switch')).first().check({ force: true })
  await decision.getByRole('button').first().click()
  await decision.getByRole('alert').locator('*').first().waitFor()
  await app.sandbox('/faults', { clear: true })
}

/** Screens of Operations, for the maker and the checker. */
export const operationsStates: readonly State[] = [
  { name: 'operations-empty', go: (stage) => enter(stage, checker, '/operations') },
  { name: 'operations-denied', go: (stage) => enterDenied(stage) },
  { name: 'operations-loans', isLong: true, go: (stage) => enter(stage, checker, '/operations/loans') },
  { name: 'operations-loan', isLong: true, go: (stage) => enter(stage, maker, `/operations/loans/${late}`) },
  { name: 'operations-dialog', go: (stage) => openDialog(stage, 'payment_record') },
  {
    name: 'operations-return',
    go: async (stage) => {
      await stage.page.route('**/api/v1/operations/loans/*', async (route) => {
        const answer = await route.fetch()
        const body = await answer.json()
        await route.fulfill({ response: answer, json: { ...body, loan: { ...body.loan, credit_amount: 500.25 } } })
      })
      await openDialog(stage, 'credit_return')
    },
  },
  { name: 'operations-effect', go: showEffect },
  {
    name: 'operations-effect-in-progress',
    isAnew: true,
    go: async (stage) => {
      const problem = { type: 'about:blank', title: 'x', status: 409, detail: 'x', code: 'PreviewInProgress', request_id: 'x' }
      const json = { ...problem, progress: { done: 38_000, total: 100_001 } }
      await stage.page.route('**/operations/previews', (route) =>
        route.fulfill({ status: 409, contentType: 'application/problem+json', body: JSON.stringify(json) }),
      )
      await askForEffect(stage)
      await stage.page.getByRole('progressbar').waitFor()
    },
  },
  {
    name: 'operations-own',
    isLong: true,
    go: async (stage) => openProposal(stage, maker, (await proposeCharge(stage, onTime, 250)).id),
  },
  { name: 'operations-queue', after: 'operations-own', go: (stage) => enter(stage, checker, '/operations') },
  {
    name: 'operations-to-approve',
    isLong: true,
    go: async (stage) => openProposal(stage, checker, (await proposeCharge(stage, late, 111)).id),
  },
  { name: 'operations-stale', isLong: true, go: openStale },
  {
    name: 'operations-executed',
    isLong: true,
    go: async (stage) => {
      const proposal = await proposeCharge(stage, late, 99)
      await approve(stage.app, await stage.app.signIn(demoPhone(checker)), proposal)
      await openProposal(stage, checker, proposal.id)
    },
  },
  { name: 'operations-decided', after: 'operations-executed', go: (stage) => enter(stage, checker, '/operations?list=decided') },
  { name: 'operations-expired', isLong: true, go: openExpired },
  { name: 'operations-failed', isLong: true, go: openFailed },
  {
    name: 'operations-unreachable',
    isLong: true,
    go: (stage) => cancelFirst(stage, () => stage.app.sandbox('/faults', { call: 'cancel', kind: 'reset', times: 'forever' })),
  },
  {
    name: 'operations-link-paid',
    isLong: true,
    go: (stage) =>
      cancelFirst(stage, async (linkId) => {
        await stage.app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
        await stage.app.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
      }),
  },
  {
    name: 'operations-reviews',
    go: async (stage) => {
      const detail = { amount_paise: 123_456, payment: 'pay_918cfca11cad79' }
      const review = { borrowerId: noBorrowerId, kind: 'unknown_payment' as const, about: 'pictured', detail }
      await stage.app.database.asSystem((sql) => addReview(sql, review, stage.app.clock.now()))
      await enter(stage, maker, '/operations/reviews')
    },
  },
  { name: 'operations-resolved', after: 'operations-reviews', go: openResolved },
  { name: 'operations-reversal', isLong: true, go: openReversal },
  { name: 'operations-missing', go: (stage) => enter(stage, checker, '/operations/loans/KST-00-000000') },
]

/** Staff without the permission: the page has no heading of its own level. */
async function enterDenied(stage: Stage): Promise<void> {
  await enter(stage, 8, '/users')
  await stage.page.goto(`${stage.origin}/operations`)
  await stage.page.locator('main [role=alert]').waitFor()
}
