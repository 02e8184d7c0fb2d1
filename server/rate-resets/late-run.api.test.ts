import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { addDays, dayInIndia, startOfDayInIndiaMs } from '#domain/calendar.ts'
import { hourMs } from '#domain/durations.ts'
import { addPerson, nextFifth } from '#testkit/builders.ts'
import { addFloatingLoan, addFloatingProduct, benchmarkCode, floatingLoan, publishRate } from '#testkit/floating-loan.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { readRunToRequest, requestRun } from './request-run.ts'
import { runRateResets } from './run-rate-resets.ts'

/** Noon: in the evening the first possible day is a day later. */
const noon = new Date(startOfDayInIndiaMs(dayInIndia(new Date())) + 12 * hourMs)

let context: TestContext
beforeAll(async () => {
  context = await openTestContext(inject('cluster'), { now: noon })
  const now = context.clock.now()
  await addFloatingProduct(context.database, now, { rate: { ...floatingLoan.rate, reset_months: 1 } })
  await publishRate(context.database, now, 7, dayInIndia(now))
  for (const number of [1, 2]) {
    const borrowerId = await addPerson(context.database, now, {
      phone: `+91900005000${number}`,
      firstName: 'Late',
      lastName: String(number),
    })
    await addFloatingLoan(context.database, now, borrowerId, { lan: `LATE-${number}`, firstDue: nextFifth(dayInIndia(now)) })
  }
})
afterAll(() => context.close())

const held = { confirm: () => Promise.resolve(), signal: new AbortController().signal }

/** Requests a run for the first possible day; hours pass between computing and notifying. */
async function runWithDelay(hours: number): Promise<number> {
  const { database, clock } = context
  const begun = clock.now()
  const effectiveOn = addDays(dayInIndia(begun), 15)
  await database.asSystem((sql) => requestRun(sql, { benchmark: benchmarkCode, effectiveOn }, begun, 'test'))
  let now = begun
  const failPoint = (): Promise<void> => {
    now = new Date(begun.getTime() + hours * hourMs)
    return Promise.resolve()
  }
  return runRateResets({ database, clock: { now: () => now }, log: pino({ level: 'silent' }), failPoint }, held)
}

const stored = () =>
  context.database.asSystem(async (sql) => ({
    states: (await sql.selectFrom('rate_resets').select('state').orderBy('run_id').execute()).map(({ state }) => state),
    notices: (await sql.selectFrom('notices').select('kind').execute()).length,
    phases: (await sql.selectFrom('rate_reset_runs').select('phase').orderBy('requested_at').execute()).map(({ phase }) => phase),
  }))

it('a run that would tell borrowers less than fifteen days before withdraws what nobody was told', async () => {
  expect(await runWithDelay(24)).toBe(2)
  expect(await stored()).toEqual({ states: ['withdrawn', 'withdrawn'], notices: 0, phases: ['finished'] })
})

it('so does one whose text messages would wait for the next morning, and it is not requested then', async () => {
  expect(await runWithDelay(8)).toBe(2)
  expect(await stored()).toMatchObject({ states: Array.from({ length: 4 }, () => 'withdrawn'), notices: 0 })
  const request = (at: Date) =>
    context.database.asSystem((sql) => readRunToRequest(sql, { benchmark: benchmarkCode, effectiveOn: addDays(dayInIndia(noon), 15) }, at))
  const evening = new Date(noon.getTime() + 8 * hourMs)
  await expect(request(evening)).rejects.toThrow(`the first possible day is ${addDays(dayInIndia(noon), 16)}`)
  expect(await request(noon)).toMatchObject({ effectiveOn: addDays(dayInIndia(noon), 15) })
})

it('another run of the same day then resets the loans', async () => {
  expect(await runWithDelay(6)).toBe(4)
  expect(await stored()).toEqual({
    states: ['withdrawn', 'withdrawn', 'withdrawn', 'withdrawn', 'notified', 'notified'],
    notices: 2,
    phases: ['finished', 'finished', 'finished'],
  })
  await expectInvariantsHold(context)
})
