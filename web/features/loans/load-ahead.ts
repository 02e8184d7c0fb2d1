import { leadOf, loansQuery, scheduleQuery } from '#web/loan/loan-queries.ts'
import { readStartedPayment } from '#web/session/started-payment.ts'
import { queryClient } from '#web/api/query-client.ts'
import { rememberShownLead } from '#web/storage.ts'
import { shownLoan } from './select-loan.ts'

/**
 * Asks for what the loan page shows first while its code is still on its way: the loans, and then the schedule of the one that will be
 * shown. Whatever fails is asked for again, and told, by the page itself.
 */
export async function loadLoansAhead(): Promise<void> {
  try {
    const loans = await queryClient.fetchQuery(loansQuery)
    const loan = shownLoan(loans, readStartedPayment()?.lan ?? null)
    // The next visit asks for both at once.
    rememberShownLead(loan ? leadOf(loan) : null)
    if (loan) await queryClient.prefetchQuery(scheduleQuery(loan))
  } catch {
    // Said above.
  }
}
