import { useEffect, useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import { forgetStartedPayment, readStartedPayment } from '#web/session/started-payment.ts'
import { leadOf, loansQuery, scheduleQuery } from '#web/loan/loan-queries.ts'
import { queryClient } from '#web/api/query-client.ts'
import { rememberShownLead } from '#web/storage.ts'

/** The loan shown: the chosen one while it is still among the loans, else the first ACTIVE one, else the first (spec §2). */
export function shownLoan(loans: readonly Loan[], chosenLan: string | null): Loan | undefined {
  return loans.find((loan) => loan.lan === chosenLan) ?? loans.find((loan) => loan.loan_status === 'ACTIVE') ?? loans[0]
}

/** Outlives the page's components, not the page: after a reload the rule of preselection decides anew. */
let chosen: string | null = null

/** The loan the borrower chose, or the one they have just come back from paying. */
export function useChosenLoan(): [lan: string | null, choose: (lan: string) => void] {
  const [lan, setLan] = useState(() => chosen ?? readStartedPayment()?.lan ?? null)
  useEffect(() => {
    chosen = lan
    forgetStartedPayment()
  }, [lan])
  return [lan, setLan]
}

/**
 * Asks for what the loan page shows first while its code is still on its way: the loans, and then the schedule of the one that will be
 * shown. Whatever fails is asked for again, and told, by the page itself.
 */
export async function preloadLoans(): Promise<void> {
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
