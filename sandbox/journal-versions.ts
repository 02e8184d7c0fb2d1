import { DEFAULT_ENDPOINT, type Attempt, type Change, type ClockRecord, type Link, type Payment, type Refund } from './entities.ts'
import { METHODS } from './instruments.ts'

const EARLIER_LINK: Partial<Link> = { methods: METHODS, upi_link: false }
const EARLIER_PAYMENT: Partial<Payment> = { wallet: null, planned: null, settlement_id: null }
const EARLIER_REFUND: Partial<Refund> = { planned: null, answered_status: 'processed', from_balance: true, settlement_id: null }
const EARLIER_ATTEMPT: Partial<Attempt> = { endpoint_id: DEFAULT_ENDPOINT }
const EARLIER_CLOCK: Partial<ClockRecord> = { skew_ms: 0, frozen_at_ms: null }

/** A change out of a journal that an earlier version wrote, with what came later; null for what can no longer be used. */
export function complete(change: Change): Change | null {
  const [kind, record] = change
  switch (kind) {
    case 'link':
      return [kind, { ...EARLIER_LINK, ...record }]
    case 'payment':
      return [kind, { ...EARLIER_PAYMENT, ...record }]
    case 'refund':
      return [kind, { ...EARLIER_REFUND, ...record }]
    case 'attempt':
      return [kind, { ...EARLIER_ATTEMPT, ...record }]
    case 'clock':
      return [kind, { ...EARLIER_CLOCK, ...record }]
    case 'delivery':
      // It did not say where to, nor by which secret; whoever missed an event asks for the link.
      return 'endpoint_id' in record ? change : null
    default:
      return change
  }
}
