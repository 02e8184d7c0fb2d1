import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { disable } from '#cli/commands/staff.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { countLockWaits } from '#testkit/lock-waits.ts'
import { failStep, holdStep } from '#testkit/hold-step.ts'
import { approve, propose, proposalOf, proposalReason, type Asked } from '#testkit/operations-staff.ts'
import { presentDebit } from '#testkit/presented-debit.ts'
import { payLink } from '#testkit/payments.ts'
import { noon, until, type App } from '#testkit/start-app.ts'
import type { Sql } from '../database/connect.ts'
import { logExpiredProposals } from './log-expired.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { addReview, lockReview, noBorrowerId } from '../payments/review-store.ts'
import { charge, everything, ledgerOf, logOf, newBorrower, newStaff, newTeam, startStage, transfer, type Staff } from './stage.testing.ts'

/** A proposal from its preview to its decision: by whom, when, and with which figures. */

let app: App
let maker: Staff
let checker: Staff
let secondChecker: Staff

beforeAll(async () => {
  app = await startStage({ settings: { KIST_FAIL: 'none' } })
})
beforeEach(async () => {
  ;({ maker, checker, secondChecker } = await newTeam(app))
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

const proposed = async (asked: Asked, by: Staff = maker) => proposalOf(await propose(app, by.token, asked))
const readProposal = async (id: string) => proposalOf(await app.get(`/operations/proposals/${id}`, checker.token))
const stateOf = async (id: string) => (await readProposal(id)).state

describe('a proposal', () => {
  it('changes nothing until another person approves its preview', async () => {
    const borrower = await newBorrower(app)
    const before = await borrower.loan()
    const proposal = await proposed(charge(borrower.lan))
    expect(proposal).toMatchObject({ state: 'proposed', kind: 'charge_add', lan: borrower.lan, checker: null, reason: proposalReason })
    expect(await borrower.loan()).toEqual(before)
    const { status, body } = await approve(app, checker.token, proposal)
    expect([status, body]).toMatchObject([200, { proposal: { state: 'executed', checker: { user_id: checker.userId } } }])
    expect((await borrower.loan())['dues']).toBe(590)
  })
  it('of a charge with its GST adds both, and a waiver of the charge takes both back', async () => {
    const borrower = await newBorrower(app)
    const input = { charge_type: 'BOUNCE_CHARGE', amount: 500, tax_percent: 18 }
    const added = await proposed({ kind: 'charge_add', lan: borrower.lan, input })
    expect(added).toMatchObject({ amount: 590 })
    await approve(app, checker.token, added)
    expect((await borrower.loan())['dues']).toBe(590)
    const waived = await proposed({ kind: 'charge_waive', lan: borrower.lan, input: { charge_id: `charge:${added.id}` } })
    expect(waived).toMatchObject({ amount: 590 })
    await approve(app, checker.token, waived)
    expect((await borrower.loan())['dues']).toBe(0)
  })
  it('is executed with its ledger source, the access-log entry, the notice and the list of staff actions', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    await approve(app, checker.token, proposal)
    expect(await ledgerOf(app, borrower.key.loanId)).toContainEqual({
      kind: 'charge',
      source: 'operations',
      source_id: `${proposal.id}:charge:charge:${proposal.id}`,
    })
    expect(await logOf(app, borrower.borrowerId, 'charge_added')).toMatchObject([
      { actor_id: checker.userId, detail: { proposal: proposal.id, reason: proposalReason, maker: expect.stringContaining('Asha') } },
    ])
    expect((await borrower.get('/portal/notices'))['notices']).toMatchObject([{ kind: 'charge_added', amount: 590, lan: borrower.lan }])
    expect((await borrower.get('/portal/staff-access'))['staff_access']).toMatchObject([
      {
        kind: 'operation',
        team: 'operations',
        reason: proposalReason,
        lan: borrower.lan,
        amount: 590,
        acts: [{ act: 'charge_added', times: 1 }],
      },
      { kind: 'profile_read', team: 'operations', acts: [{ act: 'profile_viewed', times: 2 }] },
    ])
  })
  it('can be rejected by another person and withdrawn by its maker, each once', async () => {
    const borrower = await newBorrower(app)
    const [first, second] = [await proposed(charge(borrower.lan)), await proposed(charge(borrower.lan))]
    const close = (id: string, way: string, by: Staff, reason = 'It is not needed any more.') =>
      app.post(`/operations/proposals/${id}/${way}`, { reason }, by.token)
    expect((await close(first.id, 'withdraw', checker)).status).toBe(403)
    expect(proposalOf(await close(first.id, 'reject', checker))).toMatchObject({
      state: 'rejected',
      decision_reason: 'It is not needed any more.',
      checker: { user_id: checker.userId },
    })
    expect((await close(first.id, 'reject', checker)).status).toBe(200)
    expect((await close(first.id, 'reject', secondChecker)).body).toMatchObject({ code: 'ProposalDecided', proposal_state: 'rejected' })
    expect((await approve(app, secondChecker.token, first)).body).toMatchObject({ status: 409, code: 'ProposalDecided' })
    expect(proposalOf(await close(second.id, 'withdraw', maker))).toMatchObject({ state: 'withdrawn', checker: null, decision_cause: null })
    expect((await close(second.id, 'reject', checker)).body).toMatchObject({ code: 'ProposalDecided', proposal_state: 'withdrawn' })
    expect((await borrower.loan())['dues']).toBe(0)
  })
  it('expires after 72 hours', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    await app.clock.advance(72 * 3_600_000)
    checker = await signedInAgain(checker)
    expect((await approve(app, checker.token, proposal)).body).toMatchObject({ code: 'ProposalDecided', proposal_state: 'expired' })
    expect(await stateOf(proposal.id)).toBe('expired')
    expect((await app.get('/operations/queue?state=expired', checker.token)).body).toMatchObject({ items: [{ id: proposal.id }] })
  })
  it('once expired is one entry of the access log', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    await logExpiredProposals(app.context)
    expect(await logOf(app, borrower.borrowerId, 'proposal_expired')).toEqual([])
    await app.clock.advance(72 * 3_600_000)
    await Promise.all([logExpiredProposals(app.context), logExpiredProposals(app.context)])
    const entry = {
      proposal: proposal.id,
      kind: 'charge_add',
      lan: borrower.lan,
      operator: expect.stringContaining('Asha'),
      reason: proposalReason,
      expired_at: proposal['expires_at'],
    }
    expect(await logOf(app, borrower.borrowerId, 'proposal_expired')).toEqual([{ actor_id: 'system', detail: entry }])
  })
  it('names the field of a wrong input and of a reason that is too short or holds personal data', async () => {
    const { lan } = await newBorrower(app)
    const refusal = async (asked: Asked) => (await propose(app, maker.token, asked)).body
    expect(await refusal(charge(lan, -1))).toMatchObject({
      status: 422,
      code: 'ProposalRefused',
      field: 'input.amount',
      refusal: 'input_invalid',
    })
    for (const [input, detail] of [
      [{ charge_type: 'FEE' }, 'input.amount is missing.'],
      [{ charge_type: 'FEE', amount: '5' }, 'input.amount must be a number.'],
      [{ charge_type: 'FEE', amount: 5, date: '2026-02-30' }, 'input.date must be a date from 1900-01-01 to 2199-12-31.'],
    ] as const)
      expect(await refusal({ kind: 'charge_add', lan, input })).toMatchObject({ detail, refusal: 'input_invalid' })
    expect(await refusal({ kind: 'review_resolve', input: { review_id: 'R-1', resolution: 'Closed' } })).toMatchObject({
      detail: 'input.review_id must be a UUID.',
    })
    expect(await refusal({ kind: 'charge_add', input: { charge_type: 'FEE', amount: 1 } })).toMatchObject({ status: 422, field: 'lan' })
    expect(await refusal({ kind: 'credit_refund', lan, input: { amount: 1 } })).toMatchObject({
      status: 422,
      field: 'input.amount',
      refusal: 'credit_too_small',
    })
    expect(await refusal({ kind: 'charge_waive', lan, input: { charge_id: 'none' } })).toMatchObject({
      status: 422,
      field: 'input.charge_id',
    })
    expect(await refusal(charge('KST-00-000000'))).toMatchObject({ status: 404 })
    const { body: preview } = await app.post('/operations/previews', charge(lan), maker.token)
    const withReason = async (reason: string) =>
      (await app.post('/operations/proposals', { ...charge(lan), reason, preview_hash: preview['preview_hash'] }, maker.token)).body
    expect(await withReason('too short')).toMatchObject({ status: 422, field: 'reason' })
    expect(await withReason('Nair')).toMatchObject({ status: 422, field: 'reason' })
    for (const personal of ['9876543210', '09876543210', 'abcde1234f', 'asha@okaxis'])
      expect(await withReason(`Ask ${personal} about this charge.`)).toMatchObject({ status: 422, field: 'reason' })
  })
  it('keeps its reason without the names of the borrower', async () => {
    const { lan } = await newBorrower(app)
    const { body: preview } = await app.post('/operations/previews', charge(lan), maker.token)
    const asked = { ...charge(lan), reason: 'Asked for by Ravi Nair himself.', preview_hash: preview['preview_hash'] }
    const proposal = proposalOf(await app.post('/operations/proposals', asked, maker.token))
    expect(proposal['reason']).toBe('Asked for by [name] [name] himself.')
    const rejected = { kind: 'tranche_reject', lan, input: { partner_tranche_id: 'T1', cause: 'call 9876543210' } }
    expect((await propose(app, maker.token, rejected)).body).toMatchObject({ status: 422, field: 'input.cause' })
  })
  it('keeps the cause of a rejected tranche without the names of the borrower', async () => {
    const borrower = await newBorrower(app)
    const soon = addDays(dayInIndia(app.clock.now()), 20)
    const asked = { lead_id: borrower.lan, lan: borrower.lan, amount: 20_000, date: soon }
    const requested = await app.post('/portal/tranche', asked, borrower.token)
    const { partner_tranche_id } = (requested.body['tranche'] ?? requested.body) as { partner_tranche_id: string }
    const reject = (cause: string): Asked => ({ kind: 'tranche_reject', lan: borrower.lan, input: { partner_tranche_id, cause } })
    const proposal = await proposed(reject('Ravi sent no proof of fees.'))
    expect(proposal['input']).toEqual({ partner_tranche_id, cause: '[name] sent no proof of fees.' })
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
    expect(await logOf(app, borrower.borrowerId, 'tranche_rejected')).toMatchObject([
      { detail: { cause: '[name] sent no proof of fees.' } },
    ])
    expect((await propose(app, maker.token, reject('Nair '.repeat(60)))).body).toMatchObject({ status: 422, field: 'input.cause' })
  })
  it('of a release before the sanction is refused, and the day of the sanction is known', async () => {
    const borrower = await newBorrower(app)
    const asked = { lead_id: borrower.lan, lan: borrower.lan, amount: 20_000, date: addDays(dayInIndia(app.clock.now()), 20) }
    const { partner_tranche_id } = (await app.post('/portal/tranche', asked, borrower.token)).body
    expect(
      await approve(app, checker.token, await proposed({ kind: 'tranche_approve', lan: borrower.lan, input: { partner_tranche_id } })),
    ).toMatchObject({ status: 200 })
    const { body } = await app.get(`/operations/loans/${borrower.lan}`, maker.token)
    const { sanctioned_on: sanctionedOn } = body['facts'] as { sanctioned_on: Day }
    const releaseOn = (date: Day) =>
      app.post('/operations/previews', { kind: 'tranche_release', lan: borrower.lan, input: { partner_tranche_id, date } }, maker.token)
    expect((await releaseOn(addDays(sanctionedOn, -1))).body).toMatchObject({
      status: 422,
      field: 'input.date',
      refusal: 'day_before_sanction',
    })
    expect(await releaseOn(sanctionedOn)).toMatchObject({ status: 200 })
  })
  it('keeps the reason of its rejection without the names of the borrower', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    const rejected = await app.post(`/operations/proposals/${proposal.id}/reject`, { reason: 'Ravi has paid it already' }, checker.token)
    expect(proposalOf(rejected).decision_reason).toBe('[name] has paid it already')
  })
  it('is made once for one Idempotency-Key of a staff member', async () => {
    const { lan } = await newBorrower(app)
    const key = { 'idempotency-key': `proposal-${lan}` }
    const first = proposalOf(await propose(app, maker.token, charge(lan), key))
    expect(proposalOf(await propose(app, maker.token, charge(lan), key)).id).toBe(first.id)
    expect((await propose(app, maker.token, charge(lan, 700), key)).body).toMatchObject({ status: 422, code: 'IdempotencyKeyReused' })
    const other = await newStaff(app, ['operations:read', 'operations:propose'])
    expect(proposalOf(await propose(app, other.token, charge(lan), key)).id).not.toBe(first.id)
  })
})

