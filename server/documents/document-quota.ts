import { hourMs } from '#domain/durations.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../caller.ts'
import { Failure } from '../http/failure.ts'
import { lockGenerationTimes, saveGenerationTimes } from './document-quota-store.ts'

/** The number of documents that a session may generate per hour (decision 64); null: no limit. */
const generatedPerHour: Readonly<Record<'strict' | 'demo' | 'relaxed', number | null>> = { strict: 30, demo: 300, relaxed: null }

/**
 * Counts one document against the session, exactly over all servers.
 *
 * @throws Failure TooManyRequests with the seconds until the next one.
 */
export async function countGeneration({ config, database, clock }: Context, caller: Caller): Promise<void> {
  const max = generatedPerHour[config.signIn.limits]
  if (max === null) return
  await database.asSystem(async (sql) => {
    const now = clock.now()
    const times = (await lockGenerationTimes(sql, caller)).filter((at) => at.getTime() > now.getTime() - hourMs)
    const [oldest] = times
    if (oldest && times.length >= max)
      throw new Failure('TooManyRequests', `At most ${max} documents an hour can be generated. Please try again later.`, {
        retryAfterSeconds: (oldest.getTime() + hourMs - now.getTime()) / 1_000,
      })
    await saveGenerationTimes(sql, caller, [...times, now])
  })
}
