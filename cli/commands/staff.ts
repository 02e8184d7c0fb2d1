import type { Command } from 'commander'
import { assumeRole, permissions as knownPermissions } from '#contract/permissions.ts'
import { forgetDevices } from '#server/auth/device-store.ts'
import { unlockPhone } from '#server/auth/sign-in-store.ts'
import { findUserByPhone, type UserRow } from '#server/auth/user-store.ts'
import { withdrawProposalsOfDisabled } from '#server/operations/withdraw-of-disabled.ts'
import { logOperatorAct } from '#server/staff/operator.ts'
import { changeStaff, disableUser, enableUser, insertStaff, type NewStaff } from '#server/staff/staff-store.ts'
import { CommandError } from '#cli/command-error.ts'
import { changesData, printing, withOperator, type OperatorContext } from '#cli/operator-context.ts'
import { emailOption, listOption, nameOption, panOption, phoneOption } from '#cli/options.ts'
import { personOf } from '#cli/commands/person.ts'
import type { Sql } from '#server/database/connect.ts'

type Add = { phone: string; firstName: string; lastName: string; email?: string; pan?: string; roles: string[]; permissions?: string[] }
type Change = { phone: string; newPhone?: string } & Partial<Omit<Add, 'phone'>>

const listOf = (known: readonly string[]): string => `comma-separated; known: ${known.join(', ')}`

const panMeaning = 'PAN, by which operations recognise a loan of their own'

/** `kist staff add|change|disable|enable` and `kist unlock`. */
export function addStaffCommands(program: Command): void {
  const staff = program.command('staff').description("the lender's people who use the portal")
  changesData(staff.command('add'))
    .description('add a staff member, who signs in by a code to the phone')
    .requiredOption('--phone <phone>', 'ten digits, or + and the country code', phoneOption)
    .requiredOption('--first-name <name>', 'first name', nameOption)
    .requiredOption('--last-name <name>', 'last name', nameOption)
    .option('--email <email>', 'e-mail address', emailOption)
    .option('--pan <pan>', panMeaning, panOption)
    .requiredOption('--roles <roles>', listOf([assumeRole]), listOption)
    .option('--permissions <permissions>', listOf(knownPermissions), listOption)
    .action(async (options: Add, command: Command) =>
      console.log(await withOperator(command, (context) => add(context, options), { unlessNoStaff: true })),
    )
  changesData(staff.command('change'))
    .description('change what is given of a staff member, who has to sign in again')
    .requiredOption('--phone <phone>', 'ten digits, or + and the country code', phoneOption)
    .option('--new-phone <phone>', 'the phone from now on', phoneOption)
    .option('--first-name <name>', 'first name', nameOption)
    .option('--last-name <name>', 'last name', nameOption)
    .option('--email <email>', 'e-mail address', emailOption)
    .option('--pan <pan>', panMeaning, panOption)
    .option('--roles <roles>', `all roles from now on, ${listOf([assumeRole])}`, listOption)
    .option('--permissions <permissions>', `all permissions from now on, ${listOf(knownPermissions)}`, listOption)
    .action(printing(withOperator, (context, options: Change) => change(context, options)))
  changesData(staff.command('disable'))
    .description('disable a staff member and end their sessions at once')
    .requiredOption('--phone <phone>', 'ten digits, or + and the country code', phoneOption)
    .action(printing(withOperator, (context, { phone }: { phone: string }) => disable(context, phone)))
  changesData(staff.command('enable'))
    .description('enable a disabled staff member again, with the roles and permissions from before')
    .requiredOption('--phone <phone>', 'ten digits, or + and the country code', phoneOption)
    .action(async ({ phone }: { phone: string }, command: Command) =>
      console.log(await withOperator(command, (context) => enable(context, phone), { unlessNoStaff: true })),
    )
  changesData(program.command('unlock'))
    .description(
      'reset the counts of wrong and of sent codes of a phone and its devices; for an hour the limit of unused codes does not refuse it',
    )
    .requiredOption('--phone <phone>', 'ten digits, or + and the country code', phoneOption)
    .action(printing(withOperator, (context, { phone }: { phone: string }) => unlock(context, phone)))
}

/** @returns a line for the operator. */
export function add(
  { database, clock, operator }: OperatorContext,
  { phone, firstName, lastName, email, pan, roles, permissions = [] }: Add,
): Promise<string> {
  refuseUnknown('role', roles, [assumeRole])
  refuseUnknown('permission', permissions, knownPermissions)
  const staff: NewStaff = { phone, email: email ?? null, pan: pan ?? null, firstName, lastName, roles, permissions }
  return database.asSystem(async (sql) => {
    const known = await findUserByPhone(sql, phone)
    if (known) {
      if (known.kind !== 'staff') throw new CommandError(`The phone ${phone} belongs to a borrower`)
      const differences = findDifferences(known, staff)
      if (differences.length > 0)
        throw new CommandError(`The phone ${phone} belongs to a staff member with other particulars: ${differences.join(', ')}`)
      if (known.disabled_at !== null)
        throw new CommandError(`The phone ${phone} belongs to ${firstName} ${lastName}, who is disabled: kist staff enable`)
      return `unchanged: ${firstName} ${lastName} was added before${warningWithoutPan(known)}`
    }
    const now = clock.now()
    const userId = await insertStaff(sql, staff, now)
    await logOperatorAct(sql, operator, {
      at: now,
      subjectId: userId,
      action: 'staff_added',
      detail: { roles: roles.join(' '), permissions: permissions.join(' ') },
    })
    return `added: ${firstName} ${lastName} as staff with ${[...roles, ...permissions].join(', ')}${warningWithoutPan(staff)}`
  })
}

