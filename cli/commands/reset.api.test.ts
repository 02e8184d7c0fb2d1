import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addPerson, nextFifth } from '#testkit/builders.ts'
import { addFloatingLoan, addFloatingProduct, benchmarkCode, floatingLoan, publishRate } from '#testkit/floating-loan.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { run } from './reset.ts'

let context: TestContext
let today: Day
let input: { benchmark: string; effectiveOn: Day }

beforeAll(async () => {
  // Noon: in the evening the first possible day is a day later.
  const now = new Date(startOfDayInIndiaMs(dayInIndia(new Date())) + 12 * 3_600_000)
  context = await openTestContext(inject('cluster'), { now })
  today = dayInIndia(now)
  input = { benchmark: benchmarkCode, effectiveOn: addDays(today, 40) }
  await addFloatingProduct(context.database, now, { rate: { ...floatingLoan.rate, reset_months: 1, instalments_max: 120 } })
  const borrowerId = await addPerson(context.database, now, { phone: '+919000040001', firstName: 'Omkar', lastName: 'Patil' })
  await addFloatingLoan(context.database, now, borrowerId, { lan: 'FL-CLI', firstDue: nextFifth(today) })
})
afterAll(() => context.close())

const rules = { methods: [], upiDebitMaximumPaise: rupeesToPaise(15_000), upiMandateMaximumPaise: rupeesToPaise(15_000) }
const reset = (more: Partial<typeof input> & { yes?: boolean } = {}) =>
  run({ ...context, rules, failPoint: () => Promise.resolve() }, { ...input, ...more })
const countResets = async () =>
  (await context.database.asSystem((sql) => sql.selectFrom('rate_resets').select('state').execute())).map(({ state }) => state)

describe('kist reset run', () => {
  it('refuses a day that is too near or too far, and a benchmark that nothing follows', async () => {
    await expect(reset({ effectiveOn: addDays(today, 14) })).rejects.toThrow(`the first possible day is ${addDays(today, 15)}`)
    await expect(reset({ effectiveOn: addDays(today, 181) })).rejects.toThrow(`${addDays(today, 180)} is the last possible one`)
    await expect(reset({ benchmark: 'MCLR', yes: true })).rejects.toThrow('The benchmark MCLR has no rate')
  })

  it('tells what it would reset, and resets nothing, without --yes', async () => {
    expect(await reset()).toBe(`would reset 0 of 1 loans under ${benchmarkCode} on ${input.effectiveOn}; no EMI rises; give --yes to do it`)
    await publishRate(context.database, context.clock.now(), 7, today)
    expect(await reset()).toMatch(
      /^would reset 1 of 1 loans under RBI_REPO on \d{4}-\d\d-\d\d; the largest rise of an EMI is ₹\d+\.\d\d \(loan FL-CLI\); give --yes to do it$/,
    )
    expect(await countResets()).toEqual([])
  })

  it('resets and notifies with --yes, once, and is an entry', async () => {
    const done = (resets: number, notified: number) =>
      `reset ${resets} of 1 loans under ${benchmarkCode} on ${input.effectiveOn}; ${notified} borrowers notified`
    expect(await reset({ yes: true })).toBe(done(1, 1))
    expect(await countResets()).toEqual(['notified'])
    expect(await reset({ yes: true })).toBe(done(0, 0))
    await expectInvariantsHold(context)
    const entries = await context.database.asSystem((sql) =>
      sql.selectFrom('access_log').select(['actor_id', 'detail']).where('action', '=', 'rate_resets_requested').execute(),
    )
    expect(entries).toMatchObject([1, 2].map(() => ({ actor_id: 'operator', detail: { effective_on: input.effectiveOn } })))
  })
  it('fails when the notices would come too late, which withdraws the resets', async () => {
    const begun = context.clock.now()
    const borrowerId = await addPerson(context.database, begun, { phone: '+919000040002', firstName: 'Late', lastName: 'Patil' })
    await addFloatingLoan(context.database, begun, borrowerId, { lan: 'FL-LATE', firstDue: nextFifth(today) })
    let now = begun
    // A day passes between computing and notifying.
    const failPoint = () => {
      now = new Date(begun.getTime() + 24 * 3_600_000)
      return Promise.resolve()
    }
    const effectiveOn = addDays(today, 15)
    const late = run({ ...context, clock: { now: () => now }, rules, failPoint }, { benchmark: benchmarkCode, effectiveOn, yes: true })
    await expect(late).rejects.toThrow(
      `1 of 1 resets under ${benchmarkCode} on ${effectiveOn} are withdrawn: their borrowers would be notified less than 15 days before; ` +
        'reset those loans on a later day',
    )
  })
})
