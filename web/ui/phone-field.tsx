import type { Ref } from 'react'
import { phoneDigits } from './digits.ts'
import { describedBy, Field, figureInputClass, type FieldProps } from './field.tsx'

type PhoneFieldProps = FieldProps & {
  /** The ten digits, or those typed so far. */
  value: string
  onChange: (digits: string) => void
  disabled?: boolean
  ref?: Ref<HTMLInputElement>
}

/** An Indian mobile number: +91 stands before the box; whatever is pasted comes down to ten digits. */
export function PhoneField({ id, label, hint, error, value, onChange, disabled = false, ref }: PhoneFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error} prefix="+91" disabled={disabled}>
      <input
        ref={ref}
        id={id}
        type="tel"
        inputMode="numeric"
        autoComplete="tel-national"
        value={value.length > 5 ? `${value.slice(0, 5)} ${value.slice(5)}` : value}
        onChange={(event) => onChange(phoneDigits(event.target.value))}
        readOnly={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={figureInputClass}
      />
    </Field>
  )
}
