/** What a test card does, by the provider's published list: null is a success. */
const testCards: Readonly<Record<string, string | null>> = {
  '4100280000001007': null,
  '5500670000001002': null,
  '6527658900001005': null,
  '36082800091007': null,
  '340256000401007': null,
  '4100280000090000': 'payment_timed_out',
  '4100280000080001': 'insufficient_fund',
  '4100280000070002': 'payment_cancelled',
  '4100280000060003': 'card_declined',
  '4100280000050004': 'card_declined',
  '4100280000040005': 'card_declined',
  '4100280000030006': 'card_disabled_for_online_payments',
  '4100280000010008': 'card_number_invalid',
  '4100280000020007': 'gateway_technical_error',
  '4100280000000009': 'authentication_failed',
}

/** The test card that the page suggests. */
export const testCard = '4100 2800 0000 1007'

/** The test cards, with the reason of those that fail. */
export const testCardList: readonly (readonly [number: string, reason: string | null])[] = Object.entries(testCards).map(
  ([number, reason]) => [number.replace(/\d{4}(?=\d)/g, '$& '), reason],
)

const cardNetworks: readonly (readonly [network: string, prefix: RegExp])[] = [
  ['American Express', /^3[47]/],
  ['Diners Club', /^3(?:0[0-5]|[689])/],
  ['RuPay', /^(?:508[5-9]|60(?!11)|6521|6522|652[3-9]|81|82)/],
  ['MasterCard', /^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720))/],
  ['Visa', /^4/],
]

/** The network a card number belongs to; null for an unknown one. */
export function networkOf(digits: string): string | null {
  return cardNetworks.find(([, prefix]) => prefix.test(digits))?.[0] ?? null
}

/** Whether the last digit checks the others (ISO/IEC 7812, Luhn). */
export function isLuhn(digits: string): boolean {
  let sum = 0
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return digits.length >= 12 && digits.length <= 19 && sum % 10 === 0
}

type KnownCard = { readonly network: string; readonly last4: string; readonly reason: string | null }

/**
 * A test card by its number. `invalid` fails the check digit; `real` passes it but is no test card:
 * it is refused.
 */
export function cardByNumber(digits: string): KnownCard | 'invalid' | 'real' {
  if (!/^\d+$/.test(digits) || !isLuhn(digits)) return 'invalid'
  const reason = testCards[digits]
  if (reason === undefined) return 'real'
  return { network: networkOf(digits) ?? 'unknown', last4: digits.slice(-4), reason }
}
