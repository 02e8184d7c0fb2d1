import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { RateReset } from '#contract/rate-resets.ts'
import { addDays, toDay, type Day } from '#domain/calendar.ts'
import { quickSweeps } from '#testkit/advance-until.ts'
import { addPerson, type AddedLoan } from '#testkit/builders.ts'
import { addFloatingLoan, addFloatingProduct, benchmarkCode, floatingLoan, publishRate } from '#testkit/floating-loan.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { startApp, until, type Answer, type App } from '#testkit/start-app.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { changeLoanInTransaction } from '../loan-changes/change-loan.ts'
import { unnamedOperator } from '../staff/operator.ts'
import { readOwnLoanById } from '../loans/own-loan.ts'
import { disburse } from '../loan-changes/disburse.ts'
import { requestRun } from './request-run.ts'
import { findRun } from './run-store.ts'
import { rupeesToPaise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'

const now = new Date('2026-11-20T05:00:00Z')
const today = toDay('2026-11-20')
const effectiveOn = toDay('2027-01-05')
let app: App
let loans = 0

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now, settings: quickSweeps })
  await addFloatingProduct(app.database, now, { rate: { ...floatingLoan.rate, reset_months: 1 } })
  await publishRate(app.database, now, 7, toDay('2026-12-01'))
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

type Case = {
  phone: string
  key: AddedLoan
  token: string
  lan: string
  resets(): Promise<WireReset[]>
  choose(id: string, body: object): Promise<Answer>
}
/** Amounts are rupees. */
type WireReset = Omit<RateReset, 'options' | 'instalment'> & {
  instalment: number
  default_instalment: number
  options: {
    option: string
    instalment: number
    instalments_left: number
    last_due_date: string
    total_interest: number
    amount?: number
    instalment_min?: number
    instalment_max?: number
  }[]
}

/** Requests a run and waits for the worker. */
async function resetRates(day: Day): Promise<void> {
  const runId = await app.database.asSystem((sql) =>
    requestRun(sql, { benchmark: benchmarkCode, effectiveOn: day }, app.clock.now(), 'test'),
  )
  await until(async () => (await app.database.asSystem((sql) => findRun(sql, runId)))?.phase === 'finished')
}

/** A borrower with a floating loan that has been reset to 11.75 percent. */
async function newCase({ firstDue = toDay('2026-12-05'), reset = true } = {}): Promise<Case> {
  loans += 1
  const phone = `+9190000${String(10_000 + loans)}`
  const lan = `FL-${loans}`
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Omkar', lastName: 'Deshpande' })
  const key = await addFloatingLoan(app.database, now, borrowerId, { lan, firstDue })
  if (reset) await resetRates(effectiveOn)
  const of: Case = {
    key,
    lan,
    phone,
    token: await app.signIn(phone),
    resets: async () => (await app.get(`/portal/rate-resets?application_id=${lan}`, of.token)).body['rate_resets'] as WireReset[],
    choose: (id, body) => app.post(`/portal/rate-resets/${id}/choice`, body, of.token),
  }
  return of
}
const only = (resets: WireReset[]): WireReset => {
  expect(resets).toHaveLength(1)
  return resets[0] as WireReset
}
const kindsOf = async ({ token }: Case) =>
  ((await app.get('/portal/notices', token)).body['notices'] as { kind: string }[]).map(({ kind }) => kind)
const rowsOf = async ({ token, lan }: Case) =>
  (await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)).body['repayment_schedule'] as {
    repayment_amount: number
    due_date: string
  }[]
const change = ({ key }: Case, write: Parameters<typeof changeLoanInTransaction<null>>[1]['write']) =>
  app.database.asBorrower(key.borrowerId, (sql) =>
    changeLoanInTransaction(sql, { ...key, actor: unnamedOperator(), whileLinkOpen: 'keep', write }, app.clock.now()),
  )
const pay = (of: Case, rupees: number, date: Day, purpose: PaymentPurpose | null = null) =>
  change(of, async (loan) => {
    const payment = { mode: 'neft', reference: `UTR${of.lan}${date}${rupees}`, amountPaise: rupeesToPaise(rupees), date, purpose } as const
    await recordPayment(loan, payment)
    return { answer: null, log: null }
  })