/** A session ends after half an hour without requests. */
const signedInAgain = async (staff: Staff): Promise<Staff> => ({ ...staff, token: await app.signIn(staff.phone) })

describe('two people', () => {
  it('are needed: nobody approves or rejects what they proposed', async () => {
    const borrower = await newBorrower(app)
    const both = await newStaff(app, everything)
    const proposal = await proposed(charge(borrower.lan), both)
    expect((await approve(app, both.token, proposal)).body).toMatchObject({ status: 403, code: 'FourEyes' })
    const rejected = await app.post(`/operations/proposals/${proposal.id}/reject`, { reason: 'Not needed.' }, both.token)
    expect(rejected.body).toMatchObject({ status: 403, code: 'FourEyes' })
    expect(await stateOf(proposal.id)).toBe('proposed')
  })
  it('are needed: each refusal is an entry of the access log of who asked, also of a withdrawal by another person', async () => {
    const borrower = await newBorrower(app)
    const [both, other] = [await newStaff(app, everything), await newStaff(app, everything)]
    const proposal = await proposed(charge(borrower.lan), both)
    await approve(app, both.token, proposal)
    await app.post(`/operations/proposals/${proposal.id}/reject`, { reason: 'Not needed.' }, both.token)
    const withdrawn = await app.post(`/operations/proposals/${proposal.id}/withdraw`, { reason: 'Not needed.' }, other.token)
    expect(withdrawn.body).toMatchObject({ status: 403, code: 'PermissionDenied' })
    const refused = async (staff: Staff) =>
      (await logOf(app, staff.userId, 'access_refused')).map(({ actor_id, detail }) => [actor_id, detail])
    expect(await refused(both)).toEqual(['approveProposal', 'rejectProposal'].map((call) => [both.userId, { call }]))
    expect(await refused(other)).toEqual([[other.userId, { call: 'withdrawProposal' }]])
    expect(await logOf(app, borrower.borrowerId, 'access_refused')).toEqual([])
  })
  it.each([
    ['PAN', { pan: 'ABCPK1234L' }],
    ['e-mail address', { email: 'two.accounts@lender.example' }],
  ])('with one %s count as one person', async (_name, same) => {
    const borrower = await newBorrower(app)
    const [one, other] = [await newStaff(app, everything, same), await newStaff(app, everything, same)]
    const proposal = await proposed(charge(borrower.lan), one)
    expect((await approve(app, other.token, proposal)).body).toMatchObject({ status: 403, code: 'FourEyes' })
  })
  it('with the same ten digits and another country code count as one person', async () => {
    const borrower = await newBorrower(app)
    const one = await newStaff(app, everything, { phone: '+917755512345' })
    const other = await newStaff(app, everything)
    await app.database.asSystem((sql) =>
      sql.updateTable('users').set({ phone: '+447755512345' }).where('user_id', '=', other.userId).execute(),
    )
    const proposal = await proposed(charge(borrower.lan), one)
    expect((await approve(app, other.token, proposal)).body).toMatchObject({ status: 403, code: 'FourEyes' })
  })
  it('never act on a loan of their own', async () => {
    const pan = 'QWEPK4321Z'
    const borrower = await newBorrower(app, { pan })
    const own = await newStaff(app, everything, { pan })
    expect((await app.post('/operations/previews', charge(borrower.lan), own.token)).body).toMatchObject({ code: 'FourEyes' })
    const proposal = await proposed(charge(borrower.lan))
    expect((await approve(app, own.token, proposal)).body).toMatchObject({ code: 'FourEyes' })
    expect((await app.get(`/operations/loans/${borrower.lan}`, own.token)).body).toMatchObject({ is_own: true })
    expect((await borrower.loan())['dues']).toBe(0)
  })
  it('never act while they act as a borrower', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    const staff = await newStaff(app, [...everything, 'user:assume'])
    const assumed = await app.post('/auth/assume', { user_id_to_assume: borrower.borrowerId, reason: 'a call' }, staff.token)
    const token = String(assumed.body['token'])
    expect((await approve(app, token, proposal)).status).toBe(403)
    expect((await app.post('/operations/previews', charge(borrower.lan), token)).status).toBe(403)
    expect((await app.get('/operations/queue', token)).status).toBe(403)
  })
  it('of whom two approve at once: one executes', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    const answers = await Promise.all([
      approve(app, checker.token, proposal),
      approve(app, secondChecker.token, proposal),
      approve(app, checker.token, proposal),
    ])
    const executed = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(executed.map((answer) => JSON.stringify(proposalOf(answer)))).size).toBe(1)
    expect(refused.map(({ body }) => body['code'])).toEqual(refused.map(() => 'ProposalDecided'))
    expect(executed.length + refused.length).toBe(3)
    expect(refused.length).toBeGreaterThan(0)
    expect((await borrower.loan())['dues']).toBe(590)
  })
})

