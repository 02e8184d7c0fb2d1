import type { Command } from 'commander'
import { createStorage } from '#server/adapters/object-storage/create-storage.ts'
import type { ObjectStorage } from '#server/adapters/object-storage/object-storage.ts'
import { claimBucket, readDatabaseIdentity, identityText, checkOwnership, readOwnerMarker } from '#server/documents/bucket-owner.ts'
import { logOperatorAct } from '#server/staff/operator.ts'
import { changesData, withOperator, type OperatorContext } from '#cli/operator-context.ts'

/**
 * `kist bucket claim`: lets the storage sweep of this database delete objects that no row
 * names.
 */
export function addBucketCommands(program: Command): void {
  const bucket = program.command('bucket').description('the bucket of documents')
  changesData(bucket.command('claim'))
    .description('record in the bucket that it belongs to this database: after a restore, a failover, or a move to another server')
    .action(async (_options: unknown, command: Command) =>
      console.log(await withOperator(command, async (context, config) => claim(context, await createStorage(config.documents.storage)))),
    )
}

/** @returns a line for the operator. */
export async function claim(
  { database, clock, operator }: Pick<OperatorContext, 'database' | 'clock' | 'operator'>,
  storage: ObjectStorage,
): Promise<string> {
  const identity = await database.asSystem(readDatabaseIdentity)
  const mark = await readOwnerMarker(storage)
  if (checkOwnership(mark, identity) === 'own') return `unchanged: the bucket belongs to ${identityText(identity)}`
  const at = clock.now()
  // The access-log entry first: there must be no claim without one.
  await database.asSystem((sql) =>
    logOperatorAct(sql, operator, {
      at,
      subjectId: 'bucket:owner',
      action: 'bucket_claimed',
      detail: { before: mark ? identityText(mark.identity) : 'nobody', now: identityText(identity) },
    }),
  )
  await claimBucket(storage, identity, { by: operator.name, reason: operator.reason ?? 'not given', at })
  return `claimed: the bucket belonged to ${mark ? identityText(mark.identity) : 'nobody'}, and now to ${identityText(identity)}`
}
