import { expect } from 'vitest'
import { takesDays, cannotBeOrdered, type SandboxCase } from './sandbox-case.testing.ts'

/** Debits of eMandates, which banks answer on working days. */
export const enachCases: readonly SandboxCase[] = [
  [
    takesDays,
    'reports an eNACH debit two working days after a presentation before 09:00',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      const order = await stage.order(token, {}, null)
      await stage.advanceTo('2026-11-25T08:59')
      const id = await stage.debit(order, token)
      expect(await stage.payment(id)).toMatchObject({ status: 'created', method: 'emandate', bank: 'HDFC' })
      await stage.advanceTo('2026-11-27T09:59')
      expect(await stage.payment(id)).toMatchObject({ status: 'created' })
      await stage.advanceTo('2026-11-27T10:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'captured', acquirer_data: {} })
    },
    { at: '2026-11-23T07:00' },
  ],
  [
    takesDays,
    'presents an eNACH debit that is asked for from 09:00 on the next day',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      const order = await stage.order(token, {}, null)
      await stage.advanceTo('2026-11-25T09:01')
      const id = await stage.debit(order, token)
      // The 28th is a fourth Saturday.
      await stage.advanceTo('2026-11-28T12:00')
      expect(await stage.payment(id)).toMatchObject({ status: 'created' })
      await stage.advanceTo('2026-11-30T10:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
    },
  ],
  [
    cannotBeOrdered,
    'tells a failed eNACH debit with its result',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      await stage.control('/debits/next', { outcome: 'failure', reason: 'insufficient_funds' })
      const id = await stage.debit(await stage.order(token, {}, null), token)
      await stage.advanceTo('2026-11-27T10:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'insufficient_funds' })
      await stage.event('payment.failed')
    },
  ],
  [
    takesDays,
    'presents an eNACH debit of a holiday on that day',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      const id = await stage.debit(await stage.order(token, {}, null), token)
      await stage.advanceTo('2026-11-26T10:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
    },
    { at: '2026-11-24T07:00' },
  ],
  [
    takesDays,
    'does not stop a presented eNACH debit by a cancellation',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      const [before, after] = [await stage.order(token, {}, null), await stage.order(token, {}, null)]
      const presented = await stage.debit(before, token)
      await stage.control(`/mandates/${token.id}/cancel`)
      const refusedByBank = await stage.debit(after, token)
      await stage.advanceTo('2026-11-27T10:01')
      expect(await stage.payment(presented)).toMatchObject({ status: 'captured' })
      expect(await stage.payment(refusedByBank)).toMatchObject({ status: 'failed', error_reason: 'mandate_cancelled' })
    },
  ],
  [
    takesDays,
    'fails an eNACH debit of a mandate that the bank has not confirmed',
    async (stage) => {
      const token = await stage.mandate('emandate')
      const id = await stage.debit(await stage.order(token, {}, null), token)
      await stage.advanceTo('2026-11-27T10:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'mandate_not_active' })
    },
  ],
]
