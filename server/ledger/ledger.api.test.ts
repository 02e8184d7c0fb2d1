import { sql as raw } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { toDay, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, rupeesToPaise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan, type NewLoan } from '#testkit/builders.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { readLedger } from './ledger-store.ts'
import { addCharges } from '../loan-changes/add-charge.ts'
import { disburse } from '../loan-changes/disburse.ts'
import { LedgerRefusal } from './ledger-refusal.ts'
import { netLines, type Line } from './lines.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { reversePayment } from '../loan-changes/reverse-payment.ts'
import { takeBackCharge, waiveCharge } from '../loan-changes/waive-charge.ts'

const now = new Date('2026-11-20T05:00:00Z')
let context: TestContext
let key: AddedLoan
let loans = 0

beforeAll(async () => {
  context = await openTestContext(inject('cluster'), { now })
  await addProduct(context.database, now, 'education', educationLoan)
})
afterAll(() => context.close())

/**
 * ₹1,20,000 at 12 % from 5 June 2026 over 12 months: ₹10,662 due on the 5th, late charges of ₹500
 * on the 9th.
 */
const terms = {
  title: 'Test',
  sanctionedRupees: 120_000,
  disbursals: [{ date: toDay('2026-06-05'), rupees: 120_000 }],
  annualRatePercent: 12,
  instalments: 12,
  firstDueDate: toDay('2026-07-05'),
}
async function open(more: Partial<NewLoan> = {}): Promise<void> {
  loans += 1
  // Each test has its own borrower; the references are the same.
  await context.database.asSystem((sql) => sql.deleteFrom('bank_references').execute())
  const borrowerId = await addPerson(context.database, now, {
    phone: `+9180000000${String(loans).padStart(2, '0')}`,
    firstName: 'Test',
    lastName: 'Person',
  })
  key = await addLoan(context.database, now, borrowerId, { ...terms, lan: `T-${loans}`, ...more })
}
beforeEach(() => open())

/** Runs work on the loan under its lock and then checks every invariant. */
async function onLoan<T>(work: (loan: LoanTransaction) => Promise<T>): Promise<T> {
  const answer = await withLockedLoan(context.database, key, now, work)
  await expectInvariantsHold(context)
  return answer
}
const pay = (reference: string, rupees: number, date: string, purpose: PaymentPurpose | null = null) =>
  onLoan((loan) => recordPayment(loan, { mode: 'neft', reference, amountPaise: rupeesToPaise(rupees), date: toDay(date), purpose }))
const takeBack = (reference: string) => onLoan((loan) => reversePayment(loan, 'neft', reference))
const waive = (chargeId: string, date = '2026-11-20') => onLoan((loan) => waiveCharge(loan, chargeId, toDay(date)))
const state = () => onLoan(async ({ own: { facts } }) => loanStateDuring(facts, '2026-11-20' as Day))
const ledger = () => onLoan(async ({ sql, own: { loan } }) => (await readLedger(sql, loan)).transactions)
const kinds = async () => (await ledger()).map(({ kind }) => kind)
/** The balance of an account: credits less debits, in rupees. */
const balance = async (account: string) =>
  Number(
    (await ledger()).flatMap(({ lines }) => lines).reduce((sum, line) => (line.account === account ? sum + line.amountPaise : sum), 0n),
  ) / 100
const shown = (lines: readonly Line[]) =>
  netLines(lines).map(({ account, amountPaise, instalmentNumber, chargeId }) => [
    account,
    Number(amountPaise) / 100,
    instalmentNumber ?? chargeId,
  ])

