import { useLingui } from '@lingui/react/macro'
import { queryOptions } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import type { ResponseOf } from '#contract/endpoint.ts'
import { explainFigure } from '#contract/explanations.ts'
import type { Loan } from '#contract/loans.ts'
import { call } from '#web/api/call.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { Spinner } from '#web/ui/button.tsx'
import { LazyDisclosure } from '#web/ui/disclosure.tsx'
import { createLazyPart } from '#web/ui/lazy-part.tsx'
import { loansKey } from './loan-queries.ts'

type FigureProps = { loan: Loan; what: Figure; name: string }

/** 'How is this computed?' for nearby figures; loaded when it is opened. */
export function HowComputed({ loan, figures }: { loan: Loan; figures: readonly { what: Figure; name: string }[] }) {
  const { t } = useLingui()
  return (
    <LazyDisclosure summary={t`How is this computed?`} subject={figures.map(({ name }) => name).join(', ')}>
      {() => (
        <div className="space-y-4">
          {figures.map(({ what, name }) => (
            <ExplainedFigure key={what} loan={loan} what={what} name={name} />
          ))}
        </div>
      )}
    </LazyDisclosure>
  )
}

/** How a figure is computed; loaded when it is first shown. */
export function ExplainedFigure({ loan, what, name }: FigureProps) {
  const { t } = useLingui()
  // Reserves space while loading, so that the content below moves only once.
  const region = (content: ReactNode, isBusy: boolean) => (
    <div className="min-h-24 max-w-[36rem] text-ink" aria-live="polite" aria-busy={isBusy}>
      {content}
    </div>
  )
  const loading = region(
    <p className="flex items-center gap-2 py-2 text-sm text-muted">
      <Spinner /> {t`Loading...`}
    </p>,
    true,
  )
  return (
    <Suspense fallback={loading}>
      <Loaded query={useLoad(explanationQuery(loan, what))} failed={t`Failed to load how this is computed`} loading={loading}>
        {(explanation) => region(<ExplanationTable explanation={explanation} name={name} />, false)}
      </Loaded>
    </Suspense>
  )
}

const ExplanationTable = createLazyPart(async () => (await import('./explanation-table.tsx')).ExplanationTable)

/** A figure of a loan that can be explained. */
export type Figure = 'dues' | 'dpd' | 'instalment' | 'foreclosure' | `row:${number}`

export type Explanation = ResponseOf<typeof explainFigure>

/** The ordered facts behind a figure. */
const explanationQuery = (loan: Loan, what: Figure) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'explain', what],
    queryFn: ({ signal }) => call(explainFigure, { query: { lan: loan.lan, what } }, { signal }),
  })
