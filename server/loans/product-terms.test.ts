import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { toDay } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { educationLoan } from '#testkit/builders.ts'
import {
  findChargeFault,
  findNewProductFault,
  findSanctionFault,
  isDisclosedCharge,
  isForEducation,
  productTerms,
} from './product-terms.ts'

const { rate_type: _type, ...plain } = educationLoan
const floating = { type: 'floating', benchmark: 'RBI_REPO', spread_ppb: 47_500_000, reset_months: 3, instalments_max: 180 }
const charge = { percent: 2, tax_percent: 18 }
const terms = (more: object) => z.decode(productTerms, { ...plain, ...more } as z.input<typeof productTerms>)

describe('a product to be loaded', () => {
  it.each<[string, object, RegExp | null]>([
    ['with a floating rate', { rate: floating }, null],
    ['with a fixed rate', { rate: { type: 'fixed' } }, null],
    ['with the kind of rate of earlier products', { rate_type: 'fixed' }, null],
    ['without a rate', {}, /rate is missing/],
    ['with two kinds of rate', { rate: floating, rate_type: 'fixed' }, /differ/],
    ['with a floating rate that follows nothing', { rate_type: 'floating' }, /needs rate with/],
    ['with a prepayment charge on a floating rate', { rate: floating, prepayment_charge: charge }, /must not have a prepayment charge/],
    ['the same, sanctioned until 2026', { rate: floating, prepayment_charge: charge, sanctioned_until: '2026-01-01' }, /must not/],
    ['the same, sanctioned until 2025', { rate: floating, prepayment_charge: charge, sanctioned_until: '2025-12-31' }, null],
    ['with a prepayment charge on a fixed rate', { rate: { type: 'fixed' }, prepayment_charge: charge }, null],
    [
      'with a late charge that it does not disclose',
      { rate: floating, disclosed_charges: ['VISIT_CHARGE'] },
      /list what the product raises: LATE_PAYMENT_CHARGE$/,
    ],
    [
      'with a prepayment charge that it does not disclose',
      { rate: { type: 'fixed' }, prepayment_charge: charge, disclosed_charges: ['LATE_PAYMENT_CHARGE'] },
      /raises: PREPAYMENT_CHARGE$/,
    ],
    ['without a name', { rate: floating, name: ' ' }, /^name is empty$/],
    ['with no grace', { rate: floating, late_charge: { grace_days: 0, amount: 100_000 } }, null],
    ['with a year of grace', { rate: floating, late_charge: { grace_days: 365, amount: 0.01 } }, null],
    [
      'with a late charge before the due day',
      { rate: floating, late_charge: { grace_days: -1, amount: 500 } },
      /grace_days must be from 0/,
    ],
    [
      'with more than a year of grace',
      { rate: floating, late_charge: { grace_days: 366, amount: 500 } },
      /grace_days must be from 0 to 365$/,
    ],
    ['with a late charge of nothing', { rate: floating, late_charge: { grace_days: 3, amount: 0 } }, /late_charge.amount must be above 0/],
    ['with one above a lakh', { rate: floating, late_charge: { grace_days: 3, amount: 100_000.01 } }, /amount must be .* at most 100000$/],
    ['with links of less than the provider makes', { rate: floating, link_maximum: 0.99 }, /^link_maximum must be at least 1$/],
  ])('%s', (_name, more, fault) => {
    const found = findNewProductFault(terms(more))
    if (fault === null) expect(found).toBeNull()
    else expect(found).toMatch(fault)
  })

  it.each<[string, object]>([
    ['a benchmark in small letters', { benchmark: 'repo' }],
    ['a spread that is no whole number', { spread_ppb: 0.5 }],
    ['no months', { reset_months: 0 }],
    ['too many instalments', { instalments_max: 601 }],
  ])('is malformed with %s', (_name, more) => {
    expect(z.safeDecode(productTerms, { ...plain, rate: { ...floating, ...more } } as never).success).toBe(false)
  })
})

it('a product that names no maximum of a payment link has ₹5,00,000', () => {
  const { link_maximum: _maximum, ...unnamed } = plain
  expect(z.decode(productTerms, unnamed).link_maximum).toBe(rupeesToPaise(500_000))
  expect(terms({ link_maximum: 200_000 }).link_maximum).toBe(rupeesToPaise(200_000))
})

describe('a sanction', () => {
  const old = terms({ rate: floating, prepayment_charge: charge, sanctioned_until: '2025-12-31' })
  it('is refused after the last day of the product', () => {
    expect(findSanctionFault(old, toDay('2025-12-31'))).toBeNull()
    expect(findSanctionFault(old, toDay('2026-01-01'))).toMatch(/newer version/)
  })
})

describe('a charge that no loan may have', () => {
  const [fixed, follows] = [terms({ rate: { type: 'fixed' } }), terms({ rate: floating })]
  it.each([
    ['a prepayment charge of a floating rate', follows, 'PREPAYMENT_CHARGE', '2026-01-01', /no prepayment charge/],
    ['its tax', follows, 'PREPAYMENT_CHARGE_TAX', '2026-01-01', /no prepayment charge/],
    ['the tax of a late charge', fixed, 'LATE_PAYMENT_CHARGE_TAX', '2026-01-01', /no GST/],
  ])('%s', (_name, product, type, sanctionedOn, fault) => {
    expect(findChargeFault(product, type, toDay(sanctionedOn))).toMatch(fault)
  })
  it.each([
    ['a prepayment charge of a floating rate, sanctioned before 2026', follows, 'PREPAYMENT_CHARGE', '2025-12-31'],
    ['a prepayment charge of a fixed rate', fixed, 'PREPAYMENT_CHARGE', '2026-01-01'],
    ['a late charge', follows, 'LATE_PAYMENT_CHARGE', '2026-01-01'],
  ])('not %s', (_name, product, type, sanctionedOn) => {
    expect(findChargeFault(product, type, toDay(sanctionedOn))).toBeNull()
  })
})

describe('the charges of the key facts statement', () => {
  const listed = terms({ rate: floating, disclosed_charges: ['CHEQUE_BOUNCE'] })
  it.each([
    ['CHEQUE_BOUNCE', true],
    ['CHEQUE_BOUNCE_TAX', true],
    ['LEGAL_FEE', false],
    ['_TAX', false],
  ])('%s is listed: %s', (type, isListed) => {
    expect(isDisclosedCharge(listed, type)).toBe(isListed)
    expect(isDisclosedCharge(terms({ rate: floating, disclosed_charges: undefined }), type)).toBeNull()
  })
})

it('loans are for education unless the product says otherwise', () => {
  expect(
    [{}, { purpose: 'education' }, { purpose: 'other' }].map((more) => isForEducation(terms({ purpose: undefined, ...more }))),
  ).toEqual([true, true, false])
})