describe('a repeated approval', () => {
  it('of the same preview by the same checker answers the same, by another one 409', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    const first = proposalOf(await approve(app, checker.token, proposal))
    expect(proposalOf(await approve(app, checker.token, proposal))).toEqual(first)
    expect((await approve(app, secondChecker.token, proposal)).body).toMatchObject({ status: 409, code: 'ProposalDecided' })
    expect((await approve(app, checker.token, proposal, { preview_hash: 'another' })).body).toMatchObject({ code: 'ProposalDecided' })
    expect((await borrower.loan())['dues']).toBe(590)
  })
})

describe('a crash', () => {
  it('between commit and answer leaves the proposal executed; the same approval then answers 200', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    failStep(app, 'proposal_committed')
    expect((await approve(app, checker.token, proposal)).status).toBe(500)
    expect(await stateOf(proposal.id)).toBe('executed')
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
    expect((await approve(app, secondChecker.token, proposal)).body).toMatchObject({ code: 'ProposalDecided' })
    expect((await borrower.loan())['dues']).toBe(590)
    expect(await logOf(app, borrower.borrowerId, 'charge_added')).toHaveLength(1)
  })
  it('before the commit changes nothing, and the proposal can be approved', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    failStep(app, 'proposal_written')
    expect((await approve(app, checker.token, proposal)).status).toBe(500)
    expect([await stateOf(proposal.id), (await borrower.loan())['dues']]).toEqual(['proposed', 0])
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
    expect((await borrower.loan())['dues']).toBe(590)
  })
})

