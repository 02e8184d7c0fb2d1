/** The phone as stored: `+` and digits. Ten bare digits mean +91 (decision 29). The contract has checked its form. */
export function withCountryCode(phone: string): string {
  return phone.startsWith('+') ? phone : `+91${phone}`
}

/** Only Indian numbers get a text message (decision 29): premium numbers abroad are how message fraud earns. */
export function mayReceiveCode(phone: string): boolean {
  return /^\+91[0-9]{10}$/.test(phone)
}
