/** What a session may do besides reading its own data (spec §6). */
export const permissions = [
  'loan:update',
  'document:create',
  'document:read',
  'payment_link:create',
  'payment_link:update',
  'mandate:create',
  'mandate:update',
  'user:assume',
  'operations:read',
  'operations:propose',
  'operations:approve',
] as const
export type Permission = (typeof permissions)[number]

/** Only borrowers themselves have these; staff who act for them never do. */
export const mandatePermissions = ['mandate:create', 'mandate:update'] as const satisfies readonly Permission[]

/** A borrower's permissions, unless the lender revokes one. */
export const borrowerPermissions: readonly Permission[] = [
  'loan:update',
  'document:create',
  'document:read',
  'payment_link:create',
  'payment_link:update',
  'mandate:create',
  'mandate:update',
]

/** The borrower's permissions that staff keep in the view profile (`KIST_ASSUME_PROFILE`). */
export const viewPermissions: readonly Permission[] = ['document:read']

/** The role of staff who use the admin screens (spec §6). */
export const assumeRole = 'tech/assume'
