import { sql as raw } from 'kysely'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { assumeRole, type Permission } from '#contract/permissions.ts'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addPerson, nextFifth, type AddedLoan } from '#testkit/builders.ts'
import { addFloatingLoan, addFloatingProduct, benchmarkCode, floatingLoan, publishRate } from '#testkit/floating-loan.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { approve, propose, proposalOf, type Asked } from '#testkit/operations-staff.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { changeLoanInTransaction } from '../loan-changes/change-loan.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { unnamedOperator } from '../staff/operator.ts'
import { computeRequestedPreviews } from './preview-run.ts'

/** The preview of a run that is too long for one request. The tests follow each other. */

const loans = 1_100
const now = new Date('2026-11-20T05:00:00Z')
const effectiveOn = addDays(dayInIndia(now), 40)
const run: Asked = { kind: 'rate_reset_run', input: { benchmark: benchmarkCode, effective_on: effectiveOn } }
let app: App
let maker: string
let checker: string
let keys: AddedLoan[]

beforeAll(async () => {
  // The worker looks for nothing after the start: the test does its work.
  app = await startApp(inject('cluster'), { now, settings: { KIST_SWEEP_INTERVAL_MS: '600000' } })
  await addFloatingProduct(app.database, now, { rate: { ...floatingLoan.rate, reset_months: 1, instalments_max: 24 } })
  await publishRate(app.database, now, 7, dayInIndia(now))
  const firstDue = nextFifth(dayInIndia(now))
  const addLoanOf = async (number: number) => {
    const borrowerId = await addPerson(app.database, now, {
      phone: `+91${7_200_000_000 + number}`,
      firstName: 'Book',
      lastName: String(number),
    })
    return addFloatingLoan(app.database, now, borrowerId, { lan: `BOOK-${number}`, firstDue, instalments: 24 })
  }
  keys = []
  for (let start = 0; start < loans; start += 50)
    keys.push(...(await Promise.all(Array.from({ length: 50 }, (_, index) => addLoanOf(start + index)))))
  maker = await signInStaff('+919000010012', ['operations:read', 'operations:propose'])
  checker = await signInStaff('+919000010013', ['operations:read', 'operations:approve'])
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

async function signInStaff(phone: string, permissions: readonly Permission[]): Promise<string> {
  await addPerson(app.database, now, {
    phone,
    firstName: 'Asha',
    lastName: phone.slice(-4),
    kind: 'staff',
    roles: [assumeRole],
    permissions,
  })
  return app.signIn(phone)
}

const preview = () => app.post('/operations/previews', run, maker)
const held = { confirm: () => Promise.resolve(), signal: new AbortController().signal }
const countStored = async () =>
  (await app.database.asSystem((sql) => raw<{ count: number }>`select count(*)::int as count from rate_reset_preview_loans`.execute(sql)))
    .rows[0]?.count

async function pay(key: AddedLoan | undefined): Promise<void> {
  if (!key) throw new Error('There is no such loan')
  await app.database.asBorrower(key.borrowerId, (sql) =>
    changeLoanInTransaction(
      sql,
      {
        ...key,
        actor: unnamedOperator(),
        whileLinkOpen: 'keep',
        write: async (loan) => {
          const payment = {
            mode: 'neft',
            reference: `UTR${loan.own.loan.lan}`,
            amountPaise: rupeesToPaise(400_000),
            date: dayInIndia(loan.now),
          } as const
          await recordPayment(loan, { ...payment, purpose: 'PART_PAYMENT__REDUCE_EMI' })
          return { answer: null, log: null }
        },
      },
      app.clock.now(),
    ),
  )
}

it('is left to a worker, and its progress is told', async () => {
  const asked = await preview()
  expect([asked.status, asked.body['code'], asked.body['progress']]).toEqual([409, 'PreviewInProgress', { done: 0, total: loans }])
  expect(await countStored()).toBe(0)
})

it('continues after the worker has lost its lease', async () => {
  const lost = new AbortController()
  const confirm = () => Promise.resolve()
  const afterOneChunk = {
    signal: lost.signal,
    confirm: async () => ((await countStored()) === 0 ? confirm() : lost.abort(new Error('lost'))),
  }
  await expect(computeRequestedPreviews(app.context, afterOneChunk)).rejects.toThrow('lost')
  const stored = Number(await countStored())
  expect(stored).toBeGreaterThan(0)
  expect(stored).toBeLessThan(loans)
  const asked = await preview()
  if (asked.status === 409) expect(asked.body['progress']).toEqual({ done: stored, total: loans })
  expect(await computeRequestedPreviews(app.context, held)).toBe(asked.status === 409 ? loans - stored : 0)
  expect(await countStored()).toBe(loans)
})

it('then shows the figures of all loans', async () => {
  const { status, body } = await preview()
  expect(status).toBe(200)
  expect(body['after']).toMatchObject({ as_of: dayInIndia(now), loans_read: loans, loans_reset: loans, caps_exceeded: 0 })
  // Nobody asks for it again: a worker has nothing to do.
  expect(await computeRequestedPreviews(app.context, held)).toBe(0)
})

it('is stale for the checker after a loan has changed, and only that loan is computed again', async () => {
  const proposed = proposalOf(await propose(app, maker, run))
  const before = proposed.preview as unknown as { after: { largest_emi_rise_lan: string } }
  await pay(keys[Number(before.after.largest_emi_rise_lan.slice('BOOK-'.length))])
  const stale = await approve(app, checker, proposed)
  expect([stale.status, stale.body['code']]).toEqual([409, 'ProposalStale'])
  const renewed = stale.body['preview'] as { preview_hash: string; after: { largest_emi_rise_lan: string; loans_reset: number } }
  expect(renewed.after.loans_reset).toBe(loans)
  expect(renewed.after.largest_emi_rise_lan).not.toBe(before.after.largest_emi_rise_lan)
  const approved = await app.post(`/operations/proposals/${proposed.id}/approve`, { preview_hash: renewed.preview_hash }, checker)
  expect([approved.status, (approved.body['proposal'] as { state: string }).state]).toEqual([200, 'executed'])
  expect((await preview()).body).toMatchObject({ code: 'ProposalRefused', refusal: 'run_under_way' })
})

it('is computed again on the next day, when the figures of the day before are deleted', async () => {
  await app.clock.advance(86_400_000)
  maker = await app.signIn('+919000010012')
  const other = { ...run, input: { ...run.input, effective_on: addDays(effectiveOn, 1) } }
  expect((await app.post('/operations/previews', other, maker)).body).toMatchObject({ code: 'PreviewInProgress', progress: { done: 0 } })
  expect(await computeRequestedPreviews(app.context, held)).toBe(loans)
  expect(await countStored()).toBe(loans)
})
