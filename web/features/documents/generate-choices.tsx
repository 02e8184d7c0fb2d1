import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { addMonths, financialYear, financialYearDays, type Day } from '#domain/calendar.ts'
import { ChoiceField } from '#web/ui/choice-field.tsx'
import { DatePicker } from '#web/ui/date-picker.tsx'

/** The days of a statement; null is the loan's first day, or today. */
export type Period = { from: Day | null; to: Day | null }

type Choice = 'all' | 'year' | 'own'

/** The earliest selectable month: longer ago than any loan. */
const monthsBack = 600

export function StatementPeriod({ value, today, onChange }: { value: Period; today: Day; onChange: (period: Period) => void }) {
  const { t } = useLingui()
  const [choice, setChoice] = useState<Choice>('all')
  const earliest = addMonths(today, -monthsBack)
  const choose = (next: Choice): void => {
    setChoice(next)
    onChange({ from: next === 'year' ? (financialYearDays(financialYear(today))?.from ?? null) : null, to: null })
  }
  return (
    <div className="space-y-4">
      <ChoiceField
        legend={t`Period`}
        options={[
          { value: 'all', label: t`All` },
          { value: 'year', label: t`This financial year` },
          { value: 'own', label: t`Choose dates` },
        ]}
        value={choice}
        onChange={choose}
      />
      {choice === 'own' && (
        <div className="grid gap-3 md:grid-cols-2 lg:grid-cols-1">
          <DatePicker
            id="statement-from"
            label={t`From`}
            value={value.from}
            onChange={(from) => onChange({ ...value, from })}
            range={{ min: earliest, max: value.to ?? today, today }}
          />
          <DatePicker
            id="statement-to"
            label={t`To`}
            value={value.to}
            onChange={(to) => onChange({ ...value, to })}
            range={{ min: value.from ?? earliest, max: today, today }}
          />
        </div>
      )}
    </div>
  )
}

type YearChoiceProps = { years: readonly string[]; value: string | null; onChange: (year: string) => void }

export function YearChoice({ years, value, onChange }: YearChoiceProps) {
  const { t } = useLingui()
  return (
    <ChoiceField
      legend={t`Financial year`}
      options={years.map((year) => ({ value: year, label: year }))}
      value={value}
      onChange={onChange}
    />
  )
}
