import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ExplanationStep } from '#contract/explanations.ts'
import { paise, zeroPaise } from '#domain/money.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { formatDay } from '#web/ui/format.ts'
import { formulaOf } from './emi-formula.ts'
import type { Explanation } from './explained-figure.tsx'
import { ExplanationStepText } from './explanation-step.tsx'
import { SumTable } from './money.tsx'

/** Sentences first, then the addition, then the money received for it. */
export function ExplanationTable({ explanation, name }: { explanation: Explanation; name: string }) {
  const { t } = useLingui()
  const language = useLanguage()
  const { steps, amount } = explanation
  const day = formatDay(explanation.as_of, language)
  const isDated = explanation.what === 'dues' || explanation.what === 'foreclosure'
  const lines = steps.filter(({ adds }) => adds).map((step) => ({ label: <ExplanationStepText step={step} />, amount: signAmount(step) }))
  return (
    <>
      <Sentences steps={steps.filter((step) => !step.adds && step.step !== 'received')} />
      {explanation.what === 'instalment' && <Formula steps={steps} />}
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

function Formula({ steps }: { steps: readonly ExplanationStep[] }) {
  const { t } = useLingui()
  const formula = formulaOf(steps)
  if (formula === null) return null
  return (
    <p className="mb-2 text-sm text-muted">
      {formula === 'month'
        ? t`EMI = P × r × (1 + r)ⁿ ÷ ((1 + r)ⁿ − 1): P is the principal, r the rate of one month, n the number of instalments.`
        : t`EMI = P × r × (1 + r)ⁿ ÷ ((1 + r)ⁿ − 1): P is the principal, r the rate of 30 days of 365, n the number of instalments.`}
    </p>
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
