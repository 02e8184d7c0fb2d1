declare const unit: unique symbol

/** Whole paise. Rupees exist only on the wire and on the screen. */
export type Paise = bigint & { readonly [unit]: 'paise' }

/** Marks a whole number of paise as money. The one way to make money from a number. */
export const paise = (value: bigint): Paise => value as Paise

export const zeroPaise: Paise = paise(0n)

/**
 * The largest amount Kist handles: ten trillion rupees, in paise. Up to here every amount survives the way
 * paise → JSON number of rupees → paise, and is a safe integer.
 */
export const maximumPaise: Paise = paise(10n ** 15n)

const decimalRupees = /^(-?)(\d{1,14})(?:\.(\d{1,2}))?$/

/** Rupees as digits with at most two decimals, in paise; null for anything else (`1e3`, `1.234`, ` 1`, NaN, too large). Exact. */
export function parseRupees(rupees: string | number): Paise | null {
  // The shortest decimal text of a double is what its writer meant: 12345.67 is 1234567 paise although no double equals it.
  const match = decimalRupees.exec(String(rupees))
  if (match === null) return null
  const [, sign, whole = '0', fraction = ''] = match
  const magnitude = BigInt(whole + fraction.padEnd(2, '0'))
  if (magnitude > maximumPaise) return null
  return paise(sign === '-' ? -magnitude : magnitude)
}

/** As {@link parseRupees}. Throws RangeError where that gives null. */
export function rupeesToPaise(rupees: string | number): Paise {
  const amount = parseRupees(rupees)
  if (amount === null) throw new RangeError(`Not an amount in rupees with at most two decimals: ${rupees}`)
  return amount
}

/** The JSON number of rupees that stands for an amount. Throws RangeError beyond {@link maximumPaise}. */
export function paiseToRupees(amount: Paise): number {
  if (amount > maximumPaise || amount < -maximumPaise) throw new RangeError(`Beyond the largest amount: ${amount} paise`)
  // Division of two safe integers rounds to the double nearest the decimal, which is the double that the decimal text means.
  return Number(amount) / 100
}

/** An amount in rupees as text with two decimals, `-1234.50`. For documents and messages that no locale formats. */
export function paiseToRupeesText(amount: Paise): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

export const sumPaise = (amounts: Iterable<Paise>): Paise => {
  let sum = 0n
  for (const amount of amounts) sum += amount
  return paise(sum)
}

export const smallerPaise = (left: Paise, right: Paise): Paise => (left < right ? left : right)

/** dividend ÷ divisor to the nearest whole number, a half to the even one. Neither may be negative, the divisor not 0. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const twiceRemainder = (dividend - quotient * divisor) * 2n
  if (twiceRemainder < divisor) return quotient
  if (twiceRemainder > divisor) return quotient + 1n
  return quotient % 2n === 0n ? quotient : quotient + 1n
}

/** dividend ÷ divisor to the next whole number not below it. Neither may be negative, the divisor not 0. */
export const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor

/**
 * The quotient of a whole number below this and any safe integer never rounds up to the next whole number: it is at least
 * 1 ÷ divisor away from it, and half the gap between doubles there is less.
 */
const exactProductLimit = 2 ** 52

/**
 * amount × numerator ÷ denominator rounded half-even once, exactly (decision 20). All are whole and not negative.
 * The engine counts paise in safe integers, because a bigint in every step makes a schedule up to 20 times slower;
 * a product that a double cannot hold exactly is made in bigint.
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