/** With a limit for one person. */
const limited = async <T>(work: () => Promise<T>): Promise<T> => {
  app.context.config.operations.limits = { charge_add: rupeesToPaise(600) }
  return work().finally(() => {
    app.context.config.operations.limits = {}
  })
}

describe('the limit for one person', () => {
  it('is ₹0 by default: a second person approves every amount', async () => {
    const { lan } = await newBorrower(app)
    expect((await proposed(charge(lan, 0.01))).state).toBe('proposed')
  })
  it('lets one person execute what is below it, and nothing of the limit or above', async () => {
    const borrower = await newBorrower(app)
    const below = await limited(() => proposed(charge(borrower.lan, 599.99)))
    expect(below).toMatchObject({ state: 'executed', checker: null, maker: { user_id: maker.userId } })
    expect((await limited(() => proposed(charge(borrower.lan, 600)))).state).toBe('proposed')
    expect((await limited(() => proposed(transfer(app, borrower.lan, `ALONE${borrower.lan}`, 1)))).state).toBe('proposed')
    expect((await borrower.loan())['dues']).toBe(599.99)
  })
  it('counts what people executed alone on a loan in a day together', async () => {
    const [borrower, another] = [await newBorrower(app), await newBorrower(app)]
    const stateOfCharge = async (lan: string, amount: number) => (await limited(() => proposed(charge(lan, amount)))).state
    expect([await stateOfCharge(borrower.lan, 350), await stateOfCharge(borrower.lan, 249)]).toEqual(['executed', 'executed'])
    expect([await stateOfCharge(borrower.lan, 1), await stateOfCharge(another.lan, 350)]).toEqual(['proposed', 'executed'])
    expect((await borrower.loan())['dues']).toBe(599)
    await app.database.asSystem((sql) =>
      sql
        .updateTable('operation_proposals')
        .set({ decided_at: new Date(app.clock.now().getTime() - 86_400_000) })
        .where('loan_id', '=', borrower.key.loanId)
        .where('state', '=', 'executed')
        .execute(),
    )
    expect(await stateOfCharge(borrower.lan, 599)).toBe('executed')
  })
  it('never lets one person act on an own loan, and waits for a second while a link is open', async () => {
    const pan = 'LIMPK4321Z'
    const borrower = await newBorrower(app, { pan })
    const own = await newStaff(app, everything, { pan })
    expect((await limited(() => propose(app, own.token, charge(borrower.lan)))).body).toMatchObject({ code: 'FourEyes' })
    await borrower.link()
    expect((await limited(() => proposed(charge(borrower.lan)))).state).toBe('proposed')
  })
})

