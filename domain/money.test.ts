import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  divideHalfEven,
  divideUp,
  maximumPaise,
  paise,
  paiseToRupees,
  paiseToRupeesText,
  parseRupees,
  rupeesToPaise,
  shareHalfEven,
  smallerPaise,
  stringifyExact,
  sumPaise,
} from './money.ts'

const seed = 20_261_120

describe('rupees and paise', () => {
  it.each([
    [12_345.67, 1_234_567n],
    ['12345.67', 1_234_567n],
    [0, 0n],
    [-0, 0n],
    [0.1, 10n],
    [1.15, 115n],
    [-12.5, -1250n],
    ['007.50', 750n],
    [10_000_000_000_000, maximumPaise],
    ['9999999999999.99', maximumPaise - 1n],
  ])('%s rupees are %s paise', (rupees, expected) => {
    expect(parseRupees(rupees)).toBe(expected)
    expect(rupeesToPaise(rupees)).toBe(expected)
  })

  it.each([
    '1e3',
    '1E3',
    '',
    ' 1',
    '1 ',
    '+1',
    '1.',
    '.5',
    '1.234',
    '0x10',
    '1,000',
    '१२',
    'NaN',
    '--1',
    '1\n',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e21,
    0.1 + 0.2,
    1.005,
    '10000000000000.01',
    '100000000000000',
  ])('%j is no amount', (rupees) => {
    expect(parseRupees(rupees)).toBeNull()
    expect(() => rupeesToPaise(rupees)).toThrow(new RangeError(`Not an amount in rupees with at most two decimals: ${rupees}`))
  })

  it('go there and back without loss, as JSON too', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -maximumPaise, max: maximumPaise }), (amount) => {
        const rupees = paiseToRupees(paise(amount))
        expect(parseRupees(rupees)).toBe(amount)
        expect(parseRupees(JSON.parse(JSON.stringify(rupees)) as number)).toBe(amount)
        expect(parseRupees(paiseToRupeesText(paise(amount)))).toBe(amount)
      }),
      { seed, numRuns: 1000 },
    )
  })

  it('are refused beyond the largest amount', () => {
    expect(() => paiseToRupees(paise(maximumPaise + 1n))).toThrow(new RangeError(`Beyond the largest amount: ${maximumPaise + 1n} paise`))
    expect(() => paiseToRupees(paise(-maximumPaise - 1n))).toThrow(RangeError)
  })

  it.each([
    [0n, '0.00'],
    [5n, '0.05'],
    [-5n, '-0.05'],
    [123_450n, '1234.50'],
  ])('%s paise read %s', (amount, text) => {
    expect(paiseToRupeesText(paise(amount))).toBe(text)
  })

  it('are added and compared', () => {
    expect(sumPaise([paise(1n), paise(2n), paise(-4n)])).toBe(-1n)
    expect(sumPaise([])).toBe(0n)
    expect([smallerPaise(paise(1n), paise(2n)), smallerPaise(paise(2n), paise(1n))]).toEqual([1n, 1n])
  })
})

describe('roundings', () => {
  it.each([
    [5n, 2n, 2n, 3n],
    [7n, 2n, 4n, 4n],
    [9n, 4n, 2n, 3n],
    [11n, 4n, 3n, 3n],
    [8n, 4n, 2n, 2n],
    [0n, 3n, 0n, 0n],
    [1n, 3n, 0n, 1n],
  ])('%s ÷ %s is %s half-even and %s up', (dividend, divisor, halfEven, up) => {
    expect(divideHalfEven(dividend, divisor)).toBe(halfEven)
    expect(divideUp(dividend, divisor)).toBe(up)
  })

  it('a share in safe integers is the share in exact fractions', () => {
    const whole = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max })
    fc.assert(
      fc.property(
        fc.oneof(whole(1000), whole(10 ** 9), whole(10 ** 15)),
        fc.oneof(whole(10), whole(10 ** 6), whole(10 ** 11)),
        fc.oneof(whole(8), whole(10 ** 12)),
        (amount, numerator, denominator) => {
          const exact = divideHalfEven(BigInt(amount) * BigInt(numerator), BigInt(denominator))
          fc.pre(exact <= BigInt(Number.MAX_SAFE_INTEGER))
          expect(BigInt(shareHalfEven(amount, numerator, denominator))).toBe(exact)
        },
      ),
      { seed, numRuns: 5000 },
    )
  })
})

it('JSON for hashes writes amounts as text, at any depth, and leaves out what JSON leaves out', () => {
  const content = ['kind', { amount: paise(12_345n), none: undefined, rest: null }, [[-1n, 1.5, '2026-08-05']]]
  expect(stringifyExact(content)).toBe('["kind",{"amount":"12345n","rest":null},[["-1n",1.5,"2026-08-05"]]]')
})
