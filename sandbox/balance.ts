import type { Change } from './entities.ts'

/** What a record adds to the merchant's balance at the provider, paise: refunds and settlements take from it. */
export function worthOf([kind, record]: Change): number {
  switch (kind) {
    case 'payment':
      return record.captured ? record.amount - (record.fee ?? 0) : 0
    case 'refund':
      // Money that was never captured goes back without touching the balance.
      return record.from_balance && record.status !== 'failed' ? -record.amount : 0
    case 'adjustment':
      return record.amount
    case 'settlement':
      return -record.amount
    default:
      return 0
  }
}
