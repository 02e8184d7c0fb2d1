import { dayNumber, type DayNumber } from './calendar.ts'
import type { Charge, CreditRefund, Disbursal, ForeclosureWaiver, LoanFacts, RateChange, ReceivedPayment } from './loans.ts'

/**
 * A fact on its day. The rank orders facts of one day. Rows fall due before all facts of their day.
 */
export type Event =
  | { day: DayNumber; rank: 0; disbursal: Disbursal }
  | { day: DayNumber; rank: 1; rateChange: RateChange }
  | { day: DayNumber; rank: 2; charge: Charge }
  | { day: DayNumber; rank: 3; waived: Charge }
  | { day: DayNumber; rank: 4; payment: ReceivedPayment }
  | { day: DayNumber; rank: 5; foreclosureWaiver: ForeclosureWaiver }
  | { day: DayNumber; rank: 6; refund: CreditRefund }

const compareEvents = (left: Event, right: Event): number => left.day - right.day || left.rank - right.rank

/** The facts of a loan up to a day, in their order. */
export function eventsUpTo(facts: LoanFacts, last: DayNumber): Event[] {
  const events: Event[] = []
  for (const disbursal of facts.disbursals) events.push({ day: dayNumber(disbursal.date), rank: 0, disbursal })
  for (const rateChange of facts.rateChanges) events.push({ day: dayNumber(rateChange.date), rank: 1, rateChange })
  for (const charge of facts.charges) {
    events.push({ day: dayNumber(charge.date), rank: 2, charge })
    if (charge.waivedOn !== null && charge.waivedOn > charge.date) events.push({ day: dayNumber(charge.waivedOn), rank: 3, waived: charge })
  }
  for (const payment of facts.payments) events.push({ day: dayNumber(payment.date), rank: 4, payment })
  for (const foreclosureWaiver of facts.foreclosureWaivers)
    events.push({ day: dayNumber(foreclosureWaiver.date), rank: 5, foreclosureWaiver })
  for (const refund of facts.refunds) events.push({ day: dayNumber(refund.date), rank: 6, refund })
  events.sort(compareEvents)
  while ((events.at(-1)?.day ?? last) > last) events.pop()
  return events
}
