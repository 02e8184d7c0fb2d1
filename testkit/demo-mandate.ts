import { uuidv7 } from 'uuidv7'
import { addMonths, dayInIndia, endOfDayInIndiaMs } from '#domain/calendar.ts'
import { capFor, expectInstalment } from '#domain/autopay-offer.ts'
import { hourMs } from '#domain/durations.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { consentVersion } from '#server/autopay/consent.ts'
import { addMandate } from '#server/autopay/mandate-store.ts'
import { formatReference } from '#server/autopay/plan-collection.ts'
import { syncMandate } from '#server/autopay/sync-mandate.ts'
import { findUserByPhone, nameOf } from '#server/auth/user-store.ts'
import type { Context } from '#server/context.ts'
import { readLoans } from '#server/loans/loan-store.ts'
import { readOwnLoanById } from '#server/loans/own-loan.ts'
import { demoPhone } from './demo-phone.ts'

/**
 * Gives the demo's borrower 15 an active UPI mandate, at the sandbox too: a mandate that the
 * provider does not know is over. Call it once, after the town is seeded.
 */
export async function addDemoMandate(context: Context, sandboxUrl: string): Promise<void> {
  const { database, clock, gateway, config } = context
  const now = clock.now()
  const today = dayInIndia(now)
  const user = await database.asSystem((sql) => findUserByPhone(sql, demoPhone(15)))
  if (!user) throw new Error('The demo town has no borrower 15')
  const { user_id: borrowerId } = user
  const mandateId = uuidv7()
  const reference = formatReference('KM', mandateId)
  const mandate = await database.asBorrower(borrowerId, async (sql) => {
    const [loan] = await readLoans(sql, borrowerId)
    const { facts } = await readOwnLoanById(sql, borrowerId, loan?.loan_id ?? '')
    const row = {
      borrower_id: borrowerId,
      mandate_id: mandateId,
      loan_id: loan?.loan_id ?? '',
      reference,
      method: 'upi' as const,
      auth_type: null,
      max_amount_paise: capFor(expectInstalment(facts, loanStateDuring(facts, today), today), config.autopay.rules.upiMandateMaximumPaise),
      account_hint: null,
      consent_version: consentVersion,
      expires_at: new Date(now.getTime() + hourMs),
      ends_on: addMonths(today, 60),
      created_by: borrowerId,
    }
    await addMandate(sql, row, now, new Date(now.getTime() + hourMs))
    return row
  })
  const outcome = await gateway.createRegistration({
    reference,
    customer: { name: nameOf(user), email: user.email ?? config.autopay.email, phone: user.phone },
    method: mandate.method,
    authType: null,
    account: null,
    maximumPaise: mandate.max_amount_paise,
    description: 'Autopay of loan instalments',
    expiresAt: mandate.expires_at,
    endsAt: new Date(endOfDayInIndiaMs(mandate.ends_on)),
  })
  if (outcome.kind !== 'created') throw new Error(`The demo's mandate was not made: ${outcome.reason}`)
  const approved = await fetch(`${sandboxUrl}/__sandbox/registrations/${outcome.registration.invoiceId}/approve`, { method: 'POST' })
  if (!approved.ok) throw new Error(`The sandbox answered ${approved.status} to approving the demo's mandate`)
  await syncMandate(context, mandate)
}
