import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays, toDay, type Day } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import type { AllocationLine, LoanFacts, LoanState } from './loans.ts'
import { paise, rupeesToPaise, type Paise } from './money.ts'
import { chargeTypeOf, chargeTypesOf, partNames, partsOf, quoteOutcome, quoteParts, type PaymentPart } from './payment-parts.ts'
import { refusePayment, type AllowedPayments, type AmountParts, type PaymentPurpose } from './payments.ts'
import { randomLoan } from './random-loan.testing.ts'

const seed = 20_261_120
const total = (parts: readonly PaymentPart[], component?: PaymentPart['component']): bigint =>
  parts.filter((part) => component === undefined || part.component === component).reduce((sum, part) => sum + part.amountPaise, 0n)

/** Every payment that is on offer, a part payment at both its ends. */
function offers({ overdue, nextEmi, foreclosure, partPayment }: AllowedPayments): [PaymentPurpose, Paise, AmountParts | null][] {
  return [
    ...(overdue.amountPaise > 0n ? [['OVERDUE', overdue.amountPaise, overdue.parts] as [PaymentPurpose, Paise, AmountParts]] : []),
    ...(nextEmi ? [['PAY_EMI', nextEmi.amountPaise, nextEmi.parts] as [PaymentPurpose, Paise, AmountParts]] : []),
    ...(foreclosure ? [['FORECLOSURE', foreclosure.amountPaise, foreclosure.parts] as [PaymentPurpose, Paise, AmountParts]] : []),
    ...(partPayment.maxPaise > 0n
      ? ([
          ['PART_PAYMENT__REDUCE_EMI', partPayment.minPaise, null],
          ['PART_PAYMENT__REDUCE_TENOR', partPayment.maxPaise, null],
        ] as [PaymentPurpose, Paise, null][])
      : []),
  ]
}