describe('a payment', () => {
  it('is posted to interest and principal of the oldest instalment', async () => {
    await pay('U1', 10_662, '2026-07-05')
    const posted = (await ledger()).at(-1)
    expect(posted).toMatchObject({ kind: 'repayment', sequence: 2n, sourceId: 'U1', valueDate: '2026-07-05' })
    expect(shown(posted?.lines ?? [])).toEqual([
      ['collection_bank', -10_662, null],
      ['interest', 1_200, 1],
      ['principal', 9_462, 1],
    ])
  })
  it('is posted once: recording it again returns the first posting', async () => {
    const first = await pay('U1', 10_662, '2026-07-05')
    expect(await pay('U1', 10_662, '2026-07-05')).toEqual({ ...first, isNew: false })
    expect(await kinds()).toEqual(['disbursal', 'repayment'])
  })
  it.each([
    ['amount', { rupees: 10_663, date: '2026-07-05', purpose: null }],
    ['date', { rupees: 10_662, date: '2026-07-06', purpose: null }],
    ['purpose', { rupees: 10_662, date: '2026-07-05', purpose: 'OVERDUE' as const }],
  ])('under the same reference with another %s is refused, and changes nothing', async (_what, { rupees, date, purpose }) => {
    await pay('U1', 10_662, '2026-07-05')
    await expect(pay('U1', rupees, date, purpose)).rejects.toMatchObject({ reason: 'reference_taken' })
    expect(await kinds()).toEqual(['disbursal', 'repayment'])
  })
  it('under the same reference for another loan of the borrower is refused', async () => {
    await pay('U1', 10_662, '2026-07-05')
    key = await addLoan(context.database, now, key.borrowerId, { ...terms, lan: `${key.lan}-2` })
    await expect(pay('U1', 10_662, '2026-07-05')).rejects.toMatchObject({ reason: 'reference_taken' })
  })
  it('fifty times at once is posted once', async () => {
    const once = () =>
      withLockedLoan(context.database, key, now, (loan) =>
        recordPayment(loan, {
          mode: 'neft',
          reference: 'U1',
          amountPaise: rupeesToPaise(10_662),
          date: toDay('2026-07-05'),
          purpose: null,
        }),
      )
    const answers = await Promise.all(Array.from({ length: 50 }, once))
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(new Set(answers.map(({ paymentId }) => paymentId)).size).toBe(1)
    expect(await kinds()).toEqual(['disbursal', 'repayment'])
  })
  it.each([
    ['before the first disbursal', '2026-06-04', 100],
    ['ahead of today', '2026-11-21', 100],
    ['of nothing', '2026-11-20', 0],
  ])('%s is refused', async (_what, date, rupees) => {
    await expect(pay('U1', rupees, date)).rejects.toThrow(LedgerRefusal)
    expect(await kinds()).toEqual(['disbursal'])
  })
  it('beyond what is due becomes credit, which the next due date uses', async () => {
    await pay('U1', 15_000, '2026-07-05')
    // 10,662 for July, 4,338 as credit. August used the credit on the 5th; it is posted with the
    // next transaction.
    await pay('U2', 6_324, '2026-08-05')
    expect(await kinds()).toEqual(['disbursal', 'repayment', 'adjustment', 'repayment'])
    expect(await balance('excess')).toBe(0)
  })
})

describe('a late charge', () => {
  it('enters the ledger, and the charges, with the payment that settles it', async () => {
    expect(await kinds()).toEqual(['disbursal'])
    // July to November are due with four late charges settled last.
    await pay('U1', 5 * 10_662 + 500, '2026-11-20')
    expect(await kinds()).toEqual(['disbursal', 'charge', 'repayment'])
    const rows = await onLoan(({ sql, own: { loan } }) =>
      sql
        .selectFrom('charges')
        .select(['charge_id', 'derived', 'amount_paise', 'charged_on'])
        .where('loan_id', '=', loan.loan_id)
        .execute(),
    )
    expect(rows).toEqual([{ charge_id: 'late:2026-07-05', derived: true, amount_paise: 50_000n, charged_on: '2026-07-09' }])
    expect([await balance('charges'), await balance('charges_income')]).toEqual([0, 500])
  })
  it('is reversed when a back-dated payment shows that the instalment was paid in time', async () => {
    await pay('U1', 5 * 10_662 + 500, '2026-11-20')
    await pay('U0', 10_662, '2026-07-05')
    expect((await state()).derivedCharges.map(({ chargeId }) => chargeId)).not.toContain('late:2026-07-05')
    expect(await balance('charges_income')).toBe((await state()).derivedCharges.length * 500)
  })
  it('of which the rest was waived takes no money once a back-dated payment shows that the instalment was paid in time', async () => {
    await pay('U1', 10_862, '2026-07-10')
    expect(await waive('late:2026-07-05', '2026-07-11')).toBe(30_000n)
    await pay('U2', 10_662, '2026-07-04')
    expect([await balance('charges'), await balance('waivers')]).toEqual([0, -500])
    expect(await waive('late:2026-07-05')).toBeNull()
  })
  it('is waived before it was ever paid', async () => {
    expect(await waive('late:2026-07-05')).toBe(50_000n)
    expect(await kinds()).toEqual(['disbursal', 'charge', 'waiver'])
    expect([await balance('charges'), await balance('waivers')]).toEqual([0, -500])
    expect(await waive('late:2026-07-05')).toBeNull()
    expect(await kinds()).toEqual(['disbursal', 'charge', 'waiver'])
  })
})