/** @returns a line for the operator. */
export function change({ database, clock, operator }: OperatorContext, { phone, newPhone = phone, ...given }: Change): Promise<string> {
  refuseUnknown('role', given.roles ?? [], [assumeRole])
  refuseUnknown('permission', given.permissions ?? [], knownPermissions)
  return database.asSystem(async (sql) => {
    const known = await staffOf(sql, phone)
    const { email, pan, roles, permissions, first_name: firstName, last_name: lastName } = known
    const changed: NewStaff = { email, pan, roles, permissions, firstName, lastName, ...given, phone: newPhone }
    const differences = findDifferences(known, changed)
    if (differences.length === 0) return `unchanged: ${firstName} ${lastName} has these particulars${warningWithoutPan(changed)}`
    if (newPhone !== phone && (await findUserByPhone(sql, newPhone))) throw new CommandError(`The phone ${newPhone} belongs to somebody`)
    const now = clock.now()
    await changeStaff(sql, known, changed, now)
    // Names, phones, e-mail addresses and PANs are not in the access log: they are personal data.
    const detail = {
      changed: differences.join(' '),
      roles_before: roles.join(' '),
      roles: changed.roles.join(' '),
      permissions_before: permissions.join(' '),
      permissions: changed.permissions.join(' '),
    }
    await logOperatorAct(sql, operator, { at: now, subjectId: known.user_id, action: 'staff_changed', detail })
    return `changed: ${differences.join(', ')} of ${changed.firstName} ${changed.lastName}, who has to sign in again${warningWithoutPan(changed)}`
  })
}

/** Who acts in operations is also compared by phone and e-mail address; people have several. */
function warningWithoutPan({ pan, permissions }: Pick<NewStaff, 'pan' | 'permissions'>): string {
  if (pan !== null || !permissions.some((permission) => permission.startsWith('operations:'))) return ''
  return '; warning: without --pan they can act on a loan of their own that has another phone and e-mail address'
}

/**
 * The particulars in which the stored account differs. An e-mail address or a PAN that is not given
 * is kept.
 */
function findDifferences(known: UserRow, { phone, firstName, lastName, email, pan, roles, permissions }: NewStaff): string[] {
  const isSameList = (one: readonly string[], other: readonly string[]) => String(one.toSorted()) === String(other.toSorted())
  const isSame = {
    phone: known.phone === phone,
    name: known.first_name === firstName && known.last_name === lastName,
    'e-mail': email === null || known.email?.toLowerCase() === email.toLowerCase(),
    PAN: pan === null || known.pan === pan,
    roles: isSameList(known.roles, roles),
    permissions: isSameList(known.permissions, permissions),
  }
  return Object.entries(isSame).flatMap(([particular, same]) => (same ? [] : [particular]))
}

function refuseUnknown(what: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.filter((one) => !known.includes(one))
  if (unknown.length > 0) throw new CommandError(`There is no ${what} ${unknown.join(', ')}; known: ${known.join(', ')}`)
}

async function staffOf(sql: Sql, phone: string) {
  const user = await findUserByPhone(sql, phone)
  if (!user || user.kind !== 'staff') throw new CommandError(`No staff member has the phone ${phone}`)
  return user
}

/** @returns a line for the operator. */
export function disable({ database, clock, operator }: OperatorContext, phone: string): Promise<string> {
  return database.asSystem(async (sql) => {
    const user = await staffOf(sql, phone)
    if (user.disabled_at !== null) return `unchanged: ${user.first_name} ${user.last_name} was disabled before`
    const now = clock.now()
    // First, as a sign-in does: it locks its device, then the account.
    await forgetDevices(sql, user.user_id, { except: null }, now)
    await disableUser(sql, user.user_id, now)
    await withdrawProposalsOfDisabled(sql, user.user_id, operator.actorId, now)
    await logOperatorAct(sql, operator, { at: now, subjectId: user.user_id, action: 'staff_disabled' })
    return `disabled: ${user.first_name} ${user.last_name}`
  })
}

/** @returns a line for the operator. */
function enable({ database, clock, operator }: OperatorContext, phone: string): Promise<string> {
  return database.asSystem(async (sql) => {
    const user = await staffOf(sql, phone)
    if (user.disabled_at === null) return `unchanged: ${user.first_name} ${user.last_name} is enabled`
    await enableUser(sql, user.user_id)
    await logOperatorAct(sql, operator, { at: clock.now(), subjectId: user.user_id, action: 'staff_enabled' })
    return `enabled: ${user.first_name} ${user.last_name} with ${[...user.roles, ...user.permissions].join(', ')}`
  })
}

/** @returns a line for the operator. */
export function unlock({ database, clock, operator }: OperatorContext, phone: string): Promise<string> {
  return database.asSystem(async (sql) => {
    const user = await personOf(sql, phone)
    const now = clock.now()
    const failures = await unlockPhone(sql, { phone, userId: user.user_id }, now)
    if (failures === null) return `unchanged: the phone ${phone} was unlocked before`
    await logOperatorAct(sql, operator, { at: now, subjectId: user.user_id, action: 'sign_in_unlocked', detail: { failures } })
    return `unlocked: the phone ${phone} may sign in again; for an hour the limit of unused codes does not refuse it`
  })
}
