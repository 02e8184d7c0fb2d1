import { setTimeout as delay } from 'node:timers/promises'
import { healedWithinMs } from './judge.ts'
import type { Course } from './suite.ts'

const hourSeconds = 3_600

/** An hour later every refund that was decided has been sent, once, and is done. */
export async function refundsEnd({ portal, round }: Course): Promise<void> {
  await round('every refund comes to its end', async () => {
    await portal.sandbox('/time', { advance_seconds: hourSeconds })
    const deadline = Date.now() + healedWithinMs
    for (;;) {
      const open = await portal
        .database()
        .asSystem((sql) =>
          sql.selectFrom('refunds').select(['refund_id', 'status', 'last_error']).where('status', 'in', ['asked', 'pending']).execute(),
        )
      if (open.length === 0) return
      if (Date.now() > deadline)
        throw new Error(`${open.length} refunds are still ${open[0]?.status}: ${open[0]?.last_error ?? 'no error'}`)
      await delay(200)
    }
  })
}
