import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { addDays, type Day, dayInIndia } from '#domain/calendar.ts'
import { recordedPaymentModes, recordedPurposes, reversalCauses } from '#domain/operations.ts'
import { ChoiceField } from '#web/ui/choice-field.tsx'
import { DatePicker } from '#web/ui/date-picker.tsx'
import { AmountField, FieldRoot, TextAreaField, TextField } from '#web/ui/field.tsx'
import { Select } from '#web/ui/select.tsx'
import { causeText, fieldProblemText, fieldText, modeText, recordedPurposeText } from './kind-texts.ts'
import { PaperField } from './paper-field.tsx'
import { useOpenedAtMs } from './proposal-badge.tsx'
import { factDays, findFieldProblem, type OperationField as Field, toCode } from './operation-fields.ts'

type Choice = { value: string; title: string; detail?: string }

/** The parts of the loan that a field can name. */
export type FieldChoices = Readonly<Record<'charge' | 'payment' | 'tranche' | 'reset', readonly Choice[]>>

type OperationFieldProps = {
  field: Field
  /** The loan. Null for a kind that touches none. */
  lan: string | null
  earliest: Day | undefined
  value: string
  choices: FieldChoices
  disabled: boolean
  onChange: (text: string) => void
}

/** The control for one field of an operation. */
export function OperationField({ field, lan, earliest, value, choices, disabled, onChange }: OperationFieldProps) {
  const { t, i18n } = useLingui()
  const { name, type } = field
  const label = fieldText[name]
  const code = findFieldProblem(field, value)
  const common = {
    id: `operation-${name}`,
    label: label === undefined ? name : i18n._(label),
    problem: code === null ? null : i18n._(fieldProblemText[code]),
  }
  switch (type) {
    case 'amount':
      return <AmountField {...common} {...(field.optional && { hint: t`Empty for the whole payment` })} value={value} onChange={onChange} />
    case 'day':
      return (
        <FactDay
          {...common}
          days={field.days ?? factDays}
          earliest={earliest}
          isOptional={field.optional === true}
          value={value}
          onChange={onChange}
        />
      )
    case 'words':
      return (
        <div className="md:col-span-2">
          <TextAreaField
            {...common}
            hint={t`The borrower does not read this.`}
            value={value}
            maxLength={300}
            disabled={disabled}
            onChange={onChange}
          />
        </div>
      )
    case 'charge_type':
    case 'benchmark': {
      const stored = toCode(value)
      const example = type === 'benchmark' ? t`Such as RBI repo` : t`Such as Bounce charge or Legal notice fee`
      const hint = stored === '' ? example : t`Recorded as ${stored}`
      return <TextField {...common} hint={hint} value={value} maxLength={40} disabled={disabled} onChange={onChange} />
    }
    case 'percent':
      return (
        <TextField
          {...common}
          {...(field.optional && { hint: t`Such as 18, or empty for none` })}
          value={value}
          maxLength={12}
          disabled={disabled}
          onChange={onChange}
        />
      )
    case 'reference':
      return (
        <TextField {...common} hint={t`As on the bank’s statement`} value={value} maxLength={64} disabled={disabled} onChange={onChange} />
      )
    case 'paper':
      return <PaperField {...common} lan={lan ?? ''} disabled={disabled} onChange={onChange} />
    case 'mode':
      return <Choices {...common} texts={modeText} values={recordedPaymentModes} value={value} onChange={onChange} />
    case 'purpose':
      return <Choices {...common} texts={recordedPurposeText} values={['', ...recordedPurposes]} value={value} onChange={onChange} />
    case 'cause':
      return <Choices {...common} texts={causeText} values={reversalCauses} value={value} onChange={onChange} />
    default:
      return (
        <div className="md:col-span-2">
          <FieldRoot id={common.id} problem={common.problem}>
            <p className="mb-1.5 text-sm font-semibold">{common.label}</p>
            <Select label={common.label} placeholder={t`Choose`} value={value} options={choices[type]} onChange={onChange} />
          </FieldRoot>
        </div>
      )
  }
}

type FactDayProps = {
  id: string
  label: string
  problem: string | null
  days: NonNullable<Field['days']>
  earliest: Day | undefined
  isOptional: boolean
  value: string
  onChange: (text: string) => void
}

/** A day among those that the kind allows. */
function FactDay({ days, earliest, isOptional, value, onChange, ...common }: FactDayProps) {
  const { t } = useLingui()
  const today = dayInIndia(new Date(useOpenedAtMs()))
  const first = addDays(today, days.first)
  return (
    <DatePicker
      {...common}
      hint={isOptional ? t`Leave empty for the day of the approval` : undefined}
      value={value === '' ? null : (value as Day)}
      onChange={(day) => onChange(day ?? '')}
      range={{ min: earliest !== undefined && earliest > first ? earliest : first, max: addDays(today, days.last), today }}
    />
  )
}

type ChoicesProps<Value extends string> = {
  label: string
  problem: string | null
  texts: Readonly<Record<Value, MessageDescriptor>>
  values: readonly Value[]
  value: string
  onChange: (text: string) => void
}

function Choices<Value extends string>({ label, problem, texts, values, value, onChange }: ChoicesProps<Value>) {
  const { i18n } = useLingui()
  return (
    <div className="md:col-span-2">
      <ChoiceField
        legend={label}
        problem={problem}
        options={values.map((one) => ({ value: one, label: i18n._(texts[one]) }))}
        value={values.find((one) => one === value) ?? null}
        onChange={onChange}
      />
    </div>
  )
}
