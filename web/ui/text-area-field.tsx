import type { TextareaHTMLAttributes, Ref } from 'react'
import { describedBy, Field, inputClass, type FieldProps } from './field.tsx'

type TextAreaFieldProps = FieldProps &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'onChange' | 'className' | 'prefix'> & {
    value: string
    onChange: (value: string) => void
    ref?: Ref<HTMLTextAreaElement>
  }

/** A few lines of text. */
export function TextAreaField({ id, label, hint, error, value, onChange, disabled = false, rows = 3, ref, ...rest }: TextAreaFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error} disabled={disabled}>
      <textarea
        ref={ref}
        id={id}
        rows={rows}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        readOnly={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={`${inputClass} resize-y`}
        {...rest}
      />
    </Field>
  )
}
