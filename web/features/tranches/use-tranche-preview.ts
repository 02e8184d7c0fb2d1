import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import { previewTranche } from '#contract/tranches.ts'
import { call } from '#web/api/call.ts'
import { loansKey } from '#web/loan/loan-queries.ts'

/** Until typing has paused: each digit would be a question of its own. */
const pauseMs = 350

export type TranchePreview = ResponseOf<typeof previewTranche>
export type Wish = { amount: Paise; day: Day }

/** What a tranche would change; the last answer stays while the next is on its way. Null where it cannot be told. */
export function useTranchePreview(loan: Loan, wish: Wish | null): { preview: TranchePreview | null; isLoading: boolean } {
  const [asked, setAsked] = useState(wish)
  const [amount, day] = [wish?.amount, wish?.day]
  useEffect(() => {
    const timer = setTimeout(() => setAsked(amount === undefined || day === undefined ? null : { amount, day }), pauseMs)
    return () => clearTimeout(timer)
  }, [amount, day])

  const query = useQuery({
    queryKey: [...loansKey, loan.lan, 'tranche-preview', String(asked?.amount), asked?.day],
    queryFn: ({ signal }) => {
      if (asked === null) throw new Error('Nothing to ask')
      return call(previewTranche, { query: { lan: loan.lan, amount: asked.amount, date: asked.day } }, { signal })
    },
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  })
  const isCurrent = wish !== null && asked?.amount === wish.amount && asked.day === wish.day && !query.isPlaceholderData
  return {
    preview: wish === null ? null : (query.data ?? null),
    isLoading: wish !== null && !query.isError && !(isCurrent && query.data !== undefined),
  }
}
