import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { disburse } from '#server/loan-changes/disburse.ts'
import { findLoanKey } from '#server/loans/loan-store.ts'
import { releaseTranche } from '#server/tranches/decide-tranche.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { approve, list, reject, release } from './tranche.ts'

let context: TestContext
let today: Day
beforeAll(async () => {
  context = await openTestContext(inject('cluster'), { town: true })
  today = dayInIndia(context.clock.now())
})
afterAll(() => context.close())

const third = { lan: 'KST-24-004173', partnerTrancheId: 'KST-24-004173-T3' }

describe('kist tranche', () => {
  it('lists waiting tranches, and with a loan all of its tranches', async () => {
    expect(await list(context, null)).toMatch(/^approved {2} KST-24-004173-T3 of ₹150000\.00 {2}for \d{4}-\d\d-\d\d$/)
    expect((await list(context, third.lan)).split('\n')).toEqual([
      expect.stringMatching(/^released {3}KST-24-004173-T2/),
      expect.stringMatching(/^approved/),
    ])
    expect(await list(context, 'KST-21-000317')).toBe('no tranche of loan KST-21-000317 was requested')
    await expect(list(context, 'none')).rejects.toThrow('There is no loan none')
  })
  it.each([
    ['the day', 150_000, /^An imported disbursal paid out KST-24-004173-T3 on \d{4}-\d\d-\d\d with ₹150000\.00: enter that day$/],
    ['the amount', 140_000, /with ₹140000\.00, but the tranche is of ₹150000\.00$/],
  ])('refuses to release what was imported, and says %s', async (_what, rupees, message) => {
    const imported = { date: addDays(today, -1), amountPaise: rupeesToPaise(rupees), reference: third.partnerTrancheId }
    const now = context.clock.now()
    const key = await context.database.asSystem((sql) => findLoanKey(sql, third.lan))
    if (!key) throw new Error('there is no loan')
    // The refusal rolls the disbursal back.
    const refused = withLockedLoan(context.database, key, now, async (loan) => {
      const own = await disburse(loan, imported)
      await releaseTranche({ ...loan, own }, third.partnerTrancheId, today)
    })
    await expect(refused).rejects.toMatchObject({ message: expect.stringMatching(message), reason: 'tranche_imported_differs' })
  })
  it('approves only the amount that the operator saw, and prints it with its day', async () => {
    const tranches = await context.database.asSystem((sql) =>
      sql
        .updateTable('tranches')
        .set({ stage: 'requested' })
        .where('partner_tranche_id', '=', third.partnerTrancheId)
        .returning(['disbursed_on'])
        .execute(),
    )
    const line = `KST-24-004173-T3 of ₹150000.00 of loan KST-24-004173 for ${String(tranches[0]?.disbursed_on)}`
    const seen = { ...third, amount: rupeesToPaise(140_000) }
    await expect(approve(context, seen)).rejects.toThrow('Tranche KST-24-004173-T3 is of ₹150000.00, not of ₹140000.00')
    expect(await list(context, null)).toMatch(/^requested/)
    expect(await approve(context, { ...third, amount: rupeesToPaise(150_000) })).toBe(`approved: ${line}`)
    expect(await approve(context, third)).toBe(`unchanged: ${line} was approved before`)
    await expect(approve(context, seen)).rejects.toThrow('not of ₹140000.00')
  })
  it('releases once, and posts it', async () => {
    expect(await release(context, third)).toBe(`released: KST-24-004173-T3 of ₹150000.00 of loan KST-24-004173 on ${today}`)
    expect(await release(context, third)).toMatch(/^unchanged: /)
    await expect(reject(context, third)).rejects.toThrow('was paid out and cannot be rejected')
    await expectInvariantsHold(context)
    expect(await list(context, null)).toBe('no tranche waits for a decision or its release')
    const entries = await context.database.asSystem((sql) =>
      sql.selectFrom('access_log').select(['action', 'actor_id']).where('action', '=', 'tranche_released').execute(),
    )
    expect(entries).toEqual([{ action: 'tranche_released', actor_id: 'operator' }])
  })
})
