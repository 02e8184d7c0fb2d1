import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Loan } from '#contract/loans.ts'
import { changeTranche, requestTranche, type Tranche } from '#contract/tranches.ts'
import { isOutcomeUnknown } from '#web/api/api-error.ts'
import { call } from '#web/api/call.ts'
import { newKey } from '#web/api/idempotency-key.ts'
import { leadOf, loansKey } from '#web/loan/loan-queries.ts'
import type { Wish } from './use-tranche-preview.ts'

/** Sends a request, or the change of one. Whatever comes of it, the page asks anew how the loan stands. */
export function useSendTranche(loan: Loan, edited: Tranche | null) {
  const client = useQueryClient()
  // The same wish sent again after a lost answer is the same request; after an answer, or for another wish, it is a new one.
  const unheard = useRef<{ wish: string; key: string } | null>(null)
  return useMutation({
    mutationFn: ({ amount, day }: Wish) => {
      if (edited) {
        const date = day === edited.date_of_disbursement ? undefined : day
        return call(changeTranche, { body: { lan: loan.lan, partner_tranche_id: edited.partner_tranche_id, amount, date } })
      }
      const wish = `${amount} ${day}`
      if (unheard.current?.wish !== wish) unheard.current = { wish, key: newKey() }
      return call(
        requestTranche,
        { body: { lead_id: leadOf(loan), lan: loan.lan, amount, date: day } },
        { idempotencyKey: unheard.current.key },
      )
    },
    onSuccess: () => {
      unheard.current = null
    },
    onError: (error) => {
      if (!isOutcomeUnknown(error)) unheard.current = null
    },
    onSettled: () => client.invalidateQueries({ queryKey: loansKey }),
  })
}
