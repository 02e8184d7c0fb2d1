import type { InputHTMLAttributes } from 'react'
import { describedBy, Field, inputClass, type FieldProps } from './field.tsx'

type TextFieldProps = FieldProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange' | 'className' | 'prefix'> & {
    value: string
    onChange: (value: string) => void
  }

/** One line of text. */
export function TextField({ id, label, hint, error, value, onChange, disabled = false, ...rest }: TextFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error} disabled={disabled}>
      <input
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        disabled={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={inputClass}
        {...rest}
      />
    </Field>
  )
}
