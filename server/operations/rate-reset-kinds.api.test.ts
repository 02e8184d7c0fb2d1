import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { uuidv7 } from 'uuidv7'
import { toDay } from '#domain/calendar.ts'
import { rupeesToPaise, type Paise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { addFloatingLoan, addFloatingProduct, benchmarkCode, floatingLoan } from '#testkit/floating-loan.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { approve, propose, proposalOf, type Asked } from '#testkit/operations-staff.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { addReference } from '../autopay/mandate-store.ts'
import { readPreview } from '../rate-resets/preview-run.ts'
import { newStaff } from './stage.testing.ts'

const now = new Date('2026-11-20T05:00:00Z')
const effectiveOn = '2027-01-05'
let app: App
let maker: string
let checker: string
let borrower: string

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now })
  await addFloatingProduct(app.database, now, { rate: { ...floatingLoan.rate, reset_months: 1, instalments_max: 122 } })
  const borrowerId = await addPerson(app.database, now, { phone: '+919000010001', firstName: 'Omkar', lastName: 'Patil' })
  await addFloatingLoan(app.database, now, borrowerId, { lan: 'FL-OPS', firstDue: toDay('2026-12-05') })
  maker = (await newStaff(app, ['operations:read', 'operations:propose'])).token
  checker = (await newStaff(app, ['operations:read', 'operations:approve'])).token
  borrower = await app.signIn('+919000010001')
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

/** A mandate of the loan with this cap. */
async function addMandate(maxAmountPaise: Paise): Promise<void> {
  const { borrower_id, loan_id } = await app.database.asSystem((sql) =>
    sql.selectFrom('loan_numbers').selectAll().where('lan', '=', 'FL-OPS').executeTakeFirstOrThrow(),
  )
  const mandate = {
    borrower_id,
    loan_id,
    mandate_id: uuidv7(),
    reference: 'KM-TEST',
    provider: 'razorpay',
    method: 'upi' as const,
    status: 'active' as const,
    max_amount_paise: maxAmountPaise,
    consent_version: '1',
    consented_at: now,
    expires_at: now,
    ends_on: toDay('2036-12-05'),
    created_at: now,
    created_by: 'test',
    active_at: now,
    // After the test, so that no worker looks for it.
    next_check_at: new Date('2030-01-01T00:00:00Z'),
  }
  await app.database.asSystem(async (sql) => {
    await sql.insertInto('mandates').values(mandate).execute()
    await addReference(sql, { ...mandate, collection_id: null })
  })
}

const lowerCap = (maxAmountPaise: Paise) =>
  app.database.asSystem((sql) => sql.updateTable('mandates').set({ max_amount_paise: maxAmountPaise }).execute())

const execute = async (asked: Asked) => {
  const approved = await approve(app, checker, proposalOf(await propose(app, maker, asked)))
  expect(approved.status, JSON.stringify(approved.body)).toBe(200)
  return approved.body['proposal'] as { state: string; preview: { before: object; after: object } }
}
const preview = (asked: Asked) => app.post('/operations/previews', asked, maker)
const publish = (percent: number, day: string): Asked => ({
  kind: 'benchmark_publish',
  input: { code: benchmarkCode, annual_rate_percent: percent, effective_on: day },
})
const run: Asked = { kind: 'rate_reset_run', input: { benchmark: benchmarkCode, effective_on: effectiveOn } }
const resetsOf = async () =>
  (await app.get('/portal/rate-resets?application_id=FL-OPS', borrower)).body['rate_resets'] as { id: string; state: string }[]
const noticesOf = async () => ((await app.get('/portal/notices', borrower)).body['notices'] as { kind: string }[]).map(({ kind }) => kind)

describe('benchmark_publish', () => {
  it('shows the rate before and after, and publishes it with two people', async () => {
    const { preview: shown } = await execute(publish(7, '2026-12-01'))
    expect(shown).toMatchObject({ before: { annual_rate_percent: 6.25 }, after: { annual_rate_percent: 7, effective_on: '2026-12-01' } })
  })

  it.each<[string, Asked['input'], number]>([
    ['a day that has a rate', publish(8, '2026-12-01').input, 422],
    ['a code in small letters', { ...publish(8, '2026-12-02').input, code: 'repo' }, 422],
    ['a rate above 100', publish(100.1, '2026-12-02').input, 422],
    ['a negative rate', publish(-1, '2026-12-02').input, 422],
    ['a rate with eight decimals', publish(6.123_456_78, '2026-12-02').input, 422],
    ['a day that is none', publish(6, '2026-02-30').input, 422],
  ])('refuses %s', async (_name, input, status) => {
    expect((await preview({ kind: 'benchmark_publish', input })).status).toBe(status)
  })
})

