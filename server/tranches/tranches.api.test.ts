import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { addDays, addMonths, dayInIndia, startOfDayInIndiaMs, toDay, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addLoan, addPerson, nextFifth } from '#testkit/builders.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { startApp, until, type Answer, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { reconcileLedgerToFacts } from '../ledger/reconcile-ledger.ts'
import { addCharges } from '../loan-changes/add-charge.ts'
import { disburse } from '../loan-changes/disburse.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { waiveCharge } from '../loan-changes/waive-charge.ts'
import { findLoanKey, insertCharge } from '../loans/loan-store.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { approveTranche, rejectTranche, releaseTranche, type Decision } from './decide-tranche.ts'

let app: App
const noon = new Date(startOfDayInIndiaMs(toDay('2026-11-20')) + 12 * 3_600_000)
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now: noon })
})
afterAll(async () => {
  // An earlier test disbursed five days ahead.
  await app.clock.advance(6 * 86_400_000)
  await expectInvariantsHold(app.context)
  await app.close()
})

/**
 * A new borrower for each test: sanctioned ₹10,00,000, of which ₹4,00,000 was disbursed two months
 * ago.
 */
let token = ''
let phone = ''
let lan = ''
let leadId = ''
let borrowerId = ''
let created = 0
let today: Day
beforeEach(async () => {
  created += 1
  phone = `+9198222${String(created).padStart(5, '0')}`
  const now = app.clock.now()
  today = dayInIndia(now)
  lan = `KST-T-${String(created).padStart(4, '0')}`
  leadId = `LEAD-T-${created}`
  const firstDueDate = nextFifth(today)
  borrowerId = await addPerson(app.database, now, { phone, firstName: 'Tranche', lastName: String(created) })
  await addLoan(app.database, now, borrowerId, {
    lan,
    leadId,
    title: 'x',
    sanctionedRupees: 1_000_000,
    disbursals: [{ date: addMonths(firstDueDate, -1, 5), rupees: 400_000 }],
    annualRatePercent: 12,
    instalments: 60,
    firstDueDate,
    dueDay: 5,
  })
  token = await app.signIn(phone)
})

/**
 * Advances the clock and signs in again, because no session survives half an hour without requests.
 */
const passTime = async (ms: number) => {
  await app.clock.advance(ms)
  token = await app.signIn(phone)
}

type Wire = Record<string, unknown>
const details = async () => (await app.get(`/portal/tranche-details?lan=${lan}`, token)).body as Wire & { tranches: Wire[] }
const loan = async () => ((await app.get('/portal/loans-summary', token)).body['loans'] as Wire[])[0] as Wire
const requestTranche = (
  amount: unknown,
  date: string = addDays(today, 10),
  more: Wire = {},
  headers: Record<string, string> = {},
): Promise<Answer> => app.post('/portal/tranche', { lead_id: leadId, lan, amount, date, ...more }, token, headers)
const change = (id: unknown, amount: unknown, more: Wire = {}): Promise<Answer> =>
  app.patch('/portal/tranche', { lan, partner_tranche_id: id, amount, ...more }, token)

/** Decides as the operator's tool does. */
const decide = (work: typeof approveTranche, id: string): Promise<Decision> => decideOn((loan) => work(loan, id))
const release = (id: string, date: Day = today): Promise<Decision> => decideOn((loan) => releaseTranche(loan, id, date))
const decideOn = async <T>(work: (loan: LoanTransaction) => Promise<T>): Promise<T> => {
  const key = await app.database.asSystem((sql) => findLoanKey(sql, lan))
  if (!key) throw new Error('no loan')
  return withLockedLoan(app.database, key, app.clock.now(), work)
}

/** Goes on with another loan of the borrower, of which nothing is disbursed. */
const continueUndisbursed = async (firstDueDate: Day) => {
  lan = `${lan}-U`
  leadId = `${leadId}-U`
  const undisbursed = { lan, leadId, title: 'x', sanctionedRupees: 500_000, disbursals: [], annualRatePercent: 12, instalments: 60 }
  await addLoan(app.database, app.clock.now(), borrowerId, { ...undisbursed, firstDueDate })
}

