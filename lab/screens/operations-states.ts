import { approve, propose, proposalOf, type Asked } from '#testkit/operations-staff.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { addReview, noBorrowerId } from '#server/payments/review-store.ts'
import { enter, startPayment, type ScreenContext, type State } from './screen-context.ts'

/** The demo people who propose and approve. */
const [maker, checker] = [12, 13]
const [onTime, late] = ['KST-24-004173', 'KST-25-001208']

const charge = (lan: string, amount: number): Asked => ({ kind: 'charge_add', lan, input: { charge_type: 'BOUNCE_CHARGE', amount } })

async function proposeCharge({ app }: ScreenContext, lan: string, amount: number) {
  return proposalOf(await propose(app, await app.signIn(demoPhone(maker)), charge(lan, amount)))
}

async function openDialog(screen: ScreenContext, kind: string): Promise<void> {
  await enter(screen, maker, `/operations/loans/${onTime}?do=${kind}`)
  await screen.page.getByRole('dialog').waitFor()
}

async function askForEffect(screen: ScreenContext): Promise<void> {
  await openDialog(screen, 'charge_add')
  const dialog = screen.page.getByRole('dialog')
  await dialog.locator('#operation-charge_type').fill('Legal notice fee')
  await dialog.locator('#operation-amount').fill('500')
  await dialog.locator('#proposal-reason').fill('Ticket 48213: notice of 5 November')
  await dialog.locator('button[type=submit]').click()
}

async function showEffect(screen: ScreenContext): Promise<void> {
  await askForEffect(screen)
  await screen.page.getByRole('dialog').locator('table').first().waitFor()
}

async function openProposal(screen: ScreenContext, person: number, id: string): Promise<void> {
  await enter(screen, person, `/operations/proposals/${id}`)
}

async function openStale(screen: ScreenContext): Promise<void> {
  const { id } = await proposeCharge(screen, onTime, 300)
  await approve(screen.app, await screen.app.signIn(demoPhone(checker)), await proposeCharge(screen, onTime, 77))
  await openProposal(screen, checker, id)
  const decision = screen.page.locator('section[aria-labelledby=decision]')
  await decision.getByRole('button').first().click()
  await decision.getByRole('alert').first().waitFor()
}

async function openExpired(screen: ScreenContext): Promise<void> {
  const { id } = await proposeCharge(screen, late, 88)
  const { app } = screen
  await app.database.asSystem((sql) =>
    sql.updateTable('operation_proposals').set({ expires_at: app.clock.now() }).where('proposal_id', '=', id).execute(),
  )
  await openProposal(screen, checker, id)
}

/** The same charge is waived by two proposals, of which the second fails. */
async function openFailed(screen: ScreenContext): Promise<void> {
  const { app } = screen
  const [makerToken, checkerToken] = [await app.signIn(demoPhone(maker)), await app.signIn(demoPhone(checker))]
  const { body } = await app.get(`/operations/loans/${late}`, checkerToken)
  const { charges } = body['facts'] as { charges: { charge_id: string; pending: number }[] }
  const input = { charge_id: charges.find(({ pending }) => pending > 0)?.charge_id }
  const proposeWaiver = async () => proposalOf(await propose(app, makerToken, { kind: 'charge_waive', lan: late, input }))
  const [first, second] = [await proposeWaiver(), await proposeWaiver()]
  await approve(app, checkerToken, first)
  await approve(app, checkerToken, second)
  await openProposal(screen, checker, second.id)
}

/** A recorded payment, of which a reversal is proposed: the proposal names the payment. */
async function openReversal(screen: ScreenContext): Promise<void> {
  const { app } = screen
  const [makerToken, checkerToken] = [await app.signIn(demoPhone(maker)), await app.signIn(demoPhone(checker))]
  const value_date = dayInIndia(app.clock.now())
  const paid = { mode: 'neft', amount: 10_000, value_date, reference: `HDFC${crypto.randomUUID().slice(0, 8)}` }
  await approve(app, checkerToken, proposalOf(await propose(app, makerToken, { kind: 'payment_record', lan: late, input: paid })))
  const input = { payment_id: paid.reference, cause: 'bounced' }
  const { id } = proposalOf(await propose(app, makerToken, { kind: 'payment_reverse', lan: late, input }))
  await openProposal(screen, checker, id)
}

async function openResolved(screen: ScreenContext): Promise<void> {
  const { app } = screen
  const [makerToken, checkerToken] = [await app.signIn(demoPhone(maker)), await app.signIn(demoPhone(checker))]
  const { body } = await app.get('/operations/reviews', makerToken)
  const [review] = body['items'] as { review_id: string }[]
  const input = { review_id: review?.review_id, resolution: 'The bank dropped the dispute' }
  await approve(app, checkerToken, proposalOf(await propose(app, makerToken, { kind: 'review_resolve', input })))
  await enter(screen, maker, '/operations/reviews?list=resolved')
}

