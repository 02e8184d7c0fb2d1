import { keepPreviousData } from '@tanstack/react-query'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import { previewPartPayment } from '#contract/part-payments.ts'
import type { Paise } from '#domain/money.ts'
import { call } from '#web/api/call.ts'
import { getLoadFailure, type LoadFailure, useLoad } from '#web/app/loading/use-load.ts'
import { loansKey } from '#web/loan/loan-queries.ts'
import { useTypedAmount } from '#web/loan/use-typed-amount.ts'

export type PartPaymentPreview = ResponseOf<typeof previewPartPayment>

/**
 * The effect of an amount, for both purposes. The last response stays while the next loads, and
 * while the typed text is no amount; it is old then. Null if there is no response; `failure` says
 * why, if it could not be loaded; it stays while it is loaded again.
 */
export function usePartPaymentPreview(
  loan: Loan,
  amount: Paise | null,
): { preview: PartPaymentPreview | null; isOld: boolean; isLoading: boolean; failure: LoadFailure | null } {
  const asked = useTypedAmount(amount)
  const query = useLoad({
    queryKey: [...loansKey, loan.lan, 'part-payment', String(asked)],
    queryFn: ({ signal }) => call(previewPartPayment, { query: { lan: loan.lan, amount: asked ?? loan.emi_amount } }, { signal }),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  })
  const preview = query.data ?? null
  const isOld = preview !== null && preview.amount !== amount
  const isLoading = amount !== null && !query.isError && (preview === null || isOld)
  return { preview, isOld, isLoading, failure: preview === null ? getLoadFailure(query) : null }
}