describe('the parts of a quote', () => {
  it('add up to the amount, and are those of the offer, for every offer of many loans', () => {
    const seen = new Set<PaymentPurpose>()
    fc.assert(
      fc.property(fc.nat(), fc.nat(20), fc.nat(40), (loanSeed, events, later) => {
        const { facts, last } = randomLoan(loanSeed, events)
        const day = addDays(last, later)
        for (const [purpose, amountPaise, parts] of offers(loanStateDuring(facts, day).allowed)) {
          seen.add(purpose)
          const quoted = quoteParts(facts, day, day, purpose, amountPaise)
          expect(total(quoted)).toBe(amountPaise)
          for (const part of quoted) expect(part.amountPaise).toBeGreaterThan(0n)
          // What is on offer leaves nothing over.
          expect(total(quoted, 'credit')).toBe(0n)
          if (parts !== null) expect(sums(quoted)).toEqual(sumsOf(parts))
        }
      }),
      { seed, numRuns: 300 },
    )
    expect([...seen].toSorted()).toEqual(['FORECLOSURE', 'OVERDUE', 'PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR', 'PAY_EMI'])
  })

  const sums = (parts: readonly PaymentPart[]) => ({
    principal: total(parts, 'principal'),
    interest: total(parts, 'interest'),
    charges: total(parts, 'charges') + total(parts, 'tax'),
  })
  const sumsOf = ({ principalPaise, interestPaise, chargesPaise, taxPaise }: AmountParts) => ({
    principal: principalPaise as bigint,
    interest: interestPaise as bigint,
    charges: chargesPaise + taxPaise,
  })

  const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2026-02-05' })
  const loan = (more: Partial<LoanFacts> = {}) => factsOf(terms, [['2026-01-05', 120_000]], [], more)
  const day = toDay('2026-03-01')
  const offer = (facts: LoanFacts, on = day) => loanStateDuring(facts, on).allowed

  it('name the instalment and its day', () => {
    const [interest, principal] = quoteParts(
      loan(),
      toDay('2026-01-20'),
      toDay('2026-01-20'),
      'PAY_EMI',
      offer(loan(), toDay('2026-01-20')).nextEmi?.amountPaise ?? paise(0n),
    )
    expect([interest, principal]).toMatchObject([
      { component: 'interest', instalmentNumber: 1, dueDate: '2026-02-05', chargeType: null, amountPaise: 120_000n },
      { component: 'principal', instalmentNumber: 1, dueDate: '2026-02-05' },
    ])
  })

  it('name the charges, and keep tax apart', () => {
    const facts = loan({
      charges: [
        chargeOf('c1', '2026-02-10', 118, { chargeType: 'BOUNCE_CHARGE' }),
        chargeOf('c2', '2026-02-10', 18, { chargeType: 'BOUNCE_CHARGE_TAX' }),
      ],
    })
    const parts = quoteParts(facts, day, day, 'OVERDUE', offer(facts).overdue.amountPaise)
    expect(parts.slice(2)).toEqual([
      { component: 'charges', instalmentNumber: null, dueDate: null, chargeType: 'BOUNCE_CHARGE', amountPaise: rupeesToPaise(118) },
      { component: 'tax', instalmentNumber: null, dueDate: null, chargeType: 'BOUNCE_CHARGE_TAX', amountPaise: rupeesToPaise(18) },
    ])
  })

  it('of a foreclosure tell what is overdue by its instalment, and the rest as principal before its time', () => {
    const facts = loan()
    const amountPaise = offer(facts).foreclosure?.amountPaise ?? paise(0n)
    expect(refusePayment(offer(facts), 'FORECLOSURE', amountPaise)).toBeNull()
    const parts = quoteParts(facts, day, day, 'FORECLOSURE', amountPaise)
    expect(parts.map(({ component, instalmentNumber }) => [component, instalmentNumber])).toEqual([
      ['interest', 1],
      ['principal', 1],
      ['interest', null],
      ['principal', null],
    ])
  })

  it('name a foreclosure’s last row where it fell due by then, and the last instalment when it is paid ahead', () => {
    const named = (parts: readonly PaymentPart[]) => parts.map(({ component, instalmentNumber }) => [component, instalmentNumber])
    const short = factsOf(termsOf({ annualRatePercent: 12, instalments: 1, firstDueDate: '2026-02-05' }), [['2026-01-05', 1_000]])
    const paid = (on: string, purpose: PaymentPurpose, rupees: number) =>
      named(quoteParts(short, toDay(on), toDay(on), purpose, rupeesToPaise(rupees)))
    expect(paid('2026-02-05', 'FORECLOSURE', 1_010)).toEqual([
      ['interest', 1],
      ['principal', 1],
    ])
    expect(paid('2026-02-04', 'FORECLOSURE', 1_010)).toEqual([
      ['interest', null],
      ['principal', null],
      ['credit', null],
    ])
    expect(paid('2026-02-04', 'PAY_EMI', 1_010)).toEqual([
      ['interest', 1],
      ['principal', 1],
    ])
  })

  it('of an instalment paid ahead keep its name when the loan is foreclosed before it falls due', () => {
    const day = toDay('2026-01-20')
    const facts = factsOf(
      terms,
      [['2026-01-05', 120_000]],
      [
        ['2026-01-10', 10_662, 'PAY_EMI'],
        ['2026-01-20', 120_000, 'FORECLOSURE'],
      ],
    )
    const state = loanStateDuring(facts, day)
    expect([state.status, ...partNames(facts, state, day).dueDates]).toEqual(['CLOSED', [1, '2026-02-05']])
  })

  it('of a foreclosure keep the prepayment charge and its tax apart, by their names', () => {
    const facts = { ...loan(), terms: { ...terms, prepaymentCharge: { ratePpb: 20_000_000, taxRatePpb: 180_000_000 } } }
    const on = toDay('2026-01-05')
    const parts = quoteParts(facts, on, on, 'FORECLOSURE', rupeesToPaise(122_832))
    expect(parts.map(({ component, chargeType, amountPaise }) => [component, chargeType, amountPaise])).toEqual([
      ['principal', null, rupeesToPaise(120_000)],
      ['charges', 'PREPAYMENT_CHARGE', rupeesToPaise(2_400)],
      ['tax', 'PREPAYMENT_CHARGE_TAX', rupeesToPaise(432)],
    ])
  })

  it('are of this payment, whatever earlier ones paid', () => {
    const facts = factsOf(terms, [['2026-01-05', 120_000]], [['2026-01-10', 10_662, 'PAY_EMI']])
    const on = toDay('2026-01-20')
    expect(quoteParts(facts, on, on, 'PAY_EMI', rupeesToPaise(10_662)).map(({ instalmentNumber }) => instalmentNumber)).toEqual([2, 2])
  })

  it('hold the late charge of the day, unless the quote was made on the evening before (decision 55)', () => {
    const facts = { ...loan(), terms: { ...terms, lateCharge: { graceDays: 3, amountPaise: rupeesToPaise(500) } } }
    const on = toDay('2026-02-09')
    const charges = (madeOn: string) => total(quoteParts(facts, on, toDay(madeOn), 'OVERDUE', rupeesToPaise(11_162)), 'charges')
    expect([charges('2026-02-08'), charges('2026-02-09'), charges('2026-02-10')]).toEqual([0n, 50_000n, 50_000n])
  })
})

