import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { RequestOf } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import { chooseRateReset, readRateResets, type RateReset } from '#contract/rate-resets.ts'
import { addDays, type Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { ApiError } from '#web/api/api-error.ts'
import { call } from '#web/api/call.ts'
import { getLoadFailure, useLoad } from '#web/app/loading/use-load.ts'
import { loansKey, refreshLoans } from '#web/loan/loan-queries.ts'
import { useTypedAmount } from '#web/loan/use-typed-amount.ts'

const resetsKey = (loan: Pick<Loan, 'lan'>) => [...loansKey, loan.lan, 'rate-resets'] as const

/** The resets of a loan; `instalment`: the EMI in between to compute, null for the middle. */
export const rateResetsQuery = (loan: Pick<Loan, 'lan'>, instalment: Paise | null = null) =>
  queryOptions({
    queryKey: [...resetsKey(loan), String(instalment)],
    queryFn: async ({ signal }) => {
      const query = { application_id: loan.lan, ...(instalment !== null && { instalment }) }
      return (await call(readRateResets, { query }, { signal })).rate_resets
    },
  })

/**
 * The reset with the option `between` for an EMI. The last response stays while the next loads, and
 * while the typed text is no EMI.
 *
 * @param reset is shown until there is a response.
 * @param instalment null: the middle, or the last one that was asked for.
 */
export function useResetOptions(loan: Loan, reset: RateReset, instalment: Paise | null) {
  const query = useLoad({
    ...rateResetsQuery(loan, useTypedAmount(instalment)),
    placeholderData: keepPreviousData,
  })
  return {
    shown: query.data?.find(({ id }) => id === reset.id) ?? reset,
    failure: getLoadFailure(query),
  }
}

/**
 * Sends a choice. After a refusal the figures are read again before it is shown: it says that there
 * are newer ones.
 */
export function useChooseReset(loan: Loan, { id }: Pick<RateReset, 'id'>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (body: RequestOf<typeof chooseRateReset>['body']) =>
      (await call(chooseRateReset, { params: { id }, body })).rate_reset,
    onSuccess: (chosen) => {
      client.setQueriesData<RateReset[]>({ queryKey: resetsKey(loan) }, (known) => known?.map((one) => (one.id === id ? chosen : one)))
      void refreshLoans(client)
    },
    onError: (error) => (error instanceof ApiError && error.code !== null ? refreshLoans(client, resetsKey(loan)) : undefined),
  })
}

/** A new rate is shown for this many days from its day on. */
const newRateDays = 30

/**
 * The resets that the loan page shows: those ahead, the new rate for a while, and one that was
 * withdrawn until its day. The next day first.
 */
export const listShownResets = (resets: readonly RateReset[], today: Day): RateReset[] =>
  resets.filter((reset) => isShown(reset, today)).toSorted((one, other) => one.effective_on.localeCompare(other.effective_on))

function isShown({ state, effective_on: effectiveOn }: RateReset, today: Day): boolean {
  switch (state) {
    case 'computed':
      return false
    case 'withdrawn':
      return today < effectiveOn
    // On its day the loan can be read before its reset, which stays with its open dialog.
    default:
      return today < addDays(effectiveOn, newRateDays)
  }
}
