declare const unit: unique symbol

/** Whole paise. Only the API and the screens use rupees. */
export type Paise = bigint & { readonly [unit]: 'paise' }

/** Marks a whole number of paise as money. There is no other conversion from a number. */
export const paise = (value: bigint): Paise => value as Paise

/** An amount of the engine, which computes in whole paise as numbers. */
export const paiseFromWhole = (amount: number): Paise => paise(BigInt(amount))

export const zeroPaise: Paise = paise(0n)

/**
 * The largest amount that Kist handles: ten trillion rupees, in paise. Up to this amount the
 * conversion paise → JSON number of rupees → paise is exact, and paise are safe integers.
 */
export const maximumPaise: Paise = paise(10n ** 15n)

const decimalRupees = /^(-?)(\d{1,14})(?:\.(\d{1,2}))?$/

/**
 * Rupees as digits with at most two decimals, converted to paise exactly. Null for anything else
 * (`1e3`, `1.234`, ` 1`, NaN, too large).
 */
export function parseRupees(rupees: string | number): Paise | null {
  // The shortest decimal text of a double is what its author meant: 12345.67 is 1234567 paise
  // although no double equals it.
  const match = decimalRupees.exec(String(rupees))
  if (match === null) return null
  const [, sign, whole = '0', fraction = ''] = match
  const magnitude = BigInt(whole + fraction.padEnd(2, '0'))
  if (magnitude > maximumPaise) return null
  return paise(sign === '-' ? -magnitude : magnitude)
}

/** Like {@link parseRupees}, but throws a RangeError instead of returning null. */
export function rupeesToPaise(rupees: string | number): Paise {
  const amount = parseRupees(rupees)
  if (amount === null) throw new RangeError(`Not an amount in rupees with at most two decimals: ${rupees}`)
  return amount
}

/** The JSON number of rupees for an amount. Throws a RangeError beyond {@link maximumPaise}. */
export function paiseToRupees(amount: Paise): number {
  if (amount > maximumPaise || amount < -maximumPaise) throw new RangeError(`Beyond the largest amount: ${amount} paise`)
  // Dividing two safe integers gives the double nearest to the decimal, which is the double of the
  // decimal text.
  return Number(amount) / 100
}

/**
 * An amount in rupees as text with two decimals, `-1234.50`. For documents and messages without a
 * locale.
 */
export function paiseToRupeesText(amount: Paise): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

export const sumPaise = (amounts: Iterable<Paise>): Paise => {
  let sum = 0n
  for (const amount of amounts) sum += amount
  return paise(sum)
}

/** JSON with amounts and other bigints as text, `123n`, for hashes: JSON itself has none. */
export const stringifyExact = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))

export const smallerPaise = (left: Paise, right: Paise): Paise => (left < right ? left : right)

/**
 * dividend ÷ divisor to the nearest whole number, half to even. Neither is negative, the divisor is
 * not 0.
 */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const twiceRemainder = (dividend - quotient * divisor) * 2n
  if (twiceRemainder < divisor) return quotient
  if (twiceRemainder > divisor) return quotient + 1n
  return quotient % 2n === 0n ? quotient : quotient + 1n
}

/** dividend ÷ divisor, rounded up. Neither is negative, the divisor is not 0. */
export const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor

/**
 * A product below this limit, divided by a safe integer, never rounds up to the next whole number:
 * the quotient is at least 1 ÷ divisor away from it, and half the gap between doubles is smaller.
 */
const exactProductLimit = 2 ** 52

/**
 * amount × numerator ÷ denominator, rounded half-even once, exactly (decision 20). All are whole
 * and not negative. The engine counts paise in safe integers, because bigints in every step make a
 * schedule up to 20 times slower. A product that a double cannot hold exactly is computed in
 * bigint.
 */
export function shareHalfEven(amount: number, numerator: number, denominator: number): number {
  const product = amount * numerator
  if (product >= exactProductLimit) return Number(divideHalfEven(BigInt(amount) * BigInt(numerator), BigInt(denominator)))
  const quotient = Math.floor(product / denominator)
  const twiceRemainder = (product - quotient * denominator) * 2
  if (twiceRemainder < denominator) return quotient
  if (twiceRemainder > denominator) return quotient + 1
  return quotient % 2 === 0 ? quotient : quotient + 1
}
