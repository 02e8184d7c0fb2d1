import { queryOptions } from '@tanstack/react-query'
import type { ResponseOf } from '#contract/endpoint.ts'
import { explainFigure } from '#contract/explanations.ts'
import type { Loan } from '#contract/loans.ts'
import { call } from '#web/api/call.ts'
import { loansKey } from './loan-queries.ts'

/** A figure of a loan whose making can be told. */
export type Figure = 'dues' | 'dpd' | 'instalment' | 'foreclosure' | `row:${number}`

export type Explanation = ResponseOf<typeof explainFigure>

/** The ordered facts a figure comes from. */
export const explanationQuery = (loan: Loan, what: Figure) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'explain', what],
    queryFn: ({ signal }) => call(explainFigure, { query: { lan: loan.lan, what } }, { signal }),
  })
