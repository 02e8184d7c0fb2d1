import { until } from '#testkit/until.ts'
import { hourSeconds } from '#domain/durations.ts'
import { recoveryTimeoutMs } from './verify-outcome.ts'
import type { SuiteRun } from './suite.ts'

/** An hour later every refund that was decided has been sent, once, and is done. */
export async function awaitRefunds({ portal, round }: SuiteRun): Promise<void> {
  await round('every refund comes to its end', async () => {
    await portal.sandbox('/time', { advance_seconds: hourSeconds })
    let open: { status: string; last_error: string | null }[] = []
    const areDone = async () => {
      open = await portal
        .database()
        .asSystem((sql) => sql.selectFrom('refunds').select(['status', 'last_error']).where('status', 'in', ['asked', 'pending']).execute())
      return open.length === 0
    }
    await until(areDone, recoveryTimeoutMs, {
      intervalMs: 200,
      failure: () => `${open.length} refunds are still ${open[0]?.status}: ${open[0]?.last_error ?? 'no error'}`,
    })
  })
}
