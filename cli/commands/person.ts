import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { dayInIndia } from '#domain/calendar.ts'
import { addNotice } from '#server/add-notice.ts'
import type { ObjectStorage } from '#server/adapters/object-storage/object-storage.ts'
import { createStorage } from '#server/adapters/object-storage/create-storage.ts'
import { forgetDevices } from '#server/auth/device-store.ts'
import { revokeAllSessions } from '#server/auth/end-sessions.ts'
import { findUserByPhone } from '#server/auth/user-store.ts'
import { runBulkTransaction } from '#server/database/bulk.ts'
import type { Sql } from '#server/database/connect.ts'
import { erasePerson } from '#server/privacy/erase-person.ts'
import { logOperatorAct } from '#server/staff/operator.ts'
import { findPersonTables, readPersonRows } from '#server/privacy/person-store.ts'
import { requireOwner } from '#cli/database-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { changesData, printing, withOperator, type OperatorContext } from '#cli/operator-context.ts'
import { phoneOption } from '#cli/options.ts'

/**
 * `kist person export|erase|sign-out`: access and erasure of personal data (DPDP Act 2023, §11 and
 * §12), and the end of a person's sessions.
 */
export function addPersonCommands(program: Command): void {
  const person = program.command('person').description("a person's own data")
  changesData(person.command('export'))
    .description('write all stored data of a person as JSON')
    .requiredOption('--phone <phone>', 'ten digits, or + and the country code', phoneOption)
    .requiredOption('--out <file>', 'the file to write; it must not exist')
    .action(printing(withOperator, (context, { phone, out }: { phone: string; out: string }) => exportPerson(context, phone, out)))
  changesData(person.command('sign-out'))
    .description('end all sessions of a person, whose devices become unknown')
    .requiredOption('--phone <phone>', 'ten digits, or + and the country code', phoneOption)
    .action(printing(withOperator, (context, { phone }: { phone: string }) => signOut(context, phone)))
  changesData(person.command('erase'))
    .description('erase the data of a person that no law requires the lender to keep')
    .requiredOption('--phone <phone>', 'ten digits, or + and the country code', phoneOption)
    .requiredOption('--yes', 'required, because it cannot be undone')
    .action(async ({ phone }: { phone: string }, command: Command) =>
      console.log(
        await withOperator(command, async (context, config) => erase(context, phone, await createStorage(config.documents.storage))),
      ),
    )
}

/**
 * Ends every session of a person whose phone was lost or stolen, and makes every device unknown.
 *
 * @returns a line for the operator.
 */
export function signOut({ database, clock, operator }: OperatorContext, phone: string): Promise<string> {
  const now = clock.now()
  return database.asSystem(async (sql) => {
    const { user_id: userId, kind } = await personOf(sql, phone)
    await forgetDevices(sql, userId, { except: null }, now)
    const ended = await revokeAllSessions(sql, userId, now)
    await logOperatorAct(sql, operator, { at: now, subjectId: userId, action: 'person_signed_out', detail: { ended } })
    if (kind === 'borrower' && ended > 0)
      await addNotice(sql, { borrowerId: userId, about: `sessions_ended:operator:${now.getTime()}`, kind: 'sessions_ended' }, now)
    return `signed out: ${ended} sessions of the phone ${phone} have ended, and no device is known any more`
  })
}

/** @returns a line for the operator. */
export async function exportPerson({ database, clock, operator }: OperatorContext, phone: string, out: string): Promise<string> {
  const now = clock.now()
  const data: Record<string, unknown> = {}
  await database.asSystem(async (sql) => {
    const { user_id: userId } = await personOf(sql, phone)
    for (const table of await findPersonTables(sql)) {
      const rows = await readPersonRows(sql, table, userId)
      if (rows.length > 0) data[table.table] = rows
    }
    await logOperatorAct(sql, operator, { at: now, subjectId: userId, action: 'person_exported' })
  })
  // After the commit of the access-log entry: no file is written without one.
  writeFileSync(out, `${JSON.stringify({ phone, exported_at: now, data }, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
  const rows = Object.values(data).reduce((sum: number, list) => sum + (list as unknown[]).length, 0)
  return `exported: ${rows} rows of ${Object.keys(data).length} tables to ${out}`
}

/**
 * Runs as the owner of the tables: the serving login must not delete a person.
 *
 * @returns a line for the operator.
 * @throws CommandError that says so if the person is erased, but not every file.
 */
export async function erase(
  { ownerUrl, clock, operator }: Pick<OperatorContext, 'ownerUrl' | 'clock' | 'operator'>,
  phone: string,
  storage: Pick<ObjectStorage, 'remove'>,
): Promise<string> {
  const now = clock.now()
  // Without a time limit: the erasure reads every stored event of the provider, and every borrower.
  const erasure = await runBulkTransaction(requireOwner(ownerUrl), async ({ sql }) => {
    const { user_id: userId, kind } = await personOf(sql, phone)
    if (kind !== 'borrower') throw new CommandError(`${phone} is staff: kist staff disable`)
    return erasePerson(sql, { userId, operator, now, today: dayInIndia(now) })
  })
  if (erasure.kind === 'refused') throw new CommandError(`Nothing was erased: ${erasure.why}`)
  const done =
    erasure.kind === 'erased'
      ? `erased: name, phone, PAN, e-mail, notices and sessions; ${erasure.loans} loans stay without a name`
      : `erased: e-mail, notices and where sessions came from. Name, phone, PAN and ${erasure.loans} loans are kept until ${erasure.until}`
  const failures: string[] = []
  for (const key of erasure.storageKeys) await storage.remove(key).catch((error: Error) => failures.push(error.message))
  if (failures.length > 0)
    throw new CommandError(
      `${done}; files that could not be removed: ${failures.length} (${failures[0]}). The storage sweep removes them within days if this database has claimed the bucket (kist bucket claim)`,
    )
  return done
}

export async function personOf(sql: Sql, phone: string) {
  const person = await findUserByPhone(sql, phone)
  if (!person) throw new CommandError(`Nobody has the phone ${phone}`)
  return person
}
