import { useEffect, useState } from 'react'
import { forgetStartedPayment, readStartedPayment } from '#web/session/started-payment.ts'

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