describe('a presented debit', () => {
  const expectedBy = new Date(noon.getTime() + 10 * 86_400_000)
  const present = (loan: { borrowerId: string; loanId: string }) =>
    presentDebit({ database: app.database, superuserUrl: app.databaseUrls.superuserUrl }, loan, { now: app.clock.now(), expectedBy })

  it('lets nothing be previewed or approved that must wait for its outcome', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    const debit = await present(borrower.key)
    try {
      const refusal = { status: 409, code: 'AutopayInProgress', expected_by: expectedBy.toISOString() }
      expect((await app.post('/operations/previews', charge(borrower.lan), maker.token)).body).toMatchObject(refusal)
      expect((await approve(app, checker.token, proposal)).body).toMatchObject(refusal)
      expect(await stateOf(proposal.id)).toBe('proposed')
      expect((await proposed(transfer(app, borrower.lan, `DEBIT${borrower.lan}`))).state).toBe('proposed')
    } finally {
      await debit.remove()
    }
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
  })
  it('leaves a proposal that one person may execute to a checker', async () => {
    const borrower = await newBorrower(app)
    const { body: preview } = await app.post('/operations/previews', charge(borrower.lan), maker.token)
    const asked = { ...charge(borrower.lan), reason: proposalReason, preview_hash: preview['preview_hash'] }
    const send = () => app.post('/operations/proposals', asked, maker.token, { 'idempotency-key': `same-request-${borrower.lan}` })
    expect(proposalOf(await send()).state).toBe('proposed')
    const debit = await present(borrower.key)
    try {
      // The same request, after the connection was lost: its proposal is not executed yet.
      expect(proposalOf(await limited(send)).state).toBe('proposed')
    } finally {
      await debit.remove()
    }
  })
})

