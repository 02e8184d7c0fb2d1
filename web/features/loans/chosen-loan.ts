import { useEffect, useState } from 'react'
import { forgetPaymentTrip, readPaymentTrip } from '#web/api/payment-trip.ts'

/** Outlives the page's components, not the page: after a reload the rule of preselection decides anew. */
let chosen: string | null = null

/** The loan the borrower chose, or the one they have just come back from paying. */
export function useChosenLoan(): [lan: string | null, choose: (lan: string) => void] {
  const [lan, setLan] = useState(() => chosen ?? readPaymentTrip()?.lan ?? null)
  useEffect(() => {
    chosen = lan
    forgetPaymentTrip()
  }, [lan])
  return [lan, setLan]
}
