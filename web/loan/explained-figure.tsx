import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { queryOptions } from '@tanstack/react-query'
import { type ReactNode } from 'react'
import type { ResponseOf } from '#contract/endpoint.ts'
import { explainFigure, type ExplanationStep } from '#contract/explanations.ts'
import type { Loan } from '#contract/loans.ts'
import { paise, zeroPaise } from '#domain/money.ts'
import { call } from '#web/api/call.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { Spinner } from '#web/ui/button.tsx'
import { LazyDisclosure } from '#web/ui/disclosure.tsx'
import { formatDay } from '#web/ui/format.ts'
import { ExplanationStepText } from './explanation-step.tsx'
import { loansKey } from './loan-queries.ts'
import { SumTable } from './money.tsx'

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
  return (
    <Loaded
      query={useLoad(explanationQuery(loan, what))}
      failed={t`Failed to load how this is computed`}
      loading={region(
        <p className="flex items-center gap-2 py-2 text-sm text-muted">
          <Spinner /> {t`Loading...`}
        </p>,
        true,
      )}
    >
      {(explanation) => region(<ExplanationTable explanation={explanation} name={name} />, false)}
    </Loaded>
  )
}

/** Sentences first, then the addition, then the money received for it. */
function ExplanationTable({ explanation, name }: { explanation: Explanation; name: string }) {
  const { t } = useLingui()
  const language = useLanguage()
  const { steps, amount } = explanation
  const day = formatDay(explanation.as_of, language)
  const isDated = explanation.what === 'dues' || explanation.what === 'foreclosure'
  const lines = steps.filter(({ adds }) => adds).map((step) => ({ label: <ExplanationStepText step={step} />, amount: signAmount(step) }))
  return (
    <>
      <Sentences steps={steps.filter((step) => !step.adds && step.step !== 'received')} />
      {explanation.what === 'instalment' && (
        <p className="mb-2 text-sm text-muted">
          {t`EMI = P × r × (1 + r)ⁿ ÷ ((1 + r)ⁿ − 1): P is the principal, r the rate of one month, n the number of instalments.`}
        </p>
      )}
      {amount === null ? (
        <Days days={explanation.days ?? 0} />
      ) : (
        // Without lines there is nothing to add up: the sentences say it all.
        lines.length > 0 && <SumTable caption={name} lines={lines} total={{ label: isDated ? t`${name} on ${day}` : name, amount }} />
      )}
      <Sentences steps={steps.filter(({ step }) => step === 'received')} />
    </>
  )
}

function Days({ days }: { days: number }) {
  const { t } = useLingui()
  return <p className="text-sm font-semibold">{t`${plural(days, { one: '# day late', other: '# days late' })}`}</p>
}

function Sentences({ steps }: { steps: readonly ExplanationStep[] }) {
  if (steps.length === 0) return null
  return (
    <ul className="my-2 space-y-1 text-sm text-muted first:mt-0">
      {steps.map((step, index) => (
        <li key={index}>
          <ExplanationStepText step={step} />
        </li>
      ))}
    </ul>
  )
}

const signAmount = ({ amount = zeroPaise, is_negative: isNegative = false }: ExplanationStep) => (isNegative ? paise(-amount) : amount)

/** A figure of a loan that can be explained. */
export type Figure = 'dues' | 'dpd' | 'instalment' | 'foreclosure' | `row:${number}`

type Explanation = ResponseOf<typeof explainFigure>

/** The ordered facts behind a figure. */
const explanationQuery = (loan: Loan, what: Figure) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'explain', what],
    queryFn: ({ signal }) => call(explainFigure, { query: { lan: loan.lan, what } }, { signal }),
  })
