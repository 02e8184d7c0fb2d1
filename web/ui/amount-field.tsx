import type { Ref } from 'react'
import { describedBy, Field, type FieldProps } from './field.tsx'
import { GroupedInput } from './grouped-input.tsx'
import { amountGrouping, wholeRupeesGrouping } from './groupings.ts'

type AmountFieldProps = FieldProps & {
  /** The amount as typed, without grouping: '25019' or '25019.5'. Read it with parseRupees. */
  value: string
  onChange: (text: string) => void
  /** No decimal point can be typed and pasted decimals fall away. */
  wholeRupees?: boolean
  disabled?: boolean
  ref?: Ref<HTMLInputElement>
}

/** A sum of money to be typed, grouped the Indian way as it stands. */
export function AmountField({ id, label, hint, error, value, onChange, wholeRupees = false, disabled = false, ref }: AmountFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error} prefix="₹" disabled={disabled}>
      <GroupedInput
        ref={ref}
        id={id}
        type="text"
        inputMode={wholeRupees ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={value}
        onChange={onChange}
        grouping={wholeRupees ? wholeRupeesGrouping : amountGrouping}
        onKeyDown={(event) => wholeRupees && (event.key === '.' || event.key === ',') && event.preventDefault()}
        readOnly={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
      />
    </Field>
  )
}
