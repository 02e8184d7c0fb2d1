import { useId } from 'react'
import { describedBy, FieldMessage } from './field.tsx'

type ChoiceFieldProps<Value extends string> = {
  legend: string
  options: readonly { value: Value; label: string }[]
  value: Value | null
  onChange: (value: Value) => void
  error?: string | null
}

/** One of a few short words, all of them in view: native radio buttons, drawn as chips. */
export function ChoiceField<Value extends string>({ legend, options, value, onChange, error }: ChoiceFieldProps<Value>) {
  const id = useId()
  return (
    <fieldset className="min-w-0" aria-describedby={describedBy(id, null, error)}>
      <legend className="mb-1.5 text-sm font-semibold">{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <label
            key={option.value}
            className="relative inline-flex min-h-target items-center rounded-full border border-line-strong bg-raised px-4 text-sm hover:border-brand has-checked:border-brand has-checked:bg-brand-soft has-checked:font-semibold has-checked:text-on-brand-soft has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus forced-colors:has-checked:outline-2"
          >
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              // It lies over its words, so that touch and screen readers find it where it is seen.
              className="absolute inset-0 size-full cursor-pointer appearance-none rounded-full outline-0"
            />
            {option.label}
          </label>
        ))}
      </div>
      <FieldMessage id={`${id}-error`}>{error}</FieldMessage>
    </fieldset>
  )
}
