import type { Ref } from 'react'
import { describedBy, Field, type FieldProps } from './field.tsx'
import { GroupedInput } from './grouped-input.tsx'
import { phoneGrouping } from './groupings.ts'

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
      <GroupedInput
        ref={ref}
        id={id}
        type="tel"
        inputMode="numeric"
        autoComplete="tel-national"
        value={value}
        onChange={onChange}
        grouping={phoneGrouping}
        readOnly={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
      />
    </Field>
  )
}