describe('a charge', () => {
  const add = (more: object = {}) => {
    const charge = {
      chargeId: 'charge:b1',
      date: toDay('2026-06-20'),
      chargeType: 'BOUNCE_CHARGE',
      amountPaise: rupeesToPaise(500),
      penal: false,
      ...more,
    }
    return onLoan((loan) =>
      addCharges(loan, [charge, { ...charge, chargeId: 'charge:b1:tax', chargeType: 'BOUNCE_CHARGE_TAX', amountPaise: rupeesToPaise(90) }]),
    )
  }
  it('is owed from its day, its tax to the state', async () => {
    expect(await add()).toBe(true)
    expect([await balance('charges'), await balance('charges_income'), await balance('tax')]).toEqual([-590, 500, 90])
    expect(await add()).toBe(false)
  })
  it('under the same id with another amount is refused', async () => {
    await add()
    await expect(add({ amountPaise: rupeesToPaise(501) })).rejects.toThrow('was added before with another')
  })
  it('cannot have an id that looks like a posting repeated by the ledger', async () => {
    await expect(add({ chargeId: 'charge:INV#12' })).rejects.toThrow('cannot end with # and digits')
  })
  it('dated before a payment reallocates the payment', async () => {
    await pay('U1', 11_252, '2026-07-05')
    // Before this, August got the rest as credit.
    expect(await kinds()).toEqual(['disbursal', 'repayment', 'adjustment'])
    await add()
    expect((await kinds()).slice(3)).toEqual(['reversal', 'charge', 'charge', 'reallocation'])
    expect([await balance('charges'), await balance('excess')]).toEqual([0, 0])
  })
  it('is waived for its unpaid part with the tax of that, which is no longer payable', async () => {
    await add()
    await pay('U1', 10_662 + 200, '2026-07-05')
    // ₹300, and the tax of that. What was paid keeps its tax, which can be waived too.
    expect(await waive('charge:b1')).toBe(30_000n + 5_400n)
    expect([await balance('charges'), await balance('tax'), await balance('waivers')]).toEqual([-36, 36, -300])
    expect(await waive('charge:b1:tax')).toBe(3_600n)
    expect([await balance('charges'), await balance('tax'), await balance('waivers')]).toEqual([0, 0, -300])
  })
  it('whose rest is waived on the day on which a part was paid keeps that part', async () => {
    await add()
    await pay('U1', 200, '2026-06-21')
    expect(await waive('charge:b1', '2026-06-21')).toBe(35_400n)
    const paid = (await ledger()).find(({ sourceId }) => sourceId === 'U1')
    expect(shown(paid?.lines ?? [])).toEqual([
      ['collection_bank', -200, null],
      ['charges', 200, 'charge:b1'],
    ])
    expect([await kinds(), await balance('waivers')]).toEqual([['disbursal', 'charge', 'charge', 'repayment', 'waiver', 'waiver'], -300])
    // Money that the bank takes back is owed again; the waiver stays what was decided.
    await takeBack('U1')
    expect([await balance('waivers'), await balance('charges')]).toEqual([-300, -236])
    // The lender can waive that too, once.
    expect(await waive('charge:b1')).toBe(23_600n)
    expect([await balance('waivers'), await balance('charges')]).toEqual([-500, 0])
    expect(await waive('charge:b1')).toBeNull()
  })
  it('raised in error is taken back with its tax, also what was paid of it: that is credit', async () => {
    const takeBackError = (chargeId = 'charge:b1') => onLoan((loan) => takeBackCharge(loan, chargeId))
    await add()
    await pay('U1', 590, '2026-06-21')
    await expect(waive('charge:b1')).rejects.toThrow('no open charge')
    expect(await takeBackError()).toBe(59_000n)
    expect(await balance('charges')).toBe(0)
    expect([await balance('waivers'), await balance('tax')]).toEqual([-500, 0])
    // The instalment of 5 July has taken it since.
    expect((await state()).rows[0]).toMatchObject({ status: 'Late', paidInterestPaise: rupeesToPaise(590) })
    expect(await takeBackError()).toBeNull()
    await expect(takeBackError('charge:none')).rejects.toThrow('has no charge charge:none')
  })
  it('that was waived, and then paid by a payment of an earlier day, is taken back too', async () => {
    await add()
    expect(await waive('charge:b1', '2026-06-25')).toBe(59_000n)
    await pay('U1', 590, '2026-06-21')
    expect(await onLoan((loan) => takeBackCharge(loan, 'charge:b1'))).toBe(59_000n)
    expect((await state()).rows[0]).toMatchObject({ paidInterestPaise: rupeesToPaise(590) })
  })
  it('that was waived in part is taken back wholly, and the notice names the rest', async () => {
    await add()
    await pay('U1', 200, '2026-06-21')
    expect(await waive('charge:b1', '2026-06-21')).toBe(35_400n)
    expect(await onLoan((loan) => takeBackCharge(loan, 'charge:b1'))).toBe(23_600n)
    expect([await balance('waivers'), await balance('charges'), await balance('tax')]).toEqual([-500, 0, 0])
  })
  it.each([
    ['that does not exist', 'charge:none', '2026-11-20'],
    ['before its day', 'charge:b1', '2026-06-19'],
    ['ahead of today', 'charge:b1', '2026-11-21'],
  ])('%s cannot be waived', async (_what, chargeId, date) => {
    await add()
    await expect(waive(chargeId, date)).rejects.toThrow(LedgerRefusal)
  })
  it.each([
    ['dated ahead', { date: toDay('2026-11-21') }],
    ['dated before the loan', { date: toDay('2026-06-04') }],
  ])('%s is refused', async (_what, more) => {
    await expect(add(more)).rejects.toThrow(LedgerRefusal)
    expect(await kinds()).toEqual(['disbursal'])
  })
})