describe('a preview', () => {
  it('is stale once the loan has changed; the checker can approve the new one', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    await borrower.receive(1_000, `STALE${borrower.lan}`)
    const stale = await approve(app, checker.token, proposal)
    expect([stale.status, stale.body['code']]).toEqual([409, 'ProposalStale'])
    expect(await stateOf(proposal.id)).toBe('proposed')
    const preview = stale.body['preview'] as { preview_hash: string; after: Record<string, unknown> }
    const executed = proposalOf(await approve(app, checker.token, proposal, { preview_hash: preview.preview_hash }))
    expect(executed).toMatchObject({ state: 'executed', preview })
  })
  it('that is stale when it is approved is an entry of the borrower’s access log each time', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    for (const preview_hash of ['guessed', 'guessed again'])
      expect((await approve(app, checker.token, proposal, { preview_hash })).body).toMatchObject({ code: 'ProposalStale' })
    const read = {
      actor_id: checker.userId,
      detail: { call: 'approveProposal', lan: borrower.lan, reader: expect.stringContaining('Asha') },
    }
    const entries = await logOf(app, borrower.borrowerId, 'profile_viewed')
    expect(entries.filter(({ actor_id }) => actor_id === checker.userId)).toMatchObject([read, read])
  })
  it('is stale after midnight in India', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    await app.clock.advance(12.5 * 3_600_000)
    checker = await signedInAgain(checker)
    const stale = await approve(app, checker.token, proposal)
    expect([stale.status, stale.body['code']]).toEqual([409, 'ProposalStale'])
    const { preview_hash, before } = stale.body['preview'] as { preview_hash: string; before: { as_of: string } }
    expect(before.as_of).toBe(dayInIndia(app.clock.now()))
    expect(proposalOf(await approve(app, checker.token, proposal, { preview_hash })).state).toBe('executed')
  })
  it('that the maker did not see is refused at proposing', async () => {
    const borrower = await newBorrower(app)
    const { body: preview } = await app.post('/operations/previews', charge(borrower.lan), maker.token)
    await borrower.addCharge('charge:between', 100)
    const asked = { ...charge(borrower.lan), reason: proposalReason, preview_hash: preview['preview_hash'] }
    const { status, body } = await app.post('/operations/proposals', asked, maker.token)
    expect([status, body['code'], typeof (body['preview'] as { preview_hash: string }).preview_hash]).toEqual([
      409,
      'ProposalStale',
      'string',
    ])
  })
  it('stores nothing but that the maker has read the loan', async () => {
    const borrower = await newBorrower(app)
    const before = await ledgerOf(app, borrower.key.loanId)
    const { status, body } = await app.post('/operations/previews', charge(borrower.lan), maker.token)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      before: { dues: 0 },
      after: { dues: 590 },
      lines: [{ kind: 'charge', account: 'charges', debit: 590 }, {}],
    })
    expect(await ledgerOf(app, borrower.key.loanId)).toEqual(before)
    expect((await borrower.get('/portal/notices'))['notices']).toEqual([])
    expect(await logOf(app, borrower.borrowerId, 'profile_viewed')).toMatchObject([
      { actor_id: maker.userId, detail: { call: 'previewOperation' } },
    ])
  })
  it('fails the proposal if the loan no longer allows it', async () => {
    const borrower = await newBorrower(app)
    await borrower.addCharge('charge:waived-twice', 100)
    const waive: Asked = { kind: 'charge_waive', lan: borrower.lan, input: { charge_id: 'charge:waived-twice' } }
    const [first, second] = [await proposed(waive), await proposed(waive)]
    expect(proposalOf(await approve(app, checker.token, first)).state).toBe('executed')
    const { status, body } = await approve(app, checker.token, second)
    expect([status, body['code'], body['field']]).toEqual([422, 'ProposalRefused', 'input.charge_id'])
    expect(await readProposal(second.id)).toMatchObject({ state: 'failed', decision_cause: 'charge_waived' })
  })
})

