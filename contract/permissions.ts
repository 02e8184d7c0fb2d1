/** What a session may do beyond reading its own data (spec §6). */
export const permissions = [
  'loan:update',
  'document:create',
  'document:read',
  'payment_link:create',
  'payment_link:update',
  'user:assume',
] as const
export type Permission = (typeof permissions)[number]

/** What a borrower may do, unless the lender takes something away. */
export const borrowerPermissions: readonly Permission[] = [
  'loan:update',
  'document:create',
  'document:read',
  'payment_link:create',
  'payment_link:update',
]

/** The role that opens the staff side (spec §6). */
export const assumeRole = 'tech/assume'