describe('a reset that was notified', () => {
  it('shows its options to the rupee, with the default', async () => {
    const of = await newCase()
    const reset = only(await of.resets())
    expect(reset).toMatchObject({
      state: 'notified',
      from: 11,
      to: 11.75,
      effective_on: '2027-01-05',
      choose_until: '2027-01-04',
      default: 'keep_emi',
      default_instalment: 11_021,
      choice: null,
    })
    expect(
      reset.options.map(({ option, instalment, instalments_left, last_due_date }) => [option, instalment, instalments_left, last_due_date]),
    ).toEqual([
      ['keep_emi', 11_021, 128, '2037-07-05'],
      ['keep_tenor', 11_358, 120, '2036-11-05'],
      ['between', expect.any(Number), expect.any(Number), expect.any(String)],
      ['part_payment', 11_021, expect.any(Number), '2036-11-05'],
    ])
    expect(await kindsOf(of)).toEqual(['rate_reset_notified'])
    const asked = await app.get(`/portal/rate-resets?application_id=${of.lan}&instalment=11200`, of.token)
    const between = (asked.body['rate_resets'] as WireReset[])[0]?.options.find(({ option }) => option === 'between')
    expect(between).toMatchObject({ instalment: 11_200, instalment_min: 11_021, instalment_max: 11_358 })
  })

  it('is not found by another borrower, and its loan neither', async () => {
    const [one, other] = [await newCase(), await newCase()]
    const reset = only(await one.resets())
    const body = { option: 'keep_emi', preview_hash: reset.preview_hash }
    expect((await other.choose(reset.id, body)).status).toBe(404)
    expect((await app.get(`/portal/rate-resets?application_id=${one.lan}`, other.token)).status).toBe(404)
    expect((await one.choose('no-uuid', body)).status).toBe(404)
  })
})

describe('a choice', () => {
  it('writes the rate change of its day', async () => {
    const of = await newCase()
    const reset = only(await of.resets())
    const chosen = await of.choose(reset.id, { option: 'between', instalment: 11_200, preview_hash: reset.preview_hash })
    expect(chosen.body['rate_reset']).toMatchObject({ state: 'chosen', choice: 'between', instalment: 11_200 })
    const { facts } = await app.database.asBorrower(of.key.borrowerId, (sql) => readOwnLoanById(sql, of.key.borrowerId, of.key.loanId))
    expect(facts.rateChanges).toEqual([{ date: effectiveOn, annualRatePpb: 117_500_000, keep: 'both', instalmentPaise: 1_120_000n }])
  })

  it('can be made again, and another one replaces it', async () => {
    const of = await newCase()
    const reset = only(await of.resets())
    const keep = { option: 'keep_tenor', preview_hash: reset.preview_hash }
    expect((await of.choose(reset.id, keep)).status).toBe(200)
    expect((await of.choose(reset.id, keep)).body['rate_reset']).toMatchObject({ choice: 'keep_tenor', instalment: 11_358 })
    const other = await of.choose(reset.id, { option: 'part_payment', preview_hash: reset.preview_hash })
    expect(other.body['rate_reset']).toMatchObject({ state: 'chosen', choice: 'part_payment', instalment: 11_021 })
  })

  it.each<[string, object, number, string]>([
    ['an EMI below the bounds', { option: 'between', instalment: 11_020 }, 409, 'RateResetNotAllowed'],
    ['an EMI above the bounds', { option: 'between', instalment: 11_359 }, 409, 'RateResetNotAllowed'],
    ['an EMI with paise', { option: 'between', instalment: 11_100.5 }, 409, 'RateResetNotAllowed'],
    ['no EMI between', { option: 'between' }, 400, 'InvalidRequest'],
    ['an EMI that is no amount', { option: 'between', instalment: 'x' }, 400, 'InvalidRequest'],
    ['a negative EMI', { option: 'between', instalment: -1 }, 400, 'InvalidRequest'],
    ['an unknown option', { option: 'fixed' }, 400, 'InvalidRequest'],
    ['other figures than those shown', { option: 'keep_emi', preview_hash: 'x' }, 409, 'RateResetStale'],
    ['no figures', { option: 'keep_emi', preview_hash: null }, 400, 'InvalidRequest'],
  ])('of %s is refused', async (_name, body, status, code) => {
    const of = await newCase()
    const reset = only(await of.resets())
    const answer = await of.choose(reset.id, { preview_hash: reset.preview_hash, ...body })
    expect([answer.status, answer.body['code']]).toEqual([status, code])
    expect(only(await of.resets()).state).toBe('notified')
  })

  it('is refused with the figures from before a part payment', async () => {
    const of = await newCase()
    const reset = only(await of.resets())
    await pay(of, 100_000, today, 'PART_PAYMENT__REDUCE_EMI')
    const answer = await of.choose(reset.id, { option: 'keep_emi', preview_hash: reset.preview_hash })
    expect([answer.status, answer.body['code']]).toEqual([409, 'RateResetStale'])
  })
})