describe('a tranche from request to disbursal', () => {
  it('is UNKNOWN, then APPROVED, then DISBURSED, and the remaining amount shrinks with the request', async () => {
    expect(await details()).toMatchObject({
      allow_create_tranche: true,
      max_tranche_amount: 600_000,
      earliest_date: addDays(today, 1),
      latest_date: addDays(today, 30),
      tranches: [
        {
          tranche_amount: 400_000,
          status: 'DISBURSED',
          release_status: 'RELEASED',
          is_editable: false,
          stage: 'released',
          max_amount: null,
        },
      ],
    })
    const { status, body } = await requestTranche(200_000)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        tranche_amount: 200_000,
        status: 'UNKNOWN',
        release_status: 'NOT_RELEASED',
        is_editable: true,
        date_of_disbursement: addDays(today, 10),
        stage: 'requested',
        max_amount: 600_000,
        partner_tranche_id: `${lan}-T2`,
      },
    })
    expect(await details()).toMatchObject({ allow_create_tranche: false, max_tranche_amount: 400_000 })
    expect(await loan()).toMatchObject({ max_tranche_amount: 400_000, disbursed_amount: 400_000 })

    expect(await decide(approveTranche, `${lan}-T2`)).toMatchObject({ isNew: true })
    expect((await details()).tranches[1]).toMatchObject({
      status: 'APPROVED',
      release_status: 'NOT_RELEASED',
      is_editable: true,
      stage: 'approved',
    })
    expect(await details()).toMatchObject({ allow_create_tranche: true, max_tranche_amount: 400_000 })

    const emis = async () => {
      const { repayment_schedule: rows } = (await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)).body as {
        repayment_schedule: Wire[]
      }
      return rows.slice(0, 2).map((row) => Number(row['repayment_amount']))
    }
    const [, before = 0] = await emis()
    expect(await release(`${lan}-T2`)).toMatchObject({ isNew: true })
    expect((await details()).tranches).toMatchObject([
      { stage: 'released' },
      { status: 'DISBURSED', release_status: 'RELEASED', date_of_disbursement: today, is_editable: false, stage: 'released' },
    ])
    expect(await loan()).toMatchObject({ disbursed_amount: 600_000, max_tranche_amount: 400_000, principal_outstanding: 600_000 })
    // The open row includes the tranche's interest; the instalment changes from the next row
    // (decision 25).
    const [, after = 0] = await emis()
    expect(after).toBeGreaterThan(before * 1.49)
  })

  it('leaves an instalment as it was paid before the tranche was recorded, and the next one bears its interest', async () => {
    const schedule = async () => {
      const { body } = await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
      return body['repayment_schedule'] as Wire[]
    }
    const id = String((await requestTranche(200_000)).body['partner_tranche_id'])
    await decide(approveTranche, id)
    await decideOn((locked) => {
      const { nextEmi } = loanStateDuring(locked.own.facts, today).allowed
      if (!nextEmi) throw new Error('no instalment is offered')
      const payment = { mode: 'neft', reference: `${lan}-1`, amountPaise: nextEmi.amountPaise, date: today, purpose: 'PAY_EMI' } as const
      return recordPayment(locked, payment)
    })
    const [paid, next] = await schedule()
    expect(paid).toMatchObject({ status: 'Paid' })
    await release(id)
    const [kept, following] = await schedule()
    expect(kept).toEqual({ ...paid, closing_balance: kept?.['closing_balance'] })
    expect(Number(following?.['interest_amount'])).toBeGreaterThan(Number(next?.['interest_amount']) + 2_000)
    expect(await loan()).toMatchObject({ loan_status: 'ACTIVE', disbursed_amount: 600_000 })
  })

  it('has a name of its own, also where a disbursal has the next one', async () => {
    await decideOn((locked) => disburse(locked, { date: today, amountPaise: rupeesToPaise(50_000), reference: `${lan}-T3` }))
    const { body } = await requestTranche(100_000)
    expect(body['partner_tranche_id']).toBe(`${lan}-T4`)
  })

  it('can be changed before it is disbursed; an approved one must be approved again', async () => {
    const id = (await requestTranche(100_000)).body['partner_tranche_id']
    expect(await change(id, 150_000)).toMatchObject({
      status: 200,
      body: { tranche_amount: 150_000, stage: 'requested', max_amount: 600_000 },
    })
    await decide(approveTranche, String(id))
    expect(await change(id, 150_000)).toMatchObject({ status: 200, body: { stage: 'approved' } })
    expect(await change(id, 600_000, { date: addDays(today, 3) })).toMatchObject({
      status: 200,
      body: { tranche_amount: 600_000, stage: 'requested', date_of_disbursement: addDays(today, 3) },
    })
    await expect(release(String(id))).rejects.toThrow('only an approved tranche')
  })

  it('that is approved can be changed until the day before its own, in India', async () => {
    const id = String((await requestTranche(100_000, addDays(today, 1))).body['partner_tranche_id'])
    await decide(approveTranche, id)
    const untilMidnight = startOfDayInIndiaMs(addDays(today, 1)) - app.clock.now().getTime()
    await passTime(untilMidnight - 60_000)
    expect((await details()).tranches[1]).toMatchObject({ stage: 'approved', is_editable: true, max_amount: 600_000 })
    await passTime(60_000)
    expect((await details()).tranches[1]).toMatchObject({ stage: 'approved', is_editable: false, max_amount: null })
    for (const amount of [100_000, 200_000])
      expect(await change(id, amount)).toMatchObject({ status: 409, body: { code: 'TrancheNotEditable' } })
    expect(await release(id, addDays(today, 1))).toMatchObject({ tranche: { amount_paise: rupeesToPaise(100_000) } })
    await passTime(-untilMidnight)
  })

  it('that is rejected is neither, frees its amount, and stays visible', async () => {
    const id = String((await requestTranche(600_000)).body['partner_tranche_id'])
    expect(await details()).toMatchObject({ max_tranche_amount: 0, allow_create_tranche: false })
    await decide(rejectTranche, id)
    expect(await details()).toMatchObject({ max_tranche_amount: 600_000, allow_create_tranche: true })
    expect((await details()).tranches[1]).toMatchObject({
      status: 'UNKNOWN',
      release_status: 'UNKNOWN',
      is_editable: false,
      stage: 'rejected',
    })
    expect(await change(id, 1)).toMatchObject({ status: 409, body: { code: 'TrancheNotEditable' } })
    expect(await requestTranche(1)).toMatchObject({ status: 200, body: { partner_tranche_id: `${lan}-T3` } })
  })

  it('keeps its number when one with an earlier date is requested', async () => {
    await decide(approveTranche, String((await requestTranche(100_000)).body['partner_tranche_id']))
    await requestTranche(50_000, addDays(today, 3))
    expect((await details()).tranches.map(({ number, stage }) => [number, stage])).toEqual([
      [1, 'released'],
      [3, 'requested'],
      [2, 'approved'],
    ])
  })

  it('is decided once: the same decision again changes nothing, another one is refused', async () => {
    const id = String((await requestTranche(100_000)).body['partner_tranche_id'])
    await expect(release(id)).rejects.toThrow('only an approved tranche')
    await decide(approveTranche, id)
    expect(await decide(approveTranche, id)).toMatchObject({ isNew: false })
    await expect(release(id, addDays(today, 1))).rejects.toThrow('in the future')
    const sanctionedOn = addMonths(nextFifth(today), -1)
    await expect(release(id, addDays(sanctionedOn, -1))).rejects.toThrow(`is before ${sanctionedOn}, when the loan was sanctioned`)
    const both = await Promise.all([release(id), release(id)])
    expect(both.map(({ isNew }) => isNew).sort()).toEqual([false, true])
    expect(await loan()).toMatchObject({ disbursed_amount: 500_000 })
    await expect(decide(rejectTranche, id)).rejects.toThrow('paid out')
    await expect(decide(approveTranche, id)).rejects.toThrow('cannot be approved')
    await expect(decide(approveTranche, 'none')).rejects.toThrow('no requested tranche none')
  })

  it('is not approved once the loan is closed, and can be rejected', async () => {
    const id = String((await requestTranche(100_000)).body['partner_tranche_id'])
    await decideOn(async (loan) => {
      const { foreclosure } = loanStateDuring(loan.own.facts, today).allowed
      if (!foreclosure) throw new Error('no foreclosure is offered')
      const payment = {
        mode: 'neft',
        reference: `${lan}-C`,
        amountPaise: foreclosure.amountPaise,
        date: today,
        purpose: 'FORECLOSURE',
      } as const
      return recordPayment(loan, payment)
    })
    expect(await loan()).toMatchObject({ loan_status: 'CLOSED' })
    await expect(decide(approveTranche, id)).rejects.toThrow('is closed')
    expect(await decide(rejectTranche, id)).toMatchObject({ isNew: true })
  })
})

