import { Field } from '@base-ui/react/field'
import { useId } from 'react'
import { type FieldProblem, FieldRoot } from './field.tsx'

type ChoiceFieldProps<Value extends string> = FieldProblem & {
  legend: string
  options: readonly { value: Value; label: string }[]
  value: Value | null
  disabled?: boolean
  onChange: (value: Value) => void
}

/** A choice of a few short words, all visible: native radio buttons that look like chips. */
export function ChoiceField<Value extends string>({
  legend,
  options,
  value,
  disabled = false,
  onChange,
  ...problem
}: ChoiceFieldProps<Value>) {
  const id = useId()
  return (
    <FieldRoot id={id} render={<fieldset />} {...problem}>
      <legend className="mb-1.5 text-sm font-semibold">{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((option, index) => {
          const input = (
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              disabled={disabled}
              onChange={() => onChange(option.value)}
              // Covers its label, so that touch and screen readers find it where it is seen.
              className="absolute inset-0 size-full cursor-pointer appearance-none rounded-full outline-0 disabled:cursor-not-allowed"
              // Not for a single radio button.
              aria-invalid={undefined}
            />
          )
          return (
            <label
              key={option.value}
              className="relative inline-flex min-h-target items-center rounded-full border border-line-strong bg-raised px-4 text-sm not-has-disabled:hover:border-brand has-checked:border-brand has-checked:bg-brand-soft has-checked:font-semibold has-checked:text-on-brand-soft has-disabled:text-muted has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus forced-colors:has-checked:outline-2"
            >
              {/* The first button gets the focus if the field has a problem. */}
              {index === 0 ? <Field.Control value={value ?? ''} render={input} /> : input}
              {option.label}
            </label>
          )
        })}
      </div>
    </FieldRoot>
  )
}

/** A native checkbox with its label. */
export function ToggleField({ label, checked, onChange }: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <label className="flex min-h-target items-center gap-3 rounded-md py-1 has-focus-visible:outline-3 has-focus-visible:outline-focus">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-5 flex-none accent-brand outline-0"
      />
      {label}
    </label>
  )
}