describe('an open payment link', () => {
  it('is shown by the proposal and can be cancelled first', async () => {
    const borrower = await newBorrower(app)
    const link = await borrower.link()
    const proposal = await proposed(charge(borrower.lan))
    expect(proposal).toMatchObject({ preview: { warnings: [{ code: 'link_open', payment_link_id: link }] } })
    const refused = await approve(app, checker.token, proposal)
    expect(refused.body).toMatchObject({ status: 409, code: 'LinkOpen', payment_link_id: link })
    expect(await stateOf(proposal.id)).toBe('proposed')
    expect(proposalOf(await approve(app, checker.token, proposal, { cancel_link: true })).state).toBe('executed')
    expect(await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`)).toMatchObject({ status: 'cancelled' })
  })
  it('that was cancelled first, for figures that changed meanwhile, is told to the checker and logged', async () => {
    const borrower = await newBorrower(app)
    const link = await borrower.link()
    const proposal = await proposed(charge(borrower.lan))
    const step = holdStep(app, 'cancel_asked')
    const approved = approve(app, checker.token, proposal, { cancel_link: true })
    await step.reached()
    await borrower.receive(1_000, `MEANWHILE${borrower.lan}`)
    step.release()
    expect((await approved).body).toMatchObject({ code: 'ProposalStale', link_cancelled: true })
    expect(await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`)).toMatchObject({ status: 'cancelled' })
    expect(await logOf(app, borrower.borrowerId, 'payment_link_cancelled')).toEqual([
      {
        actor_id: checker.userId,
        detail: { payment_link_id: link, proposal: proposal.id, operator: expect.stringContaining('Asha'), reason: expect.any(String) },
      },
    ])
  })
  it('that was paid before it could be cancelled leaves the proposal open, and its preview is stale', async () => {
    const borrower = await newBorrower(app)
    const link = await borrower.link()
    const proposal = await proposed(charge(borrower.lan))
    await payLink(app, link)
    const paid = await approve(app, checker.token, proposal, { cancel_link: true })
    expect(paid.status).toBe(409)
    expect(['LinkPaid', 'ProposalStale']).toContain(paid.body['code'])
    // Either answer shows the loan's figures.
    const entries = await logOf(app, borrower.borrowerId, 'profile_viewed')
    expect(entries.filter(({ actor_id }) => actor_id === checker.userId)).toMatchObject([{ detail: { call: 'approveProposal' } }])
    await until(async () => (await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`))['rps_updated'])
    expect((await approve(app, checker.token, proposal)).body).toMatchObject({ code: 'ProposalStale' })
  })
  it('is cancelled right after money that has arrived is recorded', async () => {
    const borrower = await newBorrower(app)
    const link = await borrower.link()
    const proposal = await proposed(transfer(app, borrower.lan, `LINK${borrower.lan}`))
    expect(proposal).toMatchObject({ preview: { warnings: [{ code: 'link_will_be_cancelled', payment_link_id: link }] } })
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
    expect(await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`)).toMatchObject({ status: 'cancelled' })
  })
})