describe('the first tranche', () => {
  const preview = (date: Day) => app.get(`/portal/tranche-preview?lan=${lan}&amount=1000&date=${date}`, token)

  it('is requested, changed, previewed and approved for a day before the first due date', async () => {
    const firstDueDate = addDays(today, 6)
    const lastDay = addDays(today, 5)
    await continueUndisbursed(firstDueDate)
    expect(await details()).toMatchObject({ allow_create_tranche: true, earliest_date: addDays(today, 1), latest_date: lastDay })
    expect(await requestTranche(100_000, firstDueDate)).toMatchObject({ status: 400, body: { field: 'date' } })
    expect((await preview(firstDueDate)).status).toBe(400)
    expect(await preview(lastDay)).toMatchObject({ status: 200, body: { changed: { emi_amount: expect.any(Number) as number } } })
    const id = String((await requestTranche(100_000, lastDay)).body['partner_tranche_id'])
    expect(await change(id, 100_000, { date: firstDueDate })).toMatchObject({ status: 400, body: { field: 'date' } })
    // A request of the time when this was allowed.
    await app.database.asSystem((sql) =>
      sql.updateTable('tranches').set({ disbursed_on: firstDueDate }).where('partner_tranche_id', '=', id).execute(),
    )
    await expect(decide(approveTranche, id)).rejects.toThrow('the first due date must be after the first disbursal')
    expect(await change(id, 1)).toMatchObject({ status: 400, body: { field: 'date' } })
    expect(await change(id, 1, { date: lastDay })).toMatchObject({ status: 200 })
    expect(await decide(approveTranche, id)).toMatchObject({ isNew: true })
  })

  it('is not requested nor changed when no day is left before the first due date', async () => {
    await continueUndisbursed(addDays(today, 2))
    const id = String((await requestTranche(100_000, addDays(today, 1))).body['partner_tranche_id'])
    await passTime(86_400_000)
    expect((await details()).tranches).toMatchObject([{ stage: 'requested', is_editable: false, max_amount: null }])
    expect(await change(id, 1)).toMatchObject({ status: 409, body: { code: 'TrancheNotAllowed' } })
    await decide(rejectTranche, id)
    expect(await details()).toMatchObject({ allow_create_tranche: false })
    expect(await requestTranche(100_000, addDays(today, 2))).toMatchObject({ status: 409, body: { code: 'TrancheNotAllowed' } })
    await passTime(-86_400_000)
  })

  it('is paid out although a charge lay before it, once that is waived; a charge needs a disbursal now', async () => {
    await continueUndisbursed(addDays(today, 40))
    const charge = { chargeId: 'early', chargeType: 'FEE', date: today, amountPaise: rupeesToPaise(5_000), penal: false, waivedOn: null }
    const add = decideOn(async (loan) => addCharges(loan, [charge]))
    await expect(add).rejects.toThrow('nothing is disbursed')
    const id = String((await requestTranche(100_000, addDays(today, 2))).body['partner_tranche_id'])
    // A charge of the time when this was allowed.
    await decideOn(async ({ sql, own, now }) => {
      await insertCharge(sql, own.loan, charge)
      await reconcileLedgerToFacts(sql, { ...own, facts: { ...own.facts, charges: [charge] } }, now, 'operator')
    })
    expect(await preview(addDays(today, 2))).toMatchObject({ status: 409, body: { code: 'TrancheNotAllowed' } })
    expect(await change(id, 200_000)).toMatchObject({ status: 409, body: { code: 'TrancheNotAllowed' } })
    await expect(decide(approveTranche, id)).rejects.toThrow('a charge that is not waived lies before the first disbursal')
    await decideOn(async (loan) => waiveCharge(loan, 'early', dayInIndia(loan.now)))
    await decide(approveTranche, id)
    await passTime(2 * 86_400_000)
    expect(await release(id, addDays(today, 2))).toMatchObject({ isNew: true })
    expect(await details()).toMatchObject({ tranches: [{ stage: 'released' }] })
    await passTime(-2 * 86_400_000)
  })
})

