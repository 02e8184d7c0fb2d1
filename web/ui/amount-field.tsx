import type { Ref } from 'react'
import { amountText } from './digits.ts'
import { describedBy, Field, figureInputClass, type FieldProps } from './field.tsx'

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
      <input
        ref={ref}
        id={id}
        type="text"
        inputMode={wholeRupees ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={grouped(value)}
        onKeyDown={(event) => wholeRupees && (event.key === '.' || event.key === ',') && event.preventDefault()}
        onChange={(event) => {
          const text = amountText(event.target.value)
          onChange(wholeRupees ? (text.split('.')[0] ?? '') : text)
        }}
        readOnly={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={figureInputClass}
      />
    </Field>
  )
}

function grouped(text: string): string {
  const [whole = '', decimals] = text.split('.')
  const rupees = whole === '' ? '' : new Intl.NumberFormat('en-IN').format(BigInt(whole))
  return decimals === undefined ? rupees : `${rupees}.${decimals}`
}