describe('a maker whose account is disabled', () => {
  it('loses every open proposal', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    const operator = { actorId: 'operator', name: 'operator (not named)', reason: null }
    await disable({ ...app.context, operator, databaseUrl: '', ownerUrl: '' } as never, maker.phone)
    expect(await readProposal(proposal.id)).toMatchObject({ state: 'withdrawn', decision_cause: 'maker_disabled' })
    expect((await approve(app, checker.token, proposal)).body).toMatchObject({ code: 'ProposalDecided', proposal_state: 'withdrawn' })
    expect((await borrower.loan())['dues']).toBe(0)
  })
  it('keeps what had expired before, and each withdrawal is an entry', async () => {
    const borrower = await newBorrower(app)
    const expired = await proposed(charge(borrower.lan))
    await app.clock.advance(73 * 3_600_000)
    maker = await signedInAgain(maker)
    const open = await proposed(charge(borrower.lan))
    const operator = { actorId: 'operator', name: 'operator (not named)', reason: null }
    await disable({ ...app.context, operator, databaseUrl: '', ownerUrl: '' } as never, maker.phone)
    checker = await signedInAgain(checker)
    expect([await stateOf(expired.id), await stateOf(open.id)]).toEqual(['expired', 'withdrawn'])
    expect(await logOf(app, borrower.borrowerId, 'proposal_withdrawn')).toMatchObject([
      { actor_id: 'operator', detail: { proposal: open.id } },
    ])
  })
  it('also if the account was disabled by another way', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    await app.database.asSystem((sql) =>
      sql.updateTable('users').set({ disabled_at: app.clock.now() }).where('user_id', '=', maker.userId).execute(),
    )
    expect((await approve(app, checker.token, proposal)).body).toMatchObject({ code: 'ProposalDecided', proposal_state: 'withdrawn' })
    expect(await stateOf(proposal.id)).toBe('withdrawn')
  })
})

describe('a checker who loses the right during the approval', () => {
  const setAccount = (set: { disabled_at?: Date; permissions?: string[] }) =>
    app.database.asSystem((sql) => sql.updateTable('users').set(set).where('user_id', '=', checker.userId).execute())
  const disabled = () => setAccount({ disabled_at: app.clock.now() })
  const withoutPermission = () => setAccount({ permissions: ['operations:read'] })

  /** Approves while somebody else holds the lock, under which the checker's account is changed. */
  async function approveWhile(proposal: Awaited<ReturnType<typeof proposed>>, lock: (sql: Sql) => Promise<unknown>, change: () => unknown) {
    let answer: ReturnType<typeof approve> | undefined
    await app.database.asSystem(async (sql) => {
      await lock(sql)
      answer = approve(app, checker.token, proposal)
      await until(async () => (await countLockWaits(app.databaseUrls.superuserUrl)) > 0)
      await change()
    })
    return answer as ReturnType<typeof approve>
  }

  it.each([
    ['is disabled', disabled, { status: 401, code: 'AuthSessionExpired' }],
    ['loses the permission', withoutPermission, { status: 403, code: 'PermissionDenied' }],
  ])('executes nothing on a loan once the account %s', async (_what, change, refusal) => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    const answer = await approveWhile(proposal, (sql) => lockOwnLoan(sql, borrower.borrowerId, borrower.key.loanId), change)
    expect(answer.body).toMatchObject(refusal)
    expect((await borrower.loan())['dues']).toBe(0)
    expect(proposalOf(await approve(app, secondChecker.token, proposal)).state).toBe('executed')
  })
  it('resolves no review', async () => {
    const review = { borrowerId: noBorrowerId, kind: 'unknown_payment', about: 'pay_late', detail: {} } as const
    await app.database.asSystem((sql) => addReview(sql, review, app.clock.now()))
    const reviewId = await app.database.asSystem((sql) =>
      sql.selectFrom('payment_reviews').select('review_id').where('about', '=', `${review.kind}:${review.about}`).executeTakeFirstOrThrow(),
    )
    const proposal = await proposed({ kind: 'review_resolve', input: { ...reviewId, resolution: 'Returned by the bank.' } })
    const answer = await approveWhile(proposal, (sql) => lockReview(sql, reviewId.review_id), disabled)
    expect(answer.body).toMatchObject({ status: 401, code: 'AuthSessionExpired' })
    expect(proposalOf(await approve(app, secondChecker.token, proposal)).state).toBe('executed')
  })
  it('lets the change of the account wait for an execution that has begun', async () => {
    const borrower = await newBorrower(app)
    const proposal = await proposed(charge(borrower.lan))
    const step = holdStep(app, 'proposal_written')
    const answer = approve(app, checker.token, proposal)
    await step.reached()
    let isChanged = false
    const change = disabled().then(() => void (isChanged = true))
    await until(async () => (await countLockWaits(app.databaseUrls.superuserUrl)) > 0)
    expect(isChanged).toBe(false)
    step.release()
    expect(proposalOf(await answer).state).toBe('executed')
    await change
  })
})