describe('a back-dated payment', () => {
  it('reallocates the payments that were posted before it', async () => {
    await pay('U2', 10_662, '2026-08-05')
    expect((await ledger()).at(-1)?.lines.some(({ instalmentNumber }) => instalmentNumber === 1)).toBe(true)
    await pay('U1', 10_662, '2026-07-05')
    expect(await kinds()).toEqual(['disbursal', 'repayment', 'repayment', 'reallocation'])
    const moved = (await ledger()).at(-1)
    expect(shown(moved?.lines ?? [])).toEqual(
      expect.arrayContaining([
        ['interest', -1_200, 1],
        ['principal', -9_462, 1],
        ['interest', 1_105.38, 2],
        ['principal', 9_556.62, 2],
      ]),
    )
  })
  it('leaves the same balances as in the order of the dates', async () => {
    const days = ['2026-07-05', '2026-08-07', '2026-09-01', '2026-10-20'] as const
    const balances = async () => [
      await balance('principal'),
      await balance('interest'),
      await balance('charges_income'),
      await balance('excess'),
      await balance('collection_bank'),
    ]
    for (const [index, day] of days.entries()) await pay(`U${index}`, 11_000, day)
    const inOrder = await balances()
    await open()
    for (const [index, day] of [...days.entries()].reverse()) await pay(`U${index}`, 11_000, day)
    expect(await balances()).toEqual(inOrder)
  })
})

describe('a tranche of the past', () => {
  const disburseInJune = () =>
    onLoan((loan) => disburse(loan, { date: toDay('2026-06-20'), amountPaise: rupeesToPaise(50_000), reference: 'TR-2' }))

  it('leaves later payments that paid their instalments as they are', async () => {
    await open({ sanctionedRupees: 200_000 })
    await pay('U1', 10_662, '2026-07-05')
    await pay('U2', 10_662, '2026-08-05')
    await disburseInJune()
    expect(await kinds()).not.toContain('reallocation')
    expect((await state()).disbursedPaise).toBe(17_000_000n)
  })

  it('reallocates a later payment of a part', async () => {
    await open({ sanctionedRupees: 200_000 })
    await pay('U1', 10_662, '2026-07-05')
    await pay('U2', 5_000, '2026-08-05')
    await disburseInJune()
    expect(await kinds()).toContain('reallocation')
  })
})

describe('a reversal', () => {
  it('negates a payment exactly, and once', async () => {
    const { paymentId } = await pay('U1', 10_662, '2026-07-05')
    expect(await takeBack('U1')).toMatchObject({ paymentId, amountPaise: 1_066_200n })
    expect(await kinds()).toEqual(['disbursal', 'repayment', 'reversal'])
    expect([await balance('principal'), await balance('interest'), await balance('collection_bank')]).toEqual([-120_000, 0, 0])
    await expect(takeBack('U1')).rejects.toThrow('reversed before')
    expect(await kinds()).toEqual(['disbursal', 'repayment', 'reversal'])
  })
  it('reallocates later payments', async () => {
    await pay('U1', 10_662, '2026-07-05')
    await pay('U2', 10_662, '2026-08-05')
    await takeBack('U1')
    expect(await kinds()).toEqual(['disbursal', 'repayment', 'repayment', 'reversal', 'reallocation'])
    expect((await state()).rows.slice(0, 2).map(({ status }) => status)).toEqual(['Paid', 'Late'])
  })
  it('negates a payment together with its reallocation', async () => {
    await pay('U2', 10_662, '2026-08-05')
    await pay('U1', 10_662, '2026-07-05')
    await takeBack('U2')
    expect(await balance('collection_bank')).toBe(-10_662)
    expect((await state()).rows[0]?.status).toBe('Paid')
  })
  it('of the payment that settled a late charge reverses the charge, and a later payment posts it again', async () => {
    await pay('U1', 5 * 10_662 + 500, '2026-11-20')
    await takeBack('U1')
    expect([await balance('charges_income'), await balance('charges')]).toEqual([0, 0])
    await pay('U2', 5 * 10_662 + 500, '2026-11-20')
    expect(await balance('charges_income')).toBe(500)
  })
  it('is refused for a payment that the loan does not have, and for a disbursal', async () => {
    await expect(takeBack('U9')).rejects.toThrow(LedgerRefusal)
    const disbursalId = (await ledger())[0]?.sourceId ?? ''
    await expect(onLoan((loan) => reversePayment(loan, 'disbursal', disbursalId))).rejects.toThrow('is no payment')
  })
})

