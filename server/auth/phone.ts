/**
 * The stored format of a phone: `+` and digits. Ten bare digits mean +91 (decision 29). The
 * contract has checked the input.
 */
export function withCountryCode(phone: string): string {
  return phone.startsWith('+') ? phone : `+91${phone}`
}

/**
 * Only Indian numbers get text messages (decision 29): fraudsters earn with foreign premium
 * numbers.
 */
export function canReceiveCode(phone: string): boolean {
  return /^\+91[0-9]{10}$/.test(phone)
}