describe('rate_reset_run', () => {
  it.each([
    ['a day less than fifteen days ahead', { effective_on: '2026-12-04' }, 'reset_too_soon'],
    ['a day too far ahead', { effective_on: '2027-09-05' }, 'reset_too_far'],
    ['a benchmark without a rate', { benchmark: 'MCLR' }, 'benchmark_without_rate'],
    ['a benchmark that no product follows', { benchmark: 'T_BILL' }, 'benchmark_not_used'],
  ])('refuses %s', async (_name, input, refusal) => {
    if (refusal === 'benchmark_not_used')
      await execute({ ...publish(6, '2026-12-01'), input: { ...publish(6, '2026-12-01').input, code: 'T_BILL' } })
    const { status, body } = await preview({ ...run, input: { ...run.input, ...input } })
    expect([status, body['code'], body['refusal']]).toEqual([422, 'ProposalRefused', refusal])
  })

  it('counts a mandate of UPI whose limit for one debit is less than its cap', async () => {
    await addMandate(rupeesToPaise(20_000))
    expect((await preview(run)).body['after']).toMatchObject({ caps_exceeded: 0 })
    const read = (limitRupees: number) =>
      app.database.asSystem((sql) =>
        readPreview(
          sql,
          { benchmark: benchmarkCode, effectiveOn: toDay(effectiveOn) },
          { now, rules: { upiDebitMaximumPaise: rupeesToPaise(limitRupees) } },
        ),
      )
    expect(await read(11_100)).toMatchObject({ emisRaised: 1, capsExceeded: 1 })
    expect(await read(15_000)).toMatchObject({ emisRaised: 1, capsExceeded: 0 })
  })

  it('shows how many loans it resets and the largest rise of an EMI, and a worker does it', async () => {
    await lowerCap(rupeesToPaise(11_100))
    const { preview: shown } = await execute(run)
    expect(shown.after).toMatchObject({
      loans_read: 1,
      loans_reset: 1,
      emis_raised: 1,
      caps_exceeded: 1,
      largest_emi_rise_lan: 'FL-OPS',
      annual_rate_percent: 7,
    })
    expect((shown.after as { largest_emi_rise: number }).largest_emi_rise).toBeGreaterThan(0)
    await until(async () => (await resetsOf())[0]?.state === 'notified')
    expect(await noticesOf()).toContain('rate_reset_notified')
  })
})

describe('rate_reset_withdraw', () => {
  it('is refused for a reset of nobody', async () => {
    const input = { reset_id: '01930000-0000-7000-8000-000000000001' }
    const { status, body } = await preview({ kind: 'rate_reset_withdraw', lan: 'FL-OPS', input })
    expect([status, body['refusal']]).toEqual([422, 'reset_unknown'])
  })

  it('takes a chosen rate back, and the borrower is told', async () => {
    const [reset] = (await app.get('/portal/rate-resets?application_id=FL-OPS', borrower)).body['rate_resets'] as {
      id: string
      preview_hash: string
    }[]
    const choice = { option: 'keep_tenor', preview_hash: reset?.preview_hash }
    expect((await app.post(`/portal/rate-resets/${reset?.id}/choice`, choice, borrower)).status).toBe(200)
    const record = await app.get('/operations/loans/FL-OPS', maker)
    expect((record.body['facts'] as { rate_resets: unknown }).rate_resets).toMatchObject([
      { id: reset?.id, state: 'chosen', from: 11, to: 11.75, choice: 'keep_tenor' },
    ])
    const withdraw = { kind: 'rate_reset_withdraw', lan: 'FL-OPS', input: { reset_id: reset?.id } }
    const { state, preview: shown } = await execute(withdraw)
    expect(state).toBe('executed')
    const rates = { from: 11, to: 11.75, effective_on: effectiveOn }
    expect(shown).toMatchObject({
      before: { rate_reset: { ...rates, state: 'chosen' } },
      after: { rate_reset: { ...rates, state: 'withdrawn' } },
    })
    expect((await resetsOf())[0]?.state).toBe('withdrawn')
    expect(await noticesOf()).toContain('rate_reset_withdrawn')
    const changes = await app.database.asSystem((sql) => sql.selectFrom('rate_changes').selectAll().execute())
    expect(changes).toEqual([])
    expect((await preview(withdraw)).body['refusal']).toBe('reset_withdrawn')
    const closed = await app.post(`/portal/rate-resets/${reset?.id}/choice`, choice, borrower)
    expect([closed.status, closed.body['code']]).toEqual([409, 'RateResetClosed'])
  })
})

describe('charge_add', () => {
  const charge = (type: string, lan: string): Asked => ({ kind: 'charge_add', lan, input: { charge_type: type, amount: 100 } })
  it('refuses a charge that the key facts statement does not list', async () => {
    expect(await preview(charge('SURPRISE_FEE', 'FL-OPS'))).toMatchObject({ status: 409, body: { code: 'ChargeNotDisclosed' } })
    expect((await preview(charge('CHEQUE_BOUNCE', 'FL-OPS'))).status).toBe(200)
    expect((await preview(charge('CHEQUE_BOUNCE_TAX', 'FL-OPS'))).status).toBe(200)
  })
  it('warns if the product has no list', async () => {
    await addProduct(app.database, now, 'unlisted', { ...educationLoan, disclosed_charges: undefined })
    const borrowerId = await addPerson(app.database, now, { phone: '+919000010003', firstName: 'Tara', lastName: 'Bose' })
    await addLoan(app.database, now, borrowerId, {
      lan: 'UNLISTED-1',
      title: 'Test',
      product: 'unlisted',
      sanctionedRupees: 100_000,
      disbursals: [{ date: toDay('2026-11-05'), rupees: 100_000 }],
      annualRatePercent: 11,
      instalments: 12,
      firstDueDate: toDay('2026-12-05'),
    })
    const { body } = await preview(charge('SURPRISE_FEE', 'UNLISTED-1'))
    expect(body['warnings']).toMatchObject([{ code: 'charges_not_listed' }])
  })
})
