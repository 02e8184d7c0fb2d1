import { useEffect, useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import { queryClient } from '#web/api/query-client.ts'
import { useTextParameter } from '#web/app/use-text-parameter.ts'
import { getLeadId, loansQuery, scheduleQuery } from '#web/loan/loan-queries.ts'
import { selectShownLoan } from '#web/loan/select-loan.ts'
import { subscribeSession } from '#web/session/session.ts'
import { forgetStartedPayment, readStartedPayment } from '#web/session/started-payment.ts'
import { rememberShownLead } from '#web/storage.ts'

/** Kept until the page reloads or a session begins; then the rule of preselection decides again. */
let lastShown: string | null = null
subscribeSession((event) => {
  if (event === 'init' || event === 'reset') lastShown = null
})

/**
 * The loan that the borrower chose, has just paid, or followed a notice of (`?loan=` in the URL);
 * without one the preselected loan, which stays also when its status changes while it is shown.
 */
export function useShownLoan(loans: readonly Loan[]): [loan: Loan | undefined, choose: (lan: string) => void] {
  const asked = useTextParameter('loan')
  const [lan, setLan] = useState(() => asked ?? lastShown ?? readStartedPayment()?.lan ?? null)
  const [lastAsked, setLastAsked] = useState(asked)
  if (asked !== lastAsked) {
    setLastAsked(asked)
    if (asked !== null) setLan(asked)
  }
  const loan = selectShownLoan(loans, lan)
  if (lan === null && loan) setLan(loan.lan)
  useEffect(() => {
    lastShown = lan
    forgetStartedPayment()
  }, [lan])
  return [loan, setLan]
}

/**
 * Requests the first data of the loan page while its code is loading: the loans, then the schedule
 * of the shown loan. The page itself requests again, and reports, whatever fails. Resolves with the
 * loans.
 */
export async function preloadLoans(): Promise<void> {
  try {
    const loans = await queryClient.fetchQuery(loansQuery)
    const loan = selectShownLoan(loans, readStartedPayment()?.lan ?? null)
    // The next visit requests both at once.
    rememberShownLead(loan ? getLeadId(loan) : null)
    if (loan) void queryClient.prefetchQuery(scheduleQuery(loan))
  } catch {
    // The page reports it.
  }
}
