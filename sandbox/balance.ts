import type { Change } from './entities.ts'

/** What a record adds to the merchant's balance, paise; negative for refunds and settlements. */
export function worthOf([kind, record]: Change): number {
  switch (kind) {
    case 'payment':
      return record.captured ? record.amount - (record.fee ?? 0) : 0
    case 'refund':
      // The refund of an uncaptured payment does not change the balance.
      return record.from_balance && record.status !== 'failed' ? -record.amount : 0
    case 'adjustment':
      return record.amount
    case 'settlement':
      return -record.amount
    default:
      return 0
  }
}