describe('the parts of an allocation', () => {
  const names = {
    dueDates: new Map([
      [1, toDay('2026-02-05')],
      [2, toDay('2026-03-05')],
    ]),
    chargeTypes: new Map([
      ['c1', 'BOUNCE_CHARGE'],
      ['c2', 'BOUNCE_CHARGE'],
      ['t1', 'BOUNCE_CHARGE_TAX'],
    ]),
  }
  const line = (component: AllocationLine['component'], instalmentNumber: number | null, chargeId: string | null, amount: bigint) => ({
    component,
    instalmentNumber,
    chargeId,
    amountPaise: paise(amount),
  })
  const shown = (...lines: AllocationLine[]) =>
    partsOf(lines, names).map(({ component, instalmentNumber, dueDate, chargeType, amountPaise }) => [
      component,
      instalmentNumber,
      dueDate,
      chargeType,
      amountPaise,
    ])

  it('put lines of one instalment or charge together, and keep others apart, in their order', () => {
    expect(
      shown(
        line('interest', 1, null, 5n),
        line('interest', 2, null, 7n),
        line('charge', null, 'c1', 20n),
        line('interest', 1, null, 6n),
        line('principal', 1, null, 9n),
        line('charge', null, 'c2', 30n),
        line('charge', null, 'c1', 1n),
        line('charge', null, 't1', 3n),
      ),
    ).toEqual([
      ['interest', 1, '2026-02-05', null, 11n],
      ['interest', 2, '2026-03-05', null, 7n],
      ['charges', null, null, 'BOUNCE_CHARGE', 21n],
      ['principal', 1, '2026-02-05', null, 9n],
      ['charges', null, null, 'BOUNCE_CHARGE', 30n],
      ['tax', null, null, 'BOUNCE_CHARGE_TAX', 3n],
    ])
  })

  it('tell rows without a name together, as principal before its time', () => {
    expect(shown(line('principal', 8, null, 5n), line('principal', null, null, 6n))).toEqual([['principal', null, null, null, 11n]])
  })

  it('call excess credit and what goes back a refund; a charge that nobody knows is a charge', () => {
    expect(shown(line('excess', null, null, 5n), line('held', null, null, 6n), line('charge', null, 'gone', 7n))).toEqual([
      ['credit', null, null, null, 5n],
      ['refund', null, null, null, 6n],
      ['charges', null, null, null, 7n],
    ])
  })

  it('leave out what was given and taken again', () => {
    expect(shown(line('interest', 1, null, 5n), line('interest', 1, null, -5n), line('principal', 1, null, 1n))).toEqual([
      ['principal', 1, '2026-02-05', null, 1n],
    ])
  })
})

describe('what became of a quoted payment', () => {
  const part = (amountPaise: bigint) =>
    ({ component: 'charge', instalmentNumber: null, chargeId: 'late:2026-11-05', amountPaise: paise(amountPaise) }) as const
  const adjustment = (reason: LoanState['adjustments'][number]['reason'], paymentId: string | null, ...amounts: bigint[]) => ({
    date: toDay('2026-11-05'),
    reason,
    paymentId,
    lines: amounts.map(part),
  })
  const state = {
    shortForeclosures: [{ paymentId: 'p1', shortPaise: paise(250n) }],
    adjustments: [
      adjustment('late_charge_within_quote', 'p2', 300n, 200n),
      adjustment('late_charge_within_quote', 'p2', 40n),
      adjustment('late_charge_within_quote', 'p3', 7n),
      adjustment('interest_waived', 'p2', 5n),
      adjustment('interest_waived', 'p1', 9n),
    ],
  } as unknown as LoanState

  it.each([
    ['p1', { shortPaise: 250n, waivedPaise: 0n }],
    ['p2', { shortPaise: null, waivedPaise: 540n }],
    ['p4', { shortPaise: null, waivedPaise: 0n }],
  ])('%s: its own shortfall, and the late charges waived for it', (payment, outcome) => {
    expect(quoteOutcome(state, payment)).toEqual(outcome)
  })
})

it('the types of charges are those that were added and those that follow from the loan', () => {
  const late = { chargeId: 'late:2026-11-05', chargeType: 'LATE_PAYMENT_CHARGE' }
  const added = { chargeId: 'charge:1', chargeType: 'BOUNCE_CHARGE' }
  const types = chargeTypesOf({ charges: [added] } as unknown as LoanFacts, { derivedCharges: [late] } as unknown as LoanState)
  expect([...types]).toEqual([
    ['late:2026-11-05', 'LATE_PAYMENT_CHARGE'],
    ['charge:1', 'BOUNCE_CHARGE'],
  ])
})

it('a charge that has lost its cause keeps its name in what was posted, and its tax is tax', () => {
  const names = { dueDates: new Map<number, Day>(), chargeTypes: new Map([['late:2026-03-05', 'OWN_NAME']]) }
  const ids = ['late:2026-03-05', 'late:2026-02-05', 'prepayment_charge:2026-02-20', 'prepayment_charge_tax:2026-02-20', 'fee-1']
  expect(ids.map((id) => chargeTypeOf(names.chargeTypes, id))).toEqual([
    'OWN_NAME',
    'LATE_PAYMENT_CHARGE',
    'PREPAYMENT_CHARGE',
    'PREPAYMENT_CHARGE_TAX',
    null,
  ])
  const lines = ids.map((chargeId) => ({ component: 'charge', instalmentNumber: null, chargeId, amountPaise: paise(100n) }) as const)
  expect(partsOf(lines, names).map(({ component }) => component)).toEqual(['charges', 'charges', 'charges', 'tax', 'charges'])
})
