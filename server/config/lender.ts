import * as z from 'zod/mini'

const optionalAddress = z.optional(z.url({ protocol: /^https?$/, error: 'must be an http or https address' }))
// A word that is left out does not replace the demo lender's.
const optionalText = z.exactOptional(z.string())

/** What brand.json of a lender's folder says about the lender. All of it may be left out. */
export const lenderFields = {
  /** The name of the portal. */
  name: optionalText,
  /** The name of the lender, on receipts. */
  lender: optionalText,
  lender_address: optionalText,
  lender_gstin: z.optional(
    z.string().check(z.regex(/^([0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][0-9A-Z]Z[0-9A-Z])?$/, 'must be a GSTIN of fifteen letters and digits')),
  ),
  /** The account for transfers: what one payment link cannot carry, and payoff letters. */
  repayment_account: z.optional(
    z.strictObject({
      name: z.string(),
      number: z.string().check(z.regex(/^[0-9A-Z]{6,34}$/, 'must be an account number of 6 to 34 digits and letters')),
      ifsc: z.string().check(z.regex(/^[A-Z]{4}0[A-Z0-9]{6}$/, 'must be an IFSC such as HDFC0000001')),
    }),
  ),
  default_language: z.optional(z.enum(['en', 'hi'], 'must be en or hi')),
  /** Whether the browser's language counts. */
  detect_language: z.optional(z.boolean()),
  support: z.optional(z.strictObject({ phone: optionalText, email: optionalText, hours: optionalText, hours_hi: optionalText })),
  grievance_officer: z.optional(z.strictObject({ name: optionalText, phone: optionalText, email: optionalText })),
  /** Where a complaint goes after that. */
  ombudsman_url: optionalAddress,
  /** Pages of the lender's own site, linked from the login and from every page's foot. */
  privacy_url: optionalAddress,
  charges_url: optionalAddress,
  accessibility_url: optionalAddress,
  /** The header and the entity that are registered for text messages (TRAI DLT). */
  sms: z.optional(
    z.strictObject({
      header: z.string().check(z.regex(/^[A-Za-z]{6}$/, 'must be the registered header of six letters')),
      entity_id: z.string().check(z.regex(/^[0-9]{15,20}$/, 'must be the registered entity’s number')),
    }),
  ),
  /** Rupees: the largest cap of a UPI mandate, by the lender's merchant category (NPCI). */
  upi_mandate_max: z.optional(z.int('must be whole rupees').check(z.minimum(1), z.maximum(200_000, 'must be at most 200000'))),
  /** The contact in security.txt. */
  security_contact: optionalText,
}
type GivenLender = z.output<ReturnType<typeof z.strictObject<typeof lenderFields>>>

/** The lender of the demo. Production refuses its words, so that no borrower is referred to it. */
const demoLender = {
  lender: 'Meghdoot Education Finance Ltd',
  lender_address: '14 Residency Road, Bengaluru 560025, Karnataka',
  support: {
    phone: '1800 209 3344',
    email: 'support@meghdoot.example',
    hours: 'Mon–Sat, 9:00–18:00 IST',
    hours_hi: 'सोम–शनि, सुबह 9:00 – शाम 6:00',
  },
  grievance_officer: { name: 'R. Subramaniam', phone: '1800 209 3344', email: 'grievance@meghdoot.example' },
  security_contact: 'mailto:security@meghdoot.example',
}

/** The demo lender's account for transfers; no bank has this IFSC. */
export const demoRepaymentAccount = { name: demoLender.lender, number: '50200012345678', ifsc: 'MEGH0000001' }

export type Lender = ReturnType<typeof completeLender>

/** The lender with the demo lender's words for those that are left out. */
export function completeLender(given: GivenLender) {
  const { support, grievance_officer: officer } = given
  return {
    name: given.name ?? 'Kist',
    lender: given.lender ?? demoLender.lender,
    lender_address: given.lender_address ?? demoLender.lender_address,
    lender_gstin: given.lender_gstin ?? '',
    repayment_account: given.repayment_account,
    default_language: given.default_language ?? 'en',
    detect_language: given.detect_language ?? true,
    support: {
      ...demoLender.support,
      ...support,
      hours_hi: support?.hours_hi ?? support?.hours ?? demoLender.support.hours_hi,
    },
    grievance_officer: { ...demoLender.grievance_officer, ...officer },
    ombudsman_url: given.ombudsman_url ?? 'https://cms.rbi.org.in',
    privacy_url: given.privacy_url,
    charges_url: given.charges_url,
    accessibility_url: given.accessibility_url,
    security_contact: given.security_contact ?? demoLender.security_contact,
    sms: given.sms,
    upi_mandate_max: given.upi_mandate_max ?? 99_999,
  }
}

/** The words of brand.json that production requires and that are the demo lender's. */
export function findDemoWords({ support, grievance_officer: officer, ...lender }: Lender): string[] {
  const demo = demoLender
  const pairs: [name: string, given: string, demo: string][] = [
    ['lender', lender.lender, demo.lender],
    ['lender_address', lender.lender_address, demo.lender_address],
    ['support.phone', support.phone, demo.support.phone],
    ['support.email', support.email, demo.support.email],
    ['grievance_officer.name', officer.name, demo.grievance_officer.name],
    ['grievance_officer.phone', officer.phone, demo.grievance_officer.phone],
    ['grievance_officer.email', officer.email, demo.grievance_officer.email],
    ['security_contact', lender.security_contact, demo.security_contact],
    ['sms', lender.sms?.header ?? '', ''],
  ]
  return pairs.filter(([, given, ofDemo]) => given === '' || given === ofDemo).map(([name]) => name)
}
