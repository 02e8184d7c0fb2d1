import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addPerson } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { countLockWaits } from '#testkit/lock-waits.ts'
import { approve, propose, proposalOf, type Asked } from '#testkit/operations-staff.ts'
import { until, type App } from '#testkit/start-app.ts'
import { logAccess } from '../access-log.ts'
import { addReview, noBorrowerId } from '../payments/review-store.ts'
import { charge, everything, logOf, newBorrower, newStaff, newTeam, startStage, transfer, type Staff } from './stage.testing.ts'

/** Differences that two people resolve, and what staff read of the queue and of a loan. */

let app: App
let maker: Staff
let checker: Staff
let secondChecker: Staff

beforeAll(async () => {
  app = await startStage()
})
beforeEach(async () => {
  ;({ maker, checker, secondChecker } = await newTeam(app))
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

const proposed = async (asked: Asked, by: Staff = maker) => proposalOf(await propose(app, by.token, asked))

describe('a review', () => {
  it('is resolved by two people, with the record before and after', async () => {
    const borrower = await newBorrower(app)
    await app.database.asSystem((sql) =>
      addReview(
        sql,
        {
          borrowerId: borrower.borrowerId,
          loanId: borrower.key.loanId,
          kind: 'dispute',
          about: `dispute-${borrower.lan}`,
          detail: { pay: 'pay_1' },
        },
        app.clock.now(),
      ),
    )
    const { body } = await app.get('/operations/reviews', checker.token)
    const review = (body['items'] as { review_id: string; lan: string }[]).find(({ lan }) => lan === borrower.lan)
    expect(review).toMatchObject({ kind: 'dispute', state: 'open', remedies: ['payment_reverse'], open_proposal_id: null })
    const resolution = 'The bank of Ravi closed the dispute.'
    const asked: Asked = { kind: 'review_resolve', input: { review_id: review?.review_id, resolution } }
    const proposal = await proposed(asked)
    expect(proposal).toMatchObject({
      lan: borrower.lan,
      preview: { before: { review_state: 'open', resolution: null }, after: { review_state: 'resolved' }, lines: [] },
    })
    const listed = await app.get('/operations/reviews', checker.token)
    expect(listed.body['items']).toContainEqual(expect.objectContaining({ open_proposal_id: proposal.id }))
    const [one, other] = await Promise.all([approve(app, checker.token, proposal), approve(app, secondChecker.token, proposal)])
    expect([one.status, other.status].toSorted()).toEqual([200, 409])
    expect((await app.get('/operations/reviews?state=resolved', checker.token)).body['items']).toContainEqual(
      expect.objectContaining({ review_id: review?.review_id, resolution: 'The bank of [name] closed the dispute.' }),
    )
    expect((await propose(app, maker.token, asked)).body).toMatchObject({ status: 422, field: 'input.review_id' })
    expect(await logOf(app, borrower.borrowerId, 'review_resolved')).toMatchObject([
      { detail: { resolution: 'The bank of [name] closed the dispute.' } },
    ])
  })
  it('without a borrower is resolved in the same way', async () => {
    const about = 'pay_unknown'
    await app.database.asSystem((sql) =>
      addReview(sql, { borrowerId: noBorrowerId, kind: 'unknown_payment', about, detail: {} }, app.clock.now()),
    )
    const { body } = await app.get('/operations/reviews', checker.token)
    const review = (body['items'] as { review_id: string; kind: string }[]).find(({ kind }) => kind === 'unknown_payment')
    const proposal = await proposed({
      kind: 'review_resolve',
      input: { review_id: review?.review_id, resolution: 'Returned by the bank.' },
    })
    expect(proposal).toMatchObject({ lan: null, borrower_name: null })
    expect(proposalOf(await approve(app, checker.token, proposal)).state).toBe('executed')
  })
})

describe('reading', () => {
  it('the queue filters by state and kind and counts', async () => {
    const borrower = await newBorrower(app)
    const own = await proposed(charge(borrower.lan))
    const other = await proposed(transfer(app, borrower.lan, `QUEUE${borrower.lan}`), await newStaff(app, everything))
    const { body } = await app.get('/operations/queue?state=proposed&kind=payment_record', maker.token)
    expect((body['items'] as { id: string }[]).map(({ id }) => id)).toContain(other.id)
    expect((body['items'] as { kind: string }[]).every(({ kind }) => kind === 'payment_record')).toBe(true)
    const counts = body['counts'] as Record<string, number>
    expect(counts['proposed']).toBe((counts['to_approve'] ?? 0) + (counts['mine'] ?? 0))
    expect(counts['mine']).toBe(1)
    expect((await app.get('/operations/queue?state=mine', maker.token)).body['items']).toMatchObject([{ id: own.id, is_own: true }])
    expect((await app.get('/operations/queue?state=nonsense', maker.token)).status).toBe(400)
  })
  it('each page of the queue and of the differences is an entry of the reader, and the numbers are none', async () => {
    await proposed(charge((await newBorrower(app)).lan))
    for (const path of ['queue?kind=charge_add&page=2', 'reviews?state=resolved', 'counts'])
      expect((await app.get(`/operations/${path}`, checker.token)).status).toBe(200)
    expect(await logOf(app, checker.userId, 'operations_listed')).toMatchObject([
      {
        actor_id: checker.userId,
        detail: { call: 'readOperationsQueue', state: 'proposed', kind: 'charge_add', page: 2, found: expect.any(Number) },
      },
      { detail: { call: 'readOperationsReviews', state: 'resolved', page: 1, found: expect.any(Number) } },
    ])
    const { body: queue } = await app.get('/operations/queue', checker.token)
    expect((await app.get('/operations/counts', checker.token)).body).toEqual({ counts: queue['counts'] })
  })
  it('a loan is found by its number, its borrower’s phone or name, and each search is an entry', async () => {
    const borrower = await newBorrower(app)
    const lans = async (search: string) =>
      ((await app.get(`/operations/loans?search=${encodeURIComponent(search)}`, maker.token)).body['items'] as { lan: string }[]).map(
        ({ lan }) => lan,
      )
    expect(await lans(borrower.lan.toLowerCase())).toEqual([borrower.lan])
    expect(await lans(borrower.phone.slice(3))).toEqual([borrower.lan])
    // Many have these names; the last one has the number too.
    expect(await lans(`Ravi Nair ${Number(borrower.lan.slice(-6))}`)).toContain(borrower.lan)
    expect(await lans('KST-00-000000')).toEqual([])
    expect(await logOf(app, maker.userId, 'users_searched')).toHaveLength(4)
  })
  it('a search for loans counts no borrower without one', async () => {
    const [firstName, lastName] = ['Aarav', 'Aaloan']
    for (let person = 0; person <= 20; person += 1)
      await addPerson(app.database, app.clock.now(), {
        firstName,
        lastName,
        phone: `+91750000${1000 + person}`,
        email: `zeta${person}@kist.test`,
      })
    const borrower = await newBorrower(app, { email: 'zeta@kist.test' })
    const { body } = await app.get('/operations/loans?search=zeta', maker.token)
    expect(body).toMatchObject({ items: [{ lan: borrower.lan }], total_pages: 1 })
  })
  it('four searches run at once of one person, whether they look for borrowers or for loans', async () => {
    const search = async (path: string) => (await app.get(`${path}?search=nair`, maker.token)).status
    const running: Promise<number>[] = []
    await app.database.asSystem(async (sql) => {
      const entry = {
        at: app.clock.now(),
        subjectId: maker.userId,
        actorId: maker.userId,
        action: 'users_searched',
        outcome: 'done',
      } as const
      // The entries of the searches wait for the end of this transaction.
      await logAccess(sql, { ...entry, origin: null })
      for (const path of ['/auth/users/all', '/operations/loans', '/auth/users/all', '/operations/loans']) running.push(search(path))
      await until(async () => (await countLockWaits(app.databaseUrls.superuserUrl)) >= 4)
      expect([await search('/operations/loans'), await search('/auth/users/all')]).toEqual([429, 429])
    })
    expect(await Promise.all(running)).toEqual([200, 200, 200, 200])
  })
  it('one loan shows what the borrower sees with its record, and is an entry that the borrower sees', async () => {
    const borrower = await newBorrower(app)
    const link = await borrower.link()
    const proposal = await proposed(charge(borrower.lan))
    const { status, body } = await app.get(`/operations/loans/${borrower.lan}`, checker.token)
    expect(status).toBe(200)
    const summary = await borrower.loan()
    expect(body['loan']).toEqual(summary)
    const schedule = await borrower.get(`/portal/repayment-schedule?lead_id=${borrower.lan}`)
    expect([body['repayment_schedule'], body['allowed_payments']]).toEqual([schedule['repayment_schedule'], schedule['allowed_payments']])
    expect(body['tranches']).toEqual((await borrower.get(`/portal/tranche-details?lan=${borrower.lan}`))['tranches'])
    expect(body).toMatchObject({
      is_own: false,
      facts: { payments: [{ reversed: false }, {}, {}, {}] },
      proposals: [{ id: proposal.id }],
    })
    expect((body['links'] as object[])[0]).toMatchObject({
      is_open: true,
      payment_link: { payment_link_id: link },
      steps: [{ step: 'asked' }, { step: 'link_ready' }],
    })
    const ledger = body['ledger'] as { balance: number }[]
    expect(ledger.at(-1)?.balance).toBe(summary['principal_outstanding'])
    expect((await borrower.get('/portal/staff-access'))['staff_access']).toMatchObject([
      { kind: 'profile_read', acts: [{ act: 'profile_viewed', times: 1 }] },
      // The maker's, of the preview and of the proposal.
      { kind: 'profile_read', acts: [{ act: 'profile_viewed', times: 2 }] },
    ])
  })
})