describe('the preview', () => {
  it('matches the later release, to the paisa', async () => {
    const date = addDays(today, 5)
    const { status, body } = await app.get(`/portal/tranche-preview?lan=${lan}&amount=250000&date=${date}`, token)
    expect(status).toBe(200)
    const { unchanged, changed, repayment_schedule: foreseen } = body as { unchanged: Wire; changed: Wire; repayment_schedule: Wire[] }
    expect(unchanged['emi_amount']).toBe((await loan())['emi_amount'])
    expect(changed['emi_amount']).toBeGreaterThan(Number(unchanged['emi_amount']))
    const id = String((await requestTranche(250_000, date)).body['partner_tranche_id'])
    await decide(approveTranche, id)
    await passTime(5 * 86_400_000)
    await release(id, date)
    const { repayment_schedule: came } = (await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)).body as {
      repayment_schedule: Wire[]
    }
    expect(came).toEqual(foreseen)
    await passTime(-5 * 86_400_000)
  })

  it('refuses an invalid request', async () => {
    const preview = (amount: unknown, date: string) =>
      app.get(`/portal/tranche-preview?lan=${lan}&amount=${String(amount)}&date=${date}`, token)
    for (const amount of ['0', '0.5', '-1', '1e3', 'x', ''])
      expect([amount, (await preview(amount, addDays(today, 5))).status]).toEqual([amount, 400])
    expect(await preview(600_001, addDays(today, 5))).toMatchObject({ status: 409, body: { code: 'TrancheAboveMaximum' } })
    expect((await preview(1, today)).status).toBe(400)
    expect((await app.get(`/portal/tranche-preview?lan=KST-24-004173&amount=1&date=${addDays(today, 5)}`, token)).status).toBe(404)
  })
})