describe('foreclosure and part payment', () => {
  it('close the loan and leave nothing outstanding', async () => {
    for (let month = 7; month <= 11; month++) await pay(`U${month}`, 10_662, `2026-${String(month).padStart(2, '0')}-05`)
    const { allowed } = await state()
    await pay('PAYOFF', Number(allowed.foreclosure?.amountPaise) / 100, '2026-11-20', 'FORECLOSURE')
    expect(await state()).toMatchObject({ status: 'CLOSED', principalOutstandingPaise: 0n })
    expect([await balance('principal'), await balance('excess')]).toEqual([0, 0])
  })
  it('reduce principal without an instalment', async () => {
    for (let month = 7; month <= 11; month++) await pay(`U${month}`, 10_662, `2026-${String(month).padStart(2, '0')}-05`)
    await pay('PART', 20_000, '2026-11-20', 'PART_PAYMENT__REDUCE_EMI')
    expect(shown((await ledger()).at(-1)?.lines ?? [])).toContainEqual(['principal', 20_000, null])
  })
})

describe('the serving login', () => {
  it.each([
    ['change', 'ledger_entries', 'update ledger_entries set credit_paise = credit_paise'],
    ['remove', 'ledger_entries', 'delete from ledger_entries'],
    ['change', 'ledger_transactions', "update ledger_transactions set actor_id = 'x'"],
    ['remove', 'ledger_transactions', 'delete from ledger_transactions'],
    ['change', 'payment_link_history', "update payment_link_history set to_status = 'paid'"],
    ['remove', 'payment_link_history', 'delete from payment_link_history'],
    ['change', 'access_log', "update access_log set action = 'x'"],
    ['remove', 'access_log', 'delete from access_log'],
    ['empty', 'ledger_entries', 'truncate ledger_entries'],
  ])('may not %s %s', async (_verb, _table, statement) => {
    const client = new pg.Client({ connectionString: context.databaseUrl })
    await client.connect()
    await expect(client.query(statement)).rejects.toThrow('permission denied')
    await client.end()
  })
  it('cannot insert a second reversal', async () => {
    await pay('U1', 10_662, '2026-07-05')
    await takeBack('U1')
    const second = raw`insert into ledger_transactions (borrower_id, loan_id, transaction_id, sequence, kind, source, source_id, value_date, posted_at, amount_paise, reverses_transaction_id, actor_id, request_hash, chain_hash)
      select borrower_id, loan_id, gen_random_uuid(), sequence + 10, kind, 'again', source_id, value_date, posted_at, amount_paise, reverses_transaction_id, actor_id, request_hash, chain_hash
      from ledger_transactions where kind = 'reversal' and loan_id = ${key.loanId}`
    await expect(context.database.asSystem((sql) => second.execute(sql))).rejects.toThrow('ledger_transactions_reversed_once')
  })
})

describe('a refused command', () => {
  it('leaves every balance as it was (I22)', async () => {
    await pay('U1', 10_662, '2026-07-05')
    const before = await ledger()
    await expect(pay('U1', 1, '2026-07-05')).rejects.toMatchObject({ reason: 'reference_taken' })
    await expect(pay('U2', 1, '2026-11-21')).rejects.toThrow(LedgerRefusal)
    await expect(takeBack('U3')).rejects.toThrow(LedgerRefusal)
    await expect(waive('charge:none')).rejects.toThrow(LedgerRefusal)
    expect(await ledger()).toEqual(before)
    expect(paise(before.reduce((sum, { lines }) => sum + lines.reduce((of, line) => of + line.amountPaise, 0n), 0n))).toBe(0n)
  })
})