describe('what comes in between', () => {
  it('a part payment has the reset computed again, and the borrower is told', async () => {
    const of = await newCase()
    const before = only(await of.resets())
    await pay(of, 100_000, today, 'PART_PAYMENT__REDUCE_EMI')
    await until(async () => (await kindsOf(of)).includes('rate_reset_recomputed'))
    const after = only(await of.resets())
    expect(after.default_instalment).toBeLessThan(before.default_instalment)
    expect(after.default_instalment).toBe(after.options[0]?.instalment)
  })

  it('a payment of the next EMI changes nothing that has to be told', async () => {
    const of = await newCase()
    await pay(of, 11_021, today, 'PAY_EMI')
    const sequence = async () => {
      const row = await app.database.asSystem((sql) =>
        sql
          .selectFrom('rate_resets')
          .innerJoin('loans', (join) =>
            join.onRef('loans.borrower_id', '=', 'rate_resets.borrower_id').onRef('loans.loan_id', '=', 'rate_resets.loan_id'),
          )
          .select(['rate_resets.ledger_sequence as computed', 'loans.ledger_sequence as ledger'])
          .where('loans.loan_id', '=', of.key.loanId)
          .executeTakeFirstOrThrow(),
      )
      return row.computed === row.ledger
    }
    await until(sequence)
    expect(await kindsOf(of)).toEqual(['payment_applied', 'rate_reset_notified'])
  })

  it('all principal that is repaid takes the decided reset back with its rate change', async () => {
    const of = await newCase()
    const reset = only(await of.resets())
    await of.choose(reset.id, { option: 'keep_tenor', preview_hash: reset.preview_hash })
    const { body } = await app.get(`/portal/repayment-schedule?lead_id=${of.lan}`, of.token)
    const { foreclosure_payment: payoff } = body['allowed_payments'] as { foreclosure_payment: { amount: number } }
    await pay(of, payoff.amount, today, 'FORECLOSURE')
    await until(async () => only(await of.resets()).state === 'withdrawn')
    const { facts } = await app.database.asBorrower(of.key.borrowerId, (sql) => readOwnLoanById(sql, of.key.borrowerId, of.key.loanId))
    expect(facts.rateChanges).toEqual([])
  })

  it.each(['chosen', 'defaulted'])('a part payment that lowers the EMI leaves the lower one to an EMI that stays (%s)', async (state) => {
    const nextDue = toDay('2026-12-05')
    const of = await newCase({ reset: false })
    await resetRates(nextDue)
    const reset = only(await of.resets())
    await of.choose(reset.id, { option: 'keep_emi', preview_hash: reset.preview_hash })
    if (state === 'defaulted')
      await app.database.asSystem((sql) =>
        sql.updateTable('rate_resets').set({ state, choice: null }).where('reset_id', '=', reset.id).execute(),
      )
    await pay(of, 200_000, today, 'PART_PAYMENT__REDUCE_EMI')
    await until(async () => (await kindsOf(of)).includes('rate_reset_recomputed'))
    const after = only(await of.resets())
    expect(after).toMatchObject({ state, choice: state === 'chosen' ? 'keep_emi' : null, default: 'keep_emi', instalment: 8_240 })
    const { facts } = await app.database.asBorrower(of.key.borrowerId, (sql) => readOwnLoanById(sql, of.key.borrowerId, of.key.loanId))
    expect(facts.rateChanges).toEqual([{ date: nextDue, annualRatePpb: expect.any(Number), keep: 'instalment' }])
  })

  it('a tranche that the chosen EMI cannot repay in time replaces the choice by the default', async () => {
    const of = await newCase()
    const reset = only(await of.resets())
    await of.choose(reset.id, { option: 'between', instalment: 11_100, preview_hash: reset.preview_hash })
    await app.database.asSystem((sql) =>
      sql
        .updateTable('loans')
        .set({ sanctioned_paise: rupeesToPaise(1_600_000) })
        .where('loan_id', '=', of.key.loanId)
        .execute(),
    )
    await change(of, async (loan) => {
      await disburse(loan, { date: today, amountPaise: rupeesToPaise(800_000), reference: 'T2' })
      return { answer: null, log: null }
    })
    await until(async () => (await kindsOf(of)).includes('rate_reset_recomputed'))
    const after = only(await of.resets())
    expect(after).toMatchObject({ state: 'defaulted', choice: null })
    expect(after.instalment).toBeGreaterThan(20_000)
  })
})

