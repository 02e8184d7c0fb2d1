/**
 * The lender of the demo. Production refuses these values, so that no borrower is referred to them.
 */
export const demoLender = {
  KIST_LENDER: 'Meghdoot Education Finance Ltd',
  KIST_LENDER_ADDRESS: '14 Residency Road, Bengaluru 560025, Karnataka',
  KIST_SUPPORT_PHONE: '1800 209 3344',
  KIST_SUPPORT_EMAIL: 'support@meghdoot.example',
  KIST_GRIEVANCE_NAME: 'R. Subramaniam',
  KIST_GRIEVANCE_PHONE: '1800 209 3344',
  KIST_GRIEVANCE_EMAIL: 'grievance@meghdoot.example',
  KIST_SECURITY_CONTACT: 'mailto:security@meghdoot.example',
} as const

/** Its account for transfers; no bank has this IFSC. */
export const demoRepaymentAccount = { name: demoLender.KIST_LENDER, number: '50200012345678', ifsc: 'MEGH0000001' }
