import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import { previewPartPayment } from '#contract/part-payments.ts'
import type { Paise } from '#domain/money.ts'
import { call } from '#web/api/call.ts'
import { loansKey } from '#web/api/loans.ts'

/** Until typing has paused: each digit would be a question of its own. */
const pauseMs = 350

export type PartPaymentPreview = ResponseOf<typeof previewPartPayment>

/** What this amount would change, both ways; the last answer stays while the next is on its way. Null where it cannot be told. */
export function usePartPaymentPreview(loan: Loan, amount: Paise | null): { preview: PartPaymentPreview | null; isLoading: boolean } {
  const [asked, setAsked] = useState(amount)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(amount), pauseMs)
    return () => clearTimeout(timer)
  }, [amount])

  const query = useQuery({
    queryKey: [...loansKey, loan.lan, 'part-payment', String(asked)],
    queryFn: ({ signal }) => call(previewPartPayment, { query: { lan: loan.lan, amount: asked ?? loan.emi_amount } }, { signal }),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  })
  const isCurrent = amount !== null && amount === asked && !query.isPlaceholderData
  return {
    preview: amount === null || query.isError ? null : (query.data ?? null),
    isLoading: amount !== null && !query.isError && !isCurrent,
  }
}