describe('a run', () => {
  it('again resets only what is missing, and notifies nobody twice', async () => {
    const of = await newCase()
    await resetRates(effectiveOn)
    await resetRates(effectiveOn)
    expect(await of.resets()).toHaveLength(1)
    expect(await kindsOf(of)).toEqual(['rate_reset_notified'])
  })

  it('leaves out a loan whose rate was changed less than a month before', async () => {
    const of = await newCase()
    const reset = only(await of.resets())
    await of.choose(reset.id, { option: 'keep_emi', preview_hash: reset.preview_hash })
    await resetRates(addDays(effectiveOn, 20))
    expect(await of.resets()).toHaveLength(1)
  })

  it('leaves out a loan with a reset less than a month away that the borrower has not decided', async () => {
    const of = await newCase()
    for (const days of [-20, 20]) await resetRates(addDays(effectiveOn, days))
    expect(await of.resets()).toHaveLength(1)
  })
})

/** Moves the clocks to an instant. */
const advanceTo = (instant: string) => app.clock.moveTo(instant)

// The last of the file, because the clock cannot go back.
describe('when the day comes', () => {
  it('the default is written that evening, the choice holds, and what was chosen is in schedule and ledger', async () => {
    const chosen = await newCase()
    const silent = await newCase()
    const late = await newCase()
    const reset = only(await chosen.resets())
    await chosen.choose(reset.id, { option: 'between', instalment: 11_200, preview_hash: reset.preview_hash })
    const asked = await app.get(`/portal/rate-resets?application_id=${chosen.lan}&instalment=11200`, chosen.token)
    const shown = (asked.body['rate_resets'] as WireReset[])[0]?.options.find(({ option }) => option === 'between')

    const moveTo = async (instant: string) => {
      await advanceTo(instant)
      for (const of of [chosen, silent, late]) of.token = await app.signIn(of.phone)
    }
    await moveTo('2026-12-05T05:00:00Z')
    for (const of of [chosen, silent, late]) await pay(of, 11_021, toDay('2026-12-05'), 'PAY_EMI')
    await moveTo('2027-01-04T17:00:00Z')
    expect(only(await silent.resets()).state).toBe('notified')
    await moveTo('2027-01-04T17:31:00Z')
    await until(async () => only(await silent.resets()).state === 'defaulted' && only(await late.resets()).state === 'defaulted')
    expect(await kindsOf(silent)).toContain('rate_reset_defaulted')
    expect(only(await chosen.resets()).state).toBe('chosen')
    // The last evening is not over.
    const evening = only(await late.resets())
    expect((await late.choose(evening.id, { option: 'keep_tenor', preview_hash: evening.preview_hash })).status).toBe(200)

    await moveTo('2027-01-05T05:00:00Z')
    expect(
      [only(await silent.resets()), only(await chosen.resets()), only(await late.resets())].map(({ state, choice }) => [state, choice]),
    ).toEqual([
      ['effective', null],
      ['effective', 'between'],
      ['effective', 'keep_tenor'],
    ])
    const over = only(await chosen.resets())
    expect([over.preview_hash, over.options]).toEqual([null, []])
    const tooLate = await chosen.choose(reset.id, { option: 'keep_emi', preview_hash: reset.preview_hash })
    expect([tooLate.status, tooLate.body['code']]).toEqual([409, 'RateResetClosed'])
    for (const of of [chosen, silent, late]) await pay(of, 11_021, toDay('2027-01-05'), 'PAY_EMI')

    await moveTo('2027-02-05T05:00:00Z')
    for (const [of, emi] of [
      [chosen, 11_200],
      [silent, 11_021],
      [late, 11_358],
    ] as const) {
      const rows = await rowsOf(of)
      expect(rows.find(({ due_date }) => due_date === '2027-02-05')?.repayment_amount).toBe(emi)
      await pay(of, emi, toDay('2027-02-05'), 'PAY_EMI')
      expect(await readPosted(of)).toEqual({ instalment: 3, paise: BigInt(emi * 100) })
    }
    expect((await rowsOf(chosen)).at(-1)?.due_date).toBe(shown?.last_due_date)
    const summary = await app.get('/portal/loans-summary', chosen.token)
    expect(summary.body).toMatchObject({ loans: [{ emi_amount: 11_200, interest_rate: 11.75 }] })
  })
})

/** The latest instalment in the ledger, and what was posted to it. */
async function readPosted({ key }: Case) {
  const rows = await app.database.asBorrower(key.borrowerId, (sql) =>
    sql
      .selectFrom('ledger_entries')
      .select(({ fn }) => ['instalment_number', fn.sum<string>('credit_paise').as('credited')])
      .where('loan_id', '=', key.loanId)
      .where('instalment_number', 'is not', null)
      .groupBy('instalment_number')
      .orderBy('instalment_number', 'desc')
      .execute(),
  )
  return { instalment: rows[0]?.instalment_number, paise: BigInt(rows[0]?.credited ?? 0) }
}
