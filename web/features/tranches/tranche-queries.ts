import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import { changeTranche, previewTranche, readTranches, requestTranche, type Tranche } from '#contract/tranches.ts'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { call } from '#web/api/call.ts'
import { useRequestKeys } from '#web/api/request-keys.ts'
import { getLoadFailure, type LoadFailure, useLoad } from '#web/app/loading/use-load.ts'
import { getLeadId, loansKey, refreshLoans } from '#web/loan/loan-queries.ts'

export type Tranches = ResponseOf<typeof readTranches>

/** The loan's tranches and requests, and what can be requested now. */
export const tranchesQuery = (loan: Loan) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'tranches'],
    queryFn: ({ signal }) => call(readTranches, { query: { lan: loan.lan } }, { signal }),
  })

/** Without a debounce, every typed digit would send a request. */
const debounceMs = 350

type TranchePreview = ResponseOf<typeof previewTranche>
export type TrancheRequest = { amount: Paise; day: Day }

/**
 * The effect of a tranche; the last response stays while the next loads. Null if there is no
 * response; `failure` says why, if it could not be loaded, and stays while it is loaded again.
 */
export function useTranchePreview(
  loan: Loan,
  request: TrancheRequest | null,
): { preview: TranchePreview | null; isLoading: boolean; failure: LoadFailure | null } {
  const [debounced, setDebounced] = useState(request)
  const [amount, day] = [request?.amount, request?.day]
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(amount === undefined || day === undefined ? null : { amount, day }), debounceMs)
    return () => clearTimeout(timer)
  }, [amount, day])

  const query = useLoad({
    queryKey: [...loansKey, loan.lan, 'tranche-preview', String(debounced?.amount), debounced?.day],
    queryFn: ({ signal }) => {
      if (debounced === null) throw new Error('There is no request to preview')
      return call(previewTranche, { query: { lan: loan.lan, amount: debounced.amount, date: debounced.day } }, { signal })
    },
    enabled: debounced !== null,
    placeholderData: keepPreviousData,
  })
  const isCurrent = request !== null && debounced?.amount === request.amount && debounced.day === request.day && !query.isPlaceholderData
  const { data } = query
  return {
    preview: request === null ? null : (data ?? null),
    isLoading: request !== null && !query.isError && !(isCurrent && data !== undefined),
    failure: request !== null && data === undefined ? getLoadFailure(query) : null,
  }
}

/** Sends or changes a request. Refreshes the loan's data in any case. */
export function useSendTranche(loan: Loan, edited: Tranche | null) {
  const client = useQueryClient()
  const keys = useRequestKeys()
  return useMutation({
    mutationFn: ({ amount, day }: TrancheRequest) => {
      if (edited) {
        const date = day === edited.date_of_disbursement ? undefined : day
        return call(changeTranche, { body: { lan: loan.lan, partner_tranche_id: edited.partner_tranche_id, amount, date } })
      }
      return call(
        requestTranche,
        { body: { lead_id: getLeadId(loan), lan: loan.lan, amount, date: day } },
        { idempotencyKey: keys.keyOf(`${amount} ${day}`) },
      )
    },
    onSuccess: () => {
      keys.settle()
      return refreshLoans(client, tranchesQuery(loan).queryKey)
    },
    onError: (error) => {
      keys.settle(error)
      void refreshLoans(client)
    },
  })
}