/** Approves and cancels the open link first; `disturb` decides what the provider answers. */
async function cancelFirst(screen: ScreenContext, disturb: (linkId: string) => Promise<unknown>): Promise<void> {
  const { app, page } = screen
  const linkId = await startPayment(screen, 1)
  const { id } = await proposeCharge(screen, onTime, 66)
  await openProposal(screen, checker, id)
  await disturb(linkId)
  const decision = page.locator('section[aria-labelledby=decision]')
  await decision.getByRole('checkbox').or(decision.getByRole('switch')).first().check({ force: true })
  await decision.getByRole('button').first().click()
  await decision.getByRole('alert').locator('*').first().waitFor()
  await app.sandbox('/faults', { clear: true })
}

/** Screens of Operations, for the maker and the checker. */
export const operationsStates: readonly State[] = [
  { name: 'operations-empty', go: (screen) => enter(screen, checker, '/operations') },
  { name: 'operations-denied', go: (screen) => enterDenied(screen) },
  { name: 'operations-loans', isLong: true, go: (screen) => enter(screen, checker, '/operations/loans') },
  { name: 'operations-loan', isLong: true, go: (screen) => enter(screen, maker, `/operations/loans/${late}`) },
  { name: 'operations-dialog', go: (screen) => openDialog(screen, 'payment_record') },
  {
    name: 'operations-return',
    go: async (screen) => {
      await screen.page.route('**/api/v1/operations/loans/*', async (route) => {
        const answer = await route.fetch()
        const body = await answer.json()
        await route.fulfill({ response: answer, json: { ...body, loan: { ...body.loan, credit_amount: 500.25 } } })
      })
      await openDialog(screen, 'credit_return')
    },
  },
  { name: 'operations-effect', go: showEffect },
  {
    name: 'operations-effect-in-progress',
    isAnew: true,
    go: async (screen) => {
      const problem = { type: 'about:blank', title: 'x', status: 409, detail: 'x', code: 'PreviewInProgress', request_id: 'x' }
      const json = { ...problem, progress: { done: 38_000, total: 100_001 } }
      await screen.page.route('**/operations/previews', (route) =>
        route.fulfill({ status: 409, contentType: 'application/problem+json', body: JSON.stringify(json) }),
      )
      await askForEffect(screen)
      await screen.page.getByRole('progressbar').waitFor()
    },
  },
  {
    name: 'operations-own',
    isLong: true,
    go: async (screen) => openProposal(screen, maker, (await proposeCharge(screen, onTime, 250)).id),
  },
  { name: 'operations-queue', after: 'operations-own', go: (screen) => enter(screen, checker, '/operations') },
  {
    name: 'operations-to-approve',
    isLong: true,
    go: async (screen) => openProposal(screen, checker, (await proposeCharge(screen, late, 111)).id),
  },
  { name: 'operations-stale', isLong: true, go: openStale },
  {
    name: 'operations-executed',
    isLong: true,
    go: async (screen) => {
      const proposal = await proposeCharge(screen, late, 99)
      await approve(screen.app, await screen.app.signIn(demoPhone(checker)), proposal)
      await openProposal(screen, checker, proposal.id)
    },
  },
  { name: 'operations-decided', after: 'operations-executed', go: (screen) => enter(screen, checker, '/operations?list=decided') },
  { name: 'operations-expired', isLong: true, go: openExpired },
  { name: 'operations-failed', isLong: true, go: openFailed },
  {
    name: 'operations-unreachable',
    isLong: true,
    go: (screen) => cancelFirst(screen, () => screen.app.sandbox('/faults', { call: 'cancel', kind: 'reset', times: 'forever' })),
  },
  {
    name: 'operations-link-paid',
    isLong: true,
    go: (screen) =>
      cancelFirst(screen, async (linkId) => {
        await screen.app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
        await screen.app.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
      }),
  },
  {
    name: 'operations-reviews',
    go: async (screen) => {
      const detail = { amount_paise: 123_456, payment: 'pay_918cfca11cad79' }
      const review = { borrowerId: noBorrowerId, kind: 'unknown_payment' as const, about: 'pictured', detail }
      await screen.app.database.asSystem((sql) => addReview(sql, review, screen.app.clock.now()))
      await enter(screen, maker, '/operations/reviews')
    },
  },
  { name: 'operations-resolved', after: 'operations-reviews', go: openResolved },
  { name: 'operations-reversal', isLong: true, go: openReversal },
  { name: 'operations-missing', go: (screen) => enter(screen, checker, '/operations/loans/KST-00-000000') },
]

/** Staff without the permission: the page has no heading of its own level. */
async function enterDenied(screen: ScreenContext): Promise<void> {
  await enter(screen, 8, '/users')
  await screen.page.goto(`${screen.origin}/operations`)
  await screen.page.locator('main [role=alert]').waitFor()
}
