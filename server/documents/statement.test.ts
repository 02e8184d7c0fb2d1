import { expect, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { line } from '../ledger/lines.ts'
import type { Account } from '../ledger/accounts.ts'
import { paidByMonth, statementBetween } from './statement.ts'
import type { StatementKind, StatementTransaction } from './statement-store.ts'

/** A transaction on a day, by the rupees of its lines: a credit is positive. */
const transaction = (
  transactionId: string,
  kind: StatementKind,
  lines: Partial<Record<Account, number>>,
  rootId: string | null = null,
): StatementTransaction => ({
  transactionId,
  sequence: BigInt(transactionId.length),
  kind,
  rootId,
  valueDate: toDay('2026-04-05'),
  receivedOn: toDay('2026-04-05'),
  postedAt: new Date('2026-04-05T06:00:00Z'),
  source: 'test',
  sourceId: transactionId,
  purpose: null,
  bankReference: null,
  amountPaise: rupeesToPaise(0),
  lines: Object.entries(lines).map(([account, rupees]) => line(account as Account, rupeesToPaise(rupees))),
})
const day = toDay('2026-04-05')
const totalsOf = (...ledger: StatementTransaction[]) => statementBetween(ledger, day, day).totals
const rupees = (amount: number) => rupeesToPaise(amount)

it('what is waived reduces what was charged or lent, and nobody paid it', () => {
  const charged = transaction('charge', 'charge', { charges: -590, charges_income: 500, tax: 90 })
  const paid = transaction('paid', 'repayment', { provider_clearing: -1_100, interest: 100, principal: 1_000 })
  const waived = transaction('waiver', 'waiver', { charges: 500, waivers: -500 })
  const gst = transaction('gst', 'waiver', { charges: 90, tax: -90 })
  expect(totalsOf(charged, paid, waived, gst)).toMatchObject({ debited: 0n, principal: rupees(1_000), interest: rupees(100), charges: 0n })
  const rest = transaction('rest', 'adjustment', { principal: 300, interest: 20, charges: 590, waivers: -910 })
  expect(totalsOf(charged, paid, rest)).toMatchObject({
    debited: rupees(-300),
    principal: rupees(1_000),
    interest: rupees(100),
    charges: 0n,
  })
  const undone = transaction('undone', 'reversal', { principal: -300, interest: -20, charges: -590, waivers: 910 }, 'rest')
  expect(totalsOf(charged, paid, rest, undone)).toMatchObject({ debited: rupees(590), principal: rupees(1_000), charges: 0n })
})

it('interest added to principal is paid by nobody, also where the amount is corrected later', () => {
  const capitalised = transaction('capital', 'capitalisation', { principal: -2_400, interest: 2_400 })
  const corrected = transaction('less', 'reallocation', { principal: 100, interest: -100 }, 'capital')
  expect(totalsOf(capitalised, corrected)).toMatchObject({ debited: rupees(2_300), principal: 0n, interest: 0n })
})

it('interest counts as paid in the year in which the money was taken, with what reverses it', () => {
  const [march, april] = [toDay('2027-03-31'), toDay('2027-04-02')]
  // A debit of 31 March that was made on 2 April, and an earlier payment.
  const debit = { ...transaction('debit', 'repayment', { interest: 300, principal: 700 }), valueDate: march, receivedOn: april }
  const earlier = { ...transaction('earlier', 'repayment', { interest: 310, principal: 690 }), valueDate: march, receivedOn: march }
  const ledger = [debit, earlier]
  const years = (all: StatementTransaction[]) => [
    paidByMonth(all, toDay('2026-04-01'), march),
    paidByMonth(all, toDay('2027-04-01'), toDay('2028-03-31')),
  ]
  expect(years(ledger)).toEqual([
    [{ firstDay: '2027-03-01', principal: rupees(690), interest: rupees(310) }],
    [{ firstDay: '2027-04-01', principal: rupees(700), interest: rupees(300) }],
  ])
  expect(paidByMonth(ledger, toDay('2026-04-01'), april).map(({ firstDay }) => firstDay)).toEqual(['2027-03-01', '2027-04-01'])
  const undone = { ...transaction('undone', 'reversal', { interest: -300, principal: -700 }, 'debit'), valueDate: march, receivedOn: march }
  expect(years([...ledger, undone])[1]).toEqual([])
})

it('interest that is given back, and what it pays instead, belongs to the month whose payment billed it', () => {
  const on = (day: string, of: StatementTransaction) => ({ ...of, valueDate: toDay(day), receivedOn: toDay(day) })
  const [february, march] = [
    on('2027-02-05', transaction('february', 'repayment', { interest: 310, principal: 690 })),
    on('2027-03-20', transaction('march', 'repayment', { interest: 300, principal: 700 })),
  ]
  const rebate = on('2027-04-02', transaction('rebate', 'adjustment', { interest: -400, principal: 350, charges: 50 }))
  const closing = on('2027-04-02', transaction('closing', 'repayment', { principal: 5_000 }))
  const later = on('2027-05-05', transaction('later', 'repayment', { interest: 100, principal: 900 }))
  const paid = (...all: StatementTransaction[]) =>
    paidByMonth(all, toDay('2027-02-01'), toDay('2027-05-31')).map(({ firstDay, ...of }) => [firstDay.slice(0, 7), of])
  const ledger = [february, march, rebate, closing, later]
  expect(paid(...ledger)).toEqual([
    ['2027-02', { principal: rupees(740), interest: rupees(210) }],
    ['2027-03', { principal: rupees(1_000), interest: rupees(0) }],
    ['2027-04', { principal: rupees(5_000), interest: rupees(0) }],
    ['2027-05', { principal: rupees(900), interest: rupees(100) }],
  ])
  const undone = on('2027-04-02', transaction('undone', 'reversal', { interest: 400, principal: -350, charges: -50 }, 'rebate'))
  expect(paid(...ledger, undone)[1]).toEqual(['2027-03', { principal: rupees(700), interest: rupees(300) }])
})