describe('4xx', () => {
  it.each([0.5, 0, -1, 1_000.25, '1000', null, true, [5], 'x', 1e15])('amount %j is 400', async (amount) => {
    expect(await requestTranche(amount)).toMatchObject({ status: 400, body: { field: 'amount' } })
    expect((await details()).tranches).toHaveLength(1)
  })

  it('the maximum is accepted, one rupee more is 409', async () => {
    expect(await requestTranche(600_001)).toMatchObject({ status: 409, body: { code: 'TrancheAboveMaximum', field: 'amount' } })
    expect((await requestTranche(600_000)).status).toBe(200)
    const [, tranche] = (await details()).tranches
    expect(await change(tranche?.['partner_tranche_id'], 600_001)).toMatchObject({ status: 409, body: { code: 'TrancheAboveMaximum' } })
  })

  it('the date is from tomorrow to 30 days from today', async () => {
    for (const days of [-1, 0, 31])
      expect(await requestTranche(1, addDays(today, days))).toMatchObject({ status: 400, body: { field: 'date' } })
    for (const date of ['2026-02-30', '05/12/2026', '2026-12-05T10:00:00', ''])
      expect([date, (await requestTranche(1, date)).status]).toEqual([date, 400])
    expect((await requestTranche(1, addDays(today, 1))).status).toBe(200)
  })

  it('a time counts as its India day: 18:30 UTC is midnight in India, 23:59 IST is the same day', async () => {
    const tomorrow = addDays(today, 1)
    expect((await requestTranche(1, `${today}T18:29:59.000Z`)).status).toBe(400)
    expect((await requestTranche(1, `${today}T18:30:00.000Z`)).body).toMatchObject({ date_of_disbursement: tomorrow })
    const [, tranche] = (await details()).tranches
    const id = tranche?.['partner_tranche_id']
    expect((await change(id, 1, { date: `${addDays(today, 30)}T23:59:00+05:30` })).body).toMatchObject({
      date_of_disbursement: addDays(today, 30),
    })
    expect((await change(id, 1, { date: `${addDays(today, 30)}T18:30:00.000Z` })).status).toBe(400)
  })

  it('today changes at midnight in India, not in London', async () => {
    const untilLate = startOfDayInIndiaMs(addDays(today, 1)) - 60_000 - app.clock.now().getTime()
    await passTime(untilLate)
    expect((await requestTranche(1, addDays(today, 31))).status).toBe(400)
    await app.clock.advance(120_000)
    expect((await requestTranche(1, addDays(today, 31))).status).toBe(200)
    await passTime(-untilLate - 120_000)
  })

  it('of two concurrent requests one succeeds', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => requestTranche(100_000)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of answers.filter((answer) => answer.status !== 200))
      expect({ status, body }).toMatchObject({ status: 409, body: { code: 'TranchePending' } })
    expect((await details()).tranches).toHaveLength(2)
  })

  it('one Idempotency-Key is one request; with another body 422', async () => {
    const key = { 'idempotency-key': `tranche-${created}-0001` }
    const [first, second] = [await requestTranche(100_000, undefined, {}, key), await requestTranche(100_000, undefined, {}, key)]
    expect(second).toMatchObject({ status: 200, body: { partner_tranche_id: first.body['partner_tranche_id'] } })
    expect(await requestTranche(100_001, undefined, {}, key)).toMatchObject({ status: 422, body: { code: 'IdempotencyKeyReused' } })
  })

  it('under an Idempotency-Key 409 is repeated unchanged; a new attempt needs a new key', async () => {
    const { body: pending } = await requestTranche(100_000)
    const key = { 'idempotency-key': `tranche-${created}-409` }
    const withoutRequestId = ({ status, body: { request_id: _id, ...body } }: Answer) => ({ status, body })
    const first = await requestTranche(200_000, undefined, {}, key)
    expect(first).toMatchObject({ status: 409, body: { code: 'TranchePending' } })
    expect(await decide(rejectTranche, String(pending['partner_tranche_id']))).toMatchObject({})
    expect(withoutRequestId(await requestTranche(200_000, undefined, {}, key))).toEqual(withoutRequestId(first))
    expect(await requestTranche(200_000, undefined, {}, { 'idempotency-key': `tranche-${created}-anew` })).toMatchObject({ status: 200 })
  })

  it('409 RequestInProgress, with Retry-After, while the first call under the key runs; then its answer', async () => {
    const key = `tranche-${created}-running`
    const loanKey = await app.database.asSystem((sql) => findLoanKey(sql, lan))
    if (!loanKey) throw new Error('no loan')
    const isHeld = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    // The first call waits for the loan's lock.
    const holding = app.database.asBorrower(loanKey.borrowerId, async (sql) => {
      await lockOwnLoan(sql, loanKey.borrowerId, loanKey.loanId)
      isHeld.resolve()
      await letGo.promise
    })
    await isHeld.promise
    const first = requestTranche(100_000, undefined, {}, { 'idempotency-key': key })
    await until(async () =>
      app.database.asSystem((sql) =>
        sql.selectFrom('idempotent_requests').select('run_id').where('idempotency_key', '=', key).executeTakeFirst(),
      ),
    )
    const second = await requestTranche(100_000, undefined, {}, { 'idempotency-key': key })
    expect([second.status, second.body['code'], second.headers.get('retry-after')]).toEqual([409, 'RequestInProgress', '2'])
    letGo.resolve()
    await holding
    const { status, body } = await first
    expect(status).toBe(200)
    expect((await requestTranche(100_000, undefined, {}, { 'idempotency-key': key })).body).toEqual(body)
  })

  it("another borrower's loan, and ids of two loans, are 404", async () => {
    expect((await requestTranche(1, undefined, { lan: 'KST-24-004173' })).status).toBe(404)
    expect((await requestTranche(1, undefined, { lan: 'KST-24-004173', lead_id: 'LEAD-004173' })).status).toBe(404)
    expect((await app.get('/portal/tranche-details?lan=KST-24-004173', token)).status).toBe(404)
    expect(
      (await app.patch('/portal/tranche', { lan: 'KST-24-004173', partner_tranche_id: 'KST-24-004173-T3', amount: 1 }, token)).status,
    ).toBe(404)
    expect((await change('KST-24-004173-T3', 1)).status).toBe(404)
    expect((await change(`${lan}-D1`, 1)).status).toBe(404)
  })

  it('a loan that is overdue or closed, or whose lender does not allow it, is 409, and shows this in advance', async () => {
    for (const [other, number] of [
      [demoPhone(5), 'KST-24-007790'],
      [demoPhone(4), 'KST-22-000045'],
    ] as const) {
      const theirs = await app.signIn(other)
      expect((await app.get(`/portal/tranche-details?lan=${number}`, theirs)).body).toMatchObject({ allow_create_tranche: false })
      expect(await app.post('/portal/tranche', { lead_id: number, lan: number, amount: 1, date: addDays(today, 2) }, theirs)).toMatchObject(
        { status: 409, body: { code: 'LoanNotActive' } },
      )
    }
    await app.database.asSystem((sql) => sql.updateTable('loans').set({ allow_tranche_request: false }).where('lan', '=', lan).execute())
    expect(await details()).toMatchObject({ allow_create_tranche: false })
    expect(await requestTranche(1)).toMatchObject({ status: 409, body: { code: 'TrancheNotAllowed' } })
  })

  it('unknown fields change nothing', async () => {
    expect((await requestTranche(1, undefined, { stage: 'approved', status: 'DISBURSED', is_editable: false })).body).toMatchObject({
      stage: 'requested',
      status: 'UNKNOWN',
      is_editable: true,
    })
  })

  it('401 without a session, 403 without the permission', async () => {
    expect((await app.post('/portal/tranche', {}, 'none')).status).toBe(401)
    const other = `+9198333${String(created).padStart(5, '0')}`
    await addPerson(app.database, app.clock.now(), { phone: other, firstName: 'May', lastName: 'Not', permissions: ['document:read'] })
    const without = await app.signIn(other)
    expect((await app.post('/portal/tranche', { lead_id: 'x', lan: 'x', amount: 1, date: '2026-12-01' }, without)).status).toBe(403)
    expect((await app.patch('/portal/tranche', { lan: 'x', partner_tranche_id: 'x', amount: 1 }, without)).status).toBe(403)
  })
})

it('demo 01 has two disbursed tranches and one approved, and may request another', async () => {
  const theirs = await app.signIn(demoPhone(1))
  expect((await app.get('/portal/tranche-details?lan=KST-24-004173', theirs)).body).toMatchObject({
    allow_create_tranche: true,
    max_tranche_amount: 200_000,
    tranches: [
      { status: 'DISBURSED' },
      { status: 'DISBURSED', release_status: 'RELEASED' },
      { status: 'APPROVED', release_status: 'NOT_RELEASED', is_editable: true },
    ],
  })
})
